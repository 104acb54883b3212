// Flat topics and everything that is known about them.
#pragma once

#include "copse/base/stopwatch.h"
#include "copse/describe/topic_view.h"
#include "copse/model/flat_model.h"
#include "copse/model/run_report.h"

namespace copse {

template <class T>
struct FlatResult {
  FlatModel<T> model;
  TopicView view;
  RunReport report;
  Index top = 10;        // features to name per topic
  Stopwatch clock = {};  // since the run began
};

// Fills the view, the topics and the measures from the model.
template <class T>
void describe(FlatResult<T>& result);

}  // namespace copse
