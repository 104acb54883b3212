// A team of threads in one process: what runs on several machines, without them.
#pragma once

#include <barrier>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "copse/base/team.h"

namespace copse::testing {

class ThreadTeam : public Team {
 public:
  struct Meeting {
    explicit Meeting(int size) : barrier(size), places(static_cast<std::size_t>(size)) {}
    std::barrier<> barrier;
    std::vector<const void*> places;
  };
  ThreadTeam(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(meeting_.places.size()); }
  void sum(std::span<double> values) const override { add_up(values); }
  void sum(std::span<float> values) const override { add_up(values); }
  void sum(std::span<std::int32_t> values) const override { add_up(values); }
  void sum_parts(std::span<const float> values, std::span<const Index> starts, std::span<float> own) const override {
    add_parts(values, starts, own);
  }
  void sum_parts(std::span<const double> values, std::span<const Index> starts, std::span<double> own) const override {
    add_parts(values, starts, own);
  }
  void share_bytes(std::span<char> bytes, std::span<const Index> starts) const override {
    meet(bytes.data(), [&] {
      for (int r = 0; r < size(); ++r) {
        const auto* from = static_cast<const char*>(meeting_.places[r]);
        if (r != rank_) std::copy(from + starts[r], from + starts[r + 1], bytes.begin() + starts[r]);
      }
    });
    bytes_ += static_cast<double>((starts[rank_ + 1] - starts[rank_]) * (size() - 1));
  }
  void collect_bytes(std::span<const char> own, std::span<const Index> starts, std::span<char> all) const override {
    meet(own.data(), [&] {
      for (int r = 0; r < size() && rank_ == 0; ++r)
        std::copy_n(static_cast<const char*>(meeting_.places[r]), starts[r + 1] - starts[r], all.begin() + starts[r]);
    });
    if (rank_ > 0) bytes_ += static_cast<double>(own.size());
  }
  double bytes_sent() const override { return bytes_; }

 private:
  template <class Use>
  void meet(const void* place, const Use& use) const {
    meeting_.places[rank_] = place;
    meeting_.barrier.arrive_and_wait();
    use();
    meeting_.barrier.arrive_and_wait();
  }
  template <class Value>
  void add_up(std::span<Value> values) const {
    const std::vector<Value> own(values.begin(), values.end());
    meet(own.data(), [&] {
      std::ranges::fill(values, Value(0));
      for (int r = 0; r < size(); ++r) {
        const auto* from = static_cast<const Value*>(meeting_.places[r]);
        for (std::size_t e = 0; e < values.size(); ++e) values[e] += from[e];
      }
    });
    bytes_ += static_cast<double>(values.size_bytes()) * (size() - 1);
  }
  template <class Value>
  void add_parts(std::span<const Value> values, std::span<const Index> starts, std::span<Value> own) const {
    meet(values.data(), [&] {
      std::ranges::fill(own, Value(0));
      for (int r = 0; r < size(); ++r) {
        const auto* from = static_cast<const Value*>(meeting_.places[r]) + starts[rank_];
        for (std::size_t e = 0; e < own.size(); ++e) own[e] += from[e];
      }
    });
    bytes_ += static_cast<double>(values.size_bytes() - own.size_bytes());
  }

  Meeting& meeting_;
  int rank_;
  mutable double bytes_ = 0;
};

// Runs work(team) on so many threads, each a member of the team.
inline void with_team(int size, const std::function<void(const Team&)>& work) {
  ThreadTeam::Meeting meeting(size);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        work(ThreadTeam(meeting, rank));
      } catch (...) {
        failures[rank] = std::current_exception();
        meeting.barrier.arrive_and_drop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace copse::testing
