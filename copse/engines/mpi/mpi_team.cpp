#include "copse/engines/mpi/mpi_team.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "copse/base/error.h"
#include "copse/base/traffic.h"

#ifdef COPSE_HAS_MPI
#include <mpi.h>
#endif

namespace copse {

std::string how_to_get_mpi() {
  return "this copse was built without MPI: install libopenmpi-dev (or libmpich-dev) and build it again";
}

int launched_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"}) {
    if (const char* size = std::getenv(name)) return std::max(1, std::atoi(size));
  }
  // srun starts any program so; one that was started alone is no team.
  if (std::getenv("PMIX_RANK") != nullptr || std::getenv("SLURM_STEP_NUM_TASKS") != nullptr) {
    const char* size = std::getenv("SLURM_STEP_NUM_TASKS");
    return size == nullptr ? 2 : std::max(1, std::atoi(size));
  }
  return 1;
}

#ifndef COPSE_HAS_MPI

bool has_mpi() { return false; }
std::unique_ptr<Team> join_processes() { throw InvalidArgument(how_to_get_mpi() + "."); }
void end_all_processes(int exit_code) { std::quick_exit(exit_code); }

#else

namespace {

int count_of(Index count) {
  if (count > std::numeric_limits<int>::max())
    throw InvalidArgument("a message of more than 2^31 - 1 numbers cannot be sent; use more processes.");
  return static_cast<int>(count);
}

class MpiTeam final : public Team {
 public:
  MpiTeam() {
    int given = 0;
    // Collectives are called between parallel loops, by whichever thread the loop returned to.
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    if (given < MPI_THREAD_SERIALIZED) throw InvalidArgument("this MPI does not let threads call it one at a time.");
  }
  ~MpiTeam() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void sum(std::span<double> values) const override { add_up(values, MPI_DOUBLE); }
  void sum(std::span<float> values) const override { add_up(values, MPI_FLOAT); }
  void sum(std::span<std::int32_t> values) const override { add_up(values, MPI_INT32_T); }

  void sum_parts(std::span<const float> values, std::span<const Index> starts, std::span<float> own) const override {
    exchange(values, starts, own, MPI_FLOAT);
  }
  void sum_parts(std::span<const double> values, std::span<const Index> starts, std::span<double> own) const override {
    exchange(values, starts, own, MPI_DOUBLE);
  }

  void share_bytes(std::span<char> bytes, std::span<const Index> starts) const override {
    // In units that keep the counts of large arrays small.
    Index unit = 1;
    for (; unit < 8 && std::ranges::all_of(starts, [&](Index start) { return start % (2 * unit) == 0; });) unit *= 2;
    const MPI_Datatype kind = unit == 8 ? MPI_UINT64_T : unit == 4 ? MPI_UINT32_T : unit == 2 ? MPI_UINT16_T : MPI_CHAR;
    std::vector<int> counts, places;
    for (int r = 0; r < size_; ++r) {
      counts.push_back(count_of((starts[r + 1] - starts[r]) / unit));
      places.push_back(count_of(starts[r] / unit));
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, bytes.data(), counts.data(), places.data(), kind,
                   MPI_COMM_WORLD);
    bytes_sent_ += static_cast<double>((starts[rank_ + 1] - starts[rank_]) * (size_ - 1));
  }

  double bytes_sent() const override { return bytes_sent_; }

 private:
  // Everyone gets everything and adds it up in the order of the ranks; a large array by parts.
  template <class Value>
  void add_up(std::span<Value> values, MPI_Datatype kind) const {
    if (size_ == 1) return;
    const auto count = static_cast<Index>(values.size());
    if (sums_by_parts(count, size_)) {
      const std::vector<Index> starts = starts_of(count);
      std::vector<Value> own(static_cast<std::size_t>(starts[rank_ + 1] - starts[rank_]));
      exchange(std::span<const Value>(values), starts, std::span<Value>(own), kind);
      std::ranges::copy(own, values.begin() + starts[rank_]);
      share(values, starts);
      return;
    }
    std::vector<Value> all(values.size() * static_cast<std::size_t>(size_));
    MPI_Allgather(values.data(), count_of(count), kind, all.data(), count_of(count), kind, MPI_COMM_WORLD);
    bytes_sent_ += static_cast<double>(values.size_bytes()) * (size_ - 1);
    std::ranges::fill(values, Value(0));
    for (std::size_t e = 0; e < all.size(); ++e) values[e % values.size()] += all[e];
  }

  template <class Value>
  void exchange(std::span<const Value> values, std::span<const Index> starts, std::span<Value> own,
                MPI_Datatype kind) const {
    const Index part = starts[rank_ + 1] - starts[rank_];
    std::vector<int> counts, places, own_counts(static_cast<std::size_t>(size_), count_of(part)), own_places;
    for (int r = 0; r < size_; ++r) {
      counts.push_back(count_of(starts[r + 1] - starts[r]));
      places.push_back(count_of(starts[r]));
      own_places.push_back(count_of(part * r));
    }
    std::vector<Value> received(static_cast<std::size_t>(part * size_));
    MPI_Alltoallv(values.data(), counts.data(), places.data(), kind, received.data(), own_counts.data(),
                  own_places.data(), kind, MPI_COMM_WORLD);
    bytes_sent_ += static_cast<double>((static_cast<Index>(values.size()) - part)) * sizeof(Value);
    std::copy_n(received.begin(), part, own.begin());
    for (int r = 1; r < size_; ++r) {
      for (Index e = 0; e < part; ++e) own[e] += received[static_cast<std::size_t>(part * r + e)];
    }
  }

  int rank_ = 0, size_ = 1;
  mutable double bytes_sent_ = 0;
};

}  // namespace

bool has_mpi() { return true; }
std::unique_ptr<Team> join_processes() { return std::make_unique<MpiTeam>(); }
void end_all_processes(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::quick_exit(exit_code);
}

#endif

}  // namespace copse
