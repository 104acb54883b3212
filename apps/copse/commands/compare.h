// The command `compare`.
#pragma once

namespace copse {

class Program;
void add_compare(Program& program);

}  // namespace copse
