#include "apps/copse/processes.h"

#include <memory>

#include "copse/engines/mpi/mpi_team.h"

namespace copse {
namespace {

std::unique_ptr<Team> team;

}  // namespace

void join_others() {
  if (launched_processes() > 1) team = join_processes();
}

void leave_others() { team.reset(); }

const Team* processes() { return team.get(); }

bool is_first_process() { return team == nullptr || team->rank() == 0; }

void end_others(int exit_code) {
  if (team != nullptr) end_all_processes(exit_code);
}

}  // namespace copse
