// The segments of a picture as text or JSON.
#pragma once

#include <string>

#include "apps/copse/commands/options.h"
#include "apps/copse/terminal/terminal.h"
#include "copse/model/stored_result.h"
#include "copse/run/segment_run.h"

namespace copse {

// What a run says when it is done.
void show(const SegmentResult& result, const OutputOptions& output, Terminal& terminal);

// Of a folder.
std::string show_segments(const StoredResult& stored, bool json);

}  // namespace copse
