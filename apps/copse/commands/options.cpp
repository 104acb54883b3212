#include "apps/copse/commands/options.h"

namespace copse {

template <>
const OptionRows& rows<OutputOptions>() {
  static const OptionRows table = [] {
    using Of = OutputOptions;
    RowsOf<Of> rows;
    rows.row("output", &Of::folder,
             "Write the result into this folder. It is created, or must be empty; its files appear together when all "
             "are complete")
        .as(OptionKind::folder)
        .spell("--output,-o");
    rows.row("force", &Of::force, "Replace an earlier result in the output folder");
    rows.row("page", &Of::page, "Write no report.html, and keep no text of documents in the model").spell("!--no-page");
    rows.row("json", &Of::json, "Print the result as one JSON object on stdout");
    rows.row("quiet", &Of::quiet, "Say nothing but errors");
    rows.row("all", &Of::all, "Print all topics, where a terminal gets a screen of the largest");
    return rows.headed(0, "Output").done();
  }();
  return table;
}

template <>
const OptionRows& rows<MachineOptions>() {
  static const OptionRows table = [] {
    using Of = MachineOptions;
    RowsOf<Of> rows;
    rows.row("threads", &Of::threads, "Threads to use; the result does not depend on it")
        .within(1, 4096)
        .otherwise("all that the machine has");
    rows.row("precision", &Of::precision, "Numbers of 4 or of 8 bytes");
    rows.row("memory_limit", &Of::memory_limit,
             "Memory to use at most, such as 8G; what cannot do with it does not start")
        .as(OptionKind::bytes)
        .otherwise("what the machine has to spare");
    return rows.headed(0, "Machine").done();
  }();
  return table;
}

}  // namespace copse
