// What the processes of a run send each other, and how long it takes: counted as MpiTeam counts it, timed by an
// alpha-beta model [Thakur, Rabenseifner & Gropp 2005]. A message of b bytes takes latency + b / bandwidth.
#pragma once

#include "copse/base/index.h"

namespace copse {

struct Network {
  double latency = 2e-6;    // seconds
  double bandwidth = 10e9;  // bytes per second, of one process to the others
};

// Of one process.
struct Traffic {
  double bytes = 0;
  double seconds = 0;
  Traffic& operator+=(const Traffic& other) {
    bytes += other.bytes;
    seconds += other.seconds;
    return *this;
  }
};
inline Traffic operator*(double times, const Traffic& traffic) {
  return {times * traffic.bytes, times * traffic.seconds};
}

// Whether an array of `count` numbers is summed by parts, or whole by everyone.
constexpr bool sums_by_parts(Index count, int processes) { return count * processes > 16384 && count >= processes; }

// An array whose parts lie with the processes comes to all of them; `own` bytes of `all` are this one's. By recursive
// doubling: log2(p) messages, and own (p - 1) bytes.
Traffic all_gather(double own, double all, int processes, const Network& network);
// Arrays of `all` bytes are added up; this one gets `own` bytes of the sum. By pairwise exchange: p - 1 messages, and
// all - own bytes.
Traffic scatter_sum(double own, double all, int processes, const Network& network);
// `count` doubles are added up, and all get the sum.
Traffic sum_of(Index count, int processes, const Network& network);

// One iteration of flat NMF: W (rows x k, `width` bytes a number) is gathered, X H' is summed where its rows belong.
// Sums of W'W, H H' and, of the new point, W'W again; with the gradient those of both factors and the wish to stop; the
// inner product that gives the error, and the clock.
Traffic iteration_traffic(Index rows, Index k, double width, int processes, const Network& network,
                          bool with_gradient = true);

}  // namespace copse
