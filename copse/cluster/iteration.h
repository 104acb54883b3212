// One step of a method, as its history and the progress callback see it.
#pragma once

namespace copse {

struct MethodIteration {
  int number = 0;        // 1, 2, ... within a run
  double objective = 0;  // of the method, as its header says
  double seconds = 0;    // since the method began
};

}  // namespace copse
