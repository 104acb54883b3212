#include "copse/base/traffic.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "copse/base/team.h"

namespace copse {
namespace {

double rounds(int processes) { return std::bit_width(static_cast<std::uint32_t>(processes - 1)); }

}  // namespace

Traffic all_gather(double own, double all, int processes, const Network& network) {
  if (processes == 1) return {};
  return {own * (processes - 1), rounds(processes) * network.latency + (all - own) / network.bandwidth};
}

Traffic scatter_sum(double own, double all, int processes, const Network& network) {
  if (processes == 1) return {};
  return {all - own, (processes - 1) * network.latency + (all - own) / network.bandwidth};
}

Traffic sum_of(Index count, int processes, const Network& network) {
  constexpr double width = sizeof(double);
  if (!sums_by_parts(count, processes))
    return all_gather(static_cast<double>(count) * width, static_cast<double>(count) * width * processes, processes,
                      network);
  const double all = static_cast<double>(count) * width, own = static_cast<double>(count / processes) * width;
  Traffic traffic = scatter_sum(own, all, processes, network);
  traffic += all_gather(own, all, processes, network);
  return traffic;
}

Traffic iteration_traffic(Index rows, Index k, double width, int processes, const Network& network,
                          bool with_gradient) {
  const double row = static_cast<double>(k) * width;
  const double all = static_cast<double>(rows) * row;
  const double own = static_cast<double>(part_starts(rows, processes, rows_in_step)[1]) * row;
  Traffic traffic = all_gather(own, all, processes, network);
  traffic += scatter_sum(own, all, processes, network);
  for (int gram = 0; gram < 3; ++gram) traffic += sum_of(k * k, processes, network);
  traffic += sum_of(1, processes, network);
  traffic += sum_of(2, processes, network);
  if (with_gradient) {
    for (int factor = 0; factor < 2; ++factor) traffic += sum_of(k, processes, network);
    traffic += sum_of(1, processes, network);
  }
  return traffic;
}

}  // namespace copse
