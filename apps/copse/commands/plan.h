#pragma once

namespace copse {

class Program;
void add_plan(Program& program);

}  // namespace copse
