// report.html of a result.
#pragma once

#include <string>

#include "apps/copse/topic_view.h"
#include "copse/io/output_folder.h"
#include "copse/report/page.h"

namespace copse {

// The page of a result; `report` has its settings, seconds and measures.
Page page_of(const TopicView& view, const ModelItems& items, const RunReport& report);

// Adds report.html, or a note that this program was built without it.
void add_page(OutputFolder& folder, const TopicView& view, const ModelItems& items, RunReport& report);

// The last lines: how long each step took that took place, how much memory, and where the files are.
void say_end(const RunReport& report, const OutputOptions& output, Terminal& terminal);

}  // namespace copse
