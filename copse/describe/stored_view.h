// A result that lies in a folder, as topics: what `show` and `report` start from.
#pragma once

#include "copse/describe/topic_view.h"
#include "copse/model/stored_result.h"

namespace copse {

struct StoredView {
  TopicView view;
  ModelItems items;
};

// Throws InputError for a folder without a complete result.
StoredView read_view(const StoredResult& stored, const ViewLimits& limits = {});

}  // namespace copse
