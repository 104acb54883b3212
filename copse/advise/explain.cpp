#include "copse/advise/explain.h"

#include <fmt/format.h>

#include <ctime>

#include "copse/base/error.h"
#include "copse/base/memory.h"
#include "copse/base/parallel.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

double cpu_seconds_so_far() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

RunToExplain plan_to_explain(const InputOptions& input, const MemoryJob& job, Precision precision, int processes) {
  RunToExplain run{.file = planned_file(input), .speed = {}, .options = {}};
  run.options = {.job = job, .processes = processes, .precision = precision, .threads = thread_count()};
  run.speed = measure_speed(run.file, input.path, input.reading, run.options);
  return run;
}

void start_clock(RunToExplain& run) { run.cpu_seconds_before = cpu_seconds_so_far(); }

std::vector<std::string> explain(RunToExplain run, const TakenByRun& taken) {
  const double seconds = cpu_seconds_so_far() - run.cpu_seconds_before;
  run.options.iterations = taken.iterations;
  const Plan plan = plan_run(run.file, run.speed, run.options);
  std::vector<std::string> lines;
  lines.push_back(fmt::format("memory: at most {} planned, {} taken.", in_bytes(plan.memory),
                              in_bytes(static_cast<double>(peak_memory()))));
  if (taken.device) {
    lines.push_back(fmt::format("device: {} planned for {}, {} taken; {} of the matrix sent.",
                                in_seconds(taken.device->predicted), counted(taken.device->products, "product"),
                                in_seconds(taken.device->measured), in_bytes(taken.device->bytes_sent)));
  } else {
    lines.push_back(fmt::format(
        "solver: {} of CPU planned{}, {} taken.", in_seconds(plan.cpu_seconds),
        run.options.job.gives == Gives::flat ? fmt::format(" for {}", counted(taken.iterations, "iteration")) : "",
        in_seconds(seconds)));
  }
  if (taken.bytes_read)
    lines.push_back(fmt::format("reads: {} planned, {} read.", in_bytes(plan.bytes_read), in_bytes(*taken.bytes_read)));
  if (taken.bytes_sent)
    lines.push_back(
        fmt::format("messages: {} planned, {} sent.", in_bytes(plan.traffic.bytes), in_bytes(*taken.bytes_sent)));
  for (std::string& line : lines) line = "explain: " + line;
  return lines;
}

}  // namespace copse
