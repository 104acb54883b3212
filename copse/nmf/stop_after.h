// What every loop over iterations asks at its end.
#pragma once

#include <optional>

#include "copse/nmf/options.h"

namespace copse {

// Reports the latest iteration, and says why the run ends, if it does: `ended` is the loop's own reason, which comes
// before the wish of whoever hears the report.
template <class Iteration, class Options>
std::optional<StopReason> stop_after(const Iteration& latest, const Options& options,
                                     std::optional<StopReason> ended = {}) {
  const bool go_on = !options.progress || options.progress(latest);
  if (ended) return ended;
  if (!go_on) return StopReason::interrupted;
  if (latest.seconds >= options.time_limit) return StopReason::time_limit;
  return {};
}

}  // namespace copse
