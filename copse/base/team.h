// Those who hold a part of the data each and work in step, such as the processes of one run on several machines. Every
// call must be made by all of them, in the same order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "copse/base/index.h"

namespace copse {

// Where each of `parts` parts of `count` things begins, and `count`: nearly equal, multiples of `unit` but for the
// last.
inline std::vector<Index> part_starts(Index count, int parts, Index unit = 1) {
  std::vector<Index> starts;
  const Index units = (count + unit - 1) / unit;
  for (int p = 0; p <= parts; ++p) starts.push_back(std::min(count, units * p / parts * unit));
  return starts;
}

// Solvers take up to so many neighbouring rows of a factor at once; who begins with a multiple of it has the same
// neighbours.
inline constexpr Index rows_in_step = 256;

class Team {
 public:
  virtual ~Team() = default;

  virtual int rank() const = 0;  // 0 ... size() - 1
  virtual int size() const = 0;

  // Adds up an array over all. The order is that of the ranks: everyone gets the same bits, every time.
  virtual void sum(std::span<double> values) const = 0;
  virtual void sum(std::span<float> values) const = 0;
  virtual void sum(std::span<std::int32_t> values) const = 0;

  // The same, but everyone gets a part only: own = the entries starts[rank] ... starts[rank + 1] - 1 of the sum.
  virtual void sum_parts(std::span<const float> values, std::span<const Index> starts, std::span<float> own) const = 0;
  virtual void sum_parts(std::span<const double> values, std::span<const Index> starts,
                         std::span<double> own) const = 0;

  // Everyone has written the bytes starts[rank] ... starts[rank + 1] - 1, and gets those of the others.
  virtual void share_bytes(std::span<char> bytes, std::span<const Index> starts) const = 0;
  template <class Value>
  void share(std::span<Value> values, std::span<const Index> starts) const {
    share_bytes({reinterpret_cast<char*>(values.data()), values.size_bytes()}, starts_in_bytes<Value>(starts));
  }

  // The first gets the bytes of everyone, rank r's from starts[r] on; `all` is empty for the others.
  virtual void collect_bytes(std::span<const char> own, std::span<const Index> starts, std::span<char> all) const = 0;
  template <class Value>
  void collect(std::span<const Value> own, std::span<const Index> starts, std::span<Value> all) const {
    const std::vector<Index> in_bytes = starts_in_bytes<Value>(starts);
    collect_bytes({reinterpret_cast<const char*>(own.data()), own.size_bytes()}, in_bytes,
                  {reinterpret_cast<char*>(all.data()), all.size_bytes()});
  }

  // The bytes that this one has sent so far.
  virtual double bytes_sent() const = 0;

  bool any(bool wish) const {
    double wishes = wish ? 1 : 0;
    sum({&wishes, 1});
    return wishes > 0;
  }
  std::vector<Index> starts_of(Index count, Index unit = 1) const { return part_starts(count, size(), unit); }

 private:
  template <class Value>
  static std::vector<Index> starts_in_bytes(std::span<const Index> starts) {
    std::vector<Index> bytes(starts.begin(), starts.end());
    for (Index& start : bytes) start *= static_cast<Index>(sizeof(Value));
    return bytes;
  }
};

}  // namespace copse
