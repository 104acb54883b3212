// The processes that make one run together, under mpirun or srun.
#pragma once

#include "copse/base/team.h"

namespace copse {

// Joins the others if a launcher has started several. Throws InvalidArgument where the program was built without MPI.
void join_others();
// Leaves, when all is done.
void leave_others();

// Null: this process is alone.
const Team* processes();
// Whether this one writes and talks: the first, or the only one.
bool is_first_process();

// One that failed cannot leave the others waiting: it ends them all. Does nothing where there are no others.
void end_others(int exit_code);

}  // namespace copse
