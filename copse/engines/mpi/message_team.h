// A team by four collective messages, whoever carries them: MPI in the program, a communicator of mpi4py in Python.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "copse/base/team.h"
#include "copse/base/traffic.h"

namespace copse {

// Sums are made of messages that add nothing up: everyone adds in the order of the ranks, so that all have the same
// bits, every time.
class MessageTeam : public Team {
 public:
  int rank() const final { return rank_; }
  int size() const final { return size_; }
  double bytes_sent() const final { return bytes_sent_; }

  void sum(std::span<double> values) const final { add_up(values); }
  void sum(std::span<float> values) const final { add_up(values); }
  void sum(std::span<std::int32_t> values) const final { add_up(values); }

  void sum_parts(std::span<const float> values, std::span<const Index> starts, std::span<float> own) const final {
    add_parts(values, starts, own);
  }
  void sum_parts(std::span<const double> values, std::span<const Index> starts, std::span<double> own) const final {
    add_parts(values, starts, own);
  }

  void share_bytes(std::span<char> bytes, std::span<const Index> starts) const final {
    if (size_ == 1) return;
    all_gather_parts(bytes, starts);
    bytes_sent_ += static_cast<double>((starts[rank_ + 1] - starts[rank_]) * (size_ - 1));
  }
  void collect_bytes(std::span<const char> own, std::span<const Index> starts, std::span<char> all) const final {
    gather_parts(own, starts, all);
    if (rank_ > 0) bytes_sent_ += static_cast<double>(own.size());
  }

 protected:
  void join(int rank, int size) { rank_ = rank, size_ = size; }

 private:
  // Everyone gets the bytes of everyone, which are equally many, one after the other.
  virtual void all_gather(std::span<const char> own, std::span<char> all) const = 0;
  // The same for parts of different lengths; one's own is in its place already.
  virtual void all_gather_parts(std::span<char> bytes, std::span<const Index> starts) const = 0;
  // Everyone sends part r of its bytes to rank r, and gets what the others send, in their order.
  virtual void exchange(std::span<const char> bytes, std::span<const Index> starts, std::span<char> received) const = 0;
  // The first gets the parts of everyone.
  virtual void gather_parts(std::span<const char> own, std::span<const Index> starts, std::span<char> all) const = 0;

  template <class Value>
  static std::span<const char> bytes_of(std::span<const Value> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
  }
  template <class Value>
  static std::span<char> bytes_of(std::vector<Value>& values) {
    return {reinterpret_cast<char*>(values.data()), values.size() * sizeof(Value)};
  }

  // A large array by parts.
  template <class Value>
  void add_up(std::span<Value> values) const {
    if (size_ == 1) return;
    const auto count = static_cast<Index>(values.size());
    if (sums_by_parts(count, size_)) {
      const std::vector<Index> starts = starts_of(count);
      std::vector<Value> own(static_cast<std::size_t>(starts[rank_ + 1] - starts[rank_]));
      add_parts(std::span<const Value>(values), starts, std::span<Value>(own));
      std::ranges::copy(own, values.begin() + starts[rank_]);
      share(values, starts);
      return;
    }
    std::vector<Value> all(values.size() * static_cast<std::size_t>(size_));
    all_gather(bytes_of(std::span<const Value>(values)), bytes_of(all));
    bytes_sent_ += static_cast<double>(values.size_bytes()) * (size_ - 1);
    std::ranges::fill(values, Value(0));
    for (std::size_t e = 0; e < all.size(); ++e) values[e % values.size()] += all[e];
  }

  template <class Value>
  void add_parts(std::span<const Value> values, std::span<const Index> starts, std::span<Value> own) const {
    const Index part = starts[rank_ + 1] - starts[rank_];
    std::vector<Value> received(static_cast<std::size_t>(part * size_));
    std::vector<Index> places(starts.begin(), starts.end());
    for (Index& place : places) place *= static_cast<Index>(sizeof(Value));
    exchange(bytes_of(values), places, bytes_of(received));
    bytes_sent_ += static_cast<double>(static_cast<Index>(values.size()) - part) * sizeof(Value);
    std::copy_n(received.begin(), part, own.begin());
    for (int r = 1; r < size_; ++r) {
      for (Index e = 0; e < part; ++e) own[e] += received[static_cast<std::size_t>(part * r + e)];
    }
  }

  int rank_ = 0, size_ = 1;
  mutable double bytes_sent_ = 0;
};

}  // namespace copse
