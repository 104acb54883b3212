#include "copse/engines/mpi/mpi_team.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "copse/base/error.h"
#include "copse/engines/mpi/message_team.h"

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

// Everyone's part of an array of bytes, in units that keep the counts of large ones small.
struct ByteParts {
  MPI_Datatype kind = MPI_CHAR;
  Index unit = 1;
  std::vector<int> counts, places;

  explicit ByteParts(std::span<const Index> starts) {
    for (; unit < 8 && std::ranges::all_of(starts, [&](Index start) { return start % (2 * unit) == 0; });) unit *= 2;
    kind = unit == 8 ? MPI_UINT64_T : unit == 4 ? MPI_UINT32_T : unit == 2 ? MPI_UINT16_T : MPI_CHAR;
    for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
      counts.push_back(count_of((starts[r + 1] - starts[r]) / unit));
      places.push_back(count_of(starts[r] / unit));
    }
  }
};

class MpiTeam final : public MessageTeam {
 public:
  MpiTeam() {
    int given = 0, rank = 0, size = 1;
    // Collectives are called between parallel loops, by whichever thread the loop returned to.
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    join(rank, size);
    if (given < MPI_THREAD_SERIALIZED) throw InvalidArgument("this MPI does not let threads call it one at a time.");
  }
  ~MpiTeam() override { MPI_Finalize(); }

 private:
  void all_gather(std::span<const char> own, std::span<char> all) const override {
    const int count = count_of(static_cast<Index>(own.size()));
    MPI_Allgather(own.data(), count, MPI_CHAR, all.data(), count, MPI_CHAR, MPI_COMM_WORLD);
  }
  void all_gather_parts(std::span<char> bytes, std::span<const Index> starts) const override {
    const ByteParts parts(starts);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, bytes.data(), parts.counts.data(), parts.places.data(),
                   parts.kind, MPI_COMM_WORLD);
  }
  void exchange(std::span<const char> bytes, std::span<const Index> starts, std::span<char> received) const override {
    const ByteParts parts(starts);
    const Index part = (starts[rank() + 1] - starts[rank()]) / parts.unit;
    std::vector<int> counts(static_cast<std::size_t>(size()), count_of(part)), places;
    for (int r = 0; r < size(); ++r) places.push_back(count_of(part * r));
    MPI_Alltoallv(bytes.data(), parts.counts.data(), parts.places.data(), parts.kind, received.data(), counts.data(),
                  places.data(), parts.kind, MPI_COMM_WORLD);
  }
  void gather_parts(std::span<const char> own, std::span<const Index> starts, std::span<char> all) const override {
    const ByteParts parts(starts);
    MPI_Gatherv(own.data(), parts.counts[rank()], parts.kind, all.data(), parts.counts.data(), parts.places.data(),
                parts.kind, 0, MPI_COMM_WORLD);
  }
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
