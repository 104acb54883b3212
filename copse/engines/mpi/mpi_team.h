// The processes of one run under mpirun or srun.
#pragma once

#include <memory>
#include <string>

#include "copse/base/team.h"

namespace copse {

// Whether this program was built with MPI; if not, what to do about it.
bool has_mpi();
std::string how_to_get_mpi();

// How many processes the launcher (mpirun, srun) has started, as its environment says; 1: there is none.
int launched_processes();

// Joins the others. Call it once, from main(). All leave together when it is destroyed. Throws InvalidArgument where
// the program was built without MPI.
std::unique_ptr<Team> join_processes();

// Ends all processes of the run at once, for one that failed cannot leave the others waiting. Does not return.
[[noreturn]] void end_all_processes(int exit_code);

}  // namespace copse
