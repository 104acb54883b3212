// Options that several commands share.
#pragma once

#include <string>

#include "apps/copse/command.h"
#include "copse/input/choices.h"
#include "copse/input/memory.h"
#include "copse/methods/choices.h"

namespace copse {

// Where results go and what is said on the way.
struct OutputOptions {
  std::string folder;  // empty: no files
  bool force = false;
  bool json = false;
  bool quiet = false;
  bool page = true;  // report.html, and the texts that it shows
  bool all = false;  // the whole tree, where a terminal gets a screen of it
};
template <>
const OptionRows& rows<OutputOptions>();  // without `all`

// How a run uses the machine.
struct MachineOptions {
  int threads = 0;  // 0: all
  Precision precision = Precision::single;
  double memory_limit = 0;  // bytes; 0: what the machine has to spare
};
template <>
const OptionRows& rows<MachineOptions>();  // without `engine`

// What a run is called with.
template <class Options>
struct Call {
  Options options = {};
  OutputOptions output = {};
  MachineOptions machine = {};
};
// Options for the result and of the machine that the run's own have not; `all`: it shows a tree.
template <class Options>
void add_output_and_machine(Command& command, Call<Options>& call, bool all = false) {
  command.add(call.output, all ? rows<OutputOptions>() : without(rows<OutputOptions>(), {"all"}));
  command.add(call.machine, only(rows<MachineOptions>(), {"threads", "precision"}));
}

}  // namespace copse
