// copse plan: what a run would need, before it runs.
#include "copse/advise/plan.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/copse/commands/input_options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/terminal.h"
#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/input/options.h"
#include "copse/options/wording.h"
#include "copse/run/options.h"

namespace copse {
namespace {

constexpr const char* plan_description =
    "memory, reads, messages and time that a run would take\n"
    "Looks at the header of a matrix file, measures this machine for about a second, and says what `copse factor -k` "
    "or `copse tree --leaves` would need: where the entries would be, the memory of a process at most, the bytes that "
    "it reads and sends, and the time on a machine that does nothing else. With --nodes each node runs one process "
    "with --threads threads, and messages take --latency and --bandwidth. Nothing is factored.";

constexpr const char* plan_examples =
    "Does it fit, and how long would it take?\n"
    "  copse plan big.copse -k 100 --memory-limit 8G\n"
    "A tree on sixteen machines like this one:\n"
    "  copse plan big.copse --leaves 60 --nodes 16\n"
    "A matrix that is not there yet, features x items x entries:\n"
    "  copse plan --sizes 100000x4500000x500000000 -k 100 --nodes 64 --json";

struct PlanCommand {
  InputOptions input;
  PlanOptions plan;
  MachineOptions machine;
  OutputOptions output;
  Index clusters = 0, leaves = 0;
  std::vector<Index> sizes;
  std::vector<int> nodes = {1};
};

// Whole numbers from 1 on, with `separator` between them; empty: they are not that.
template <class Number>
std::vector<Number> parse_list(const std::string& text, char separator) {
  std::vector<Number> numbers;
  for (const std::string& part : split(text, separator)) {
    Number number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc() || end != part.data() + part.size() || number < 1) return {};
    numbers.push_back(number);
  }
  return numbers;
}

OptionRows plan_rows() {
  using Of = PlanCommand;
  RowsOf<Of> rows;
  rows.nest(&Of::input);
  OptionRows input = only(rows.done(), {"matrix", "items"});
  make_argument(input[0], "MATRIX").means(matrix_description).required = false;
  rows.add(input[0]);
  rows.computed(
          "sizes", OptionKind::text,
          [](const Of& command) { return std::string(command.sizes.empty() ? "" : "given"); },
          [](Of& command, const Setting& value) {
            command.sizes = parse_list<Index>(std::get<std::string>(value), 'x');
            if (command.sizes.size() != 3)
              throw InvalidArgument(shown(value) + " is not FEATURESxITEMSxENTRIES, three whole numbers");
            return true;
          },
          "A sparse matrix in thought instead of a file: features, items and entries with x between them")
      .shown_as("SIZES");
  rows.add(input[1]);
  const std::size_t plan = rows.size();
  rows.row("clusters", &Of::clusters, "Flat clusters, as copse factor finds them").at_least(1).spell("-k,--clusters");
  rows.row("leaves", &Of::leaves, "A tree with so many leaves, as copse tree grows it").at_least(2);
  const auto of_plan = [](auto field) {
    return [field](Of & command) -> auto& { return command.plan.*field; };
  };
  rows.row("iterations", of_plan(&PlanOptions::iterations), "Iterations of flat clusters; a run may stop before")
      .within(1, 1000000);
  rows.computed(
          "nodes", OptionKind::text, [](const Of& command) { return fmt::format("{}", fmt::join(command.nodes, ",")); },
          [](Of& command, const Setting& value) {
            command.nodes = parse_list<int>(std::get<std::string>(value), ',');
            if (command.nodes.empty())
              throw InvalidArgument(shown(value) + " is not a number of nodes, or a list such as 1,2,4");
            return true;
          },
          "Processes that share the items, one per node; several numbers give a plan each")
      .shown_as("N[,N...]");
  rows.row(
          "latency", [](Of & command) -> auto& { return command.plan.network.latency; },
          "That a message takes before its first byte")
      .as(OptionKind::seconds)
      .otherwise("2 microseconds");
  rows.row(
          "bandwidth", [](Of & command) -> auto& { return command.plan.network.bandwidth; },
          "Bytes per second that a node can send")
      .as(OptionKind::bytes)
      .otherwise("10G");
  rows.headed(plan, "Plan");
  rows.nest(&Of::machine);
  rows.add(*find_row(copse::rows<FlatRunOptions>(), "engine")).locate = [](void* command) -> void* {
    return &static_cast<Of*>(command)->plan.job.engine;
  };
  return rows.done();
}

nlohmann::ordered_json json_of(const PlannedFile& file, const Speed& speed, const PlanOptions& options,
                               const Plan& plan) {
  return {{"command", options.job.gives == Gives::tree ? "tree" : "factor"},
          {"k", options.job.clusters},
          {"rows", file.summary.features},
          {"cols", file.summary.items},
          {"nonzeros", file.summary.nonzeros},
          {"nodes", options.processes},
          {"threads", options.threads},
          {"iterations", options.iterations},
          {"engine", plan.engine},
          {"in_file", plan.in_file},
          {"problem", plan.problem},
          {"memory_bytes", plan.memory},
          {"memory_limit_bytes", plan.limit},
          {"scratch_bytes", plan.spilled},
          {"file_reads", plan.file_reads},
          {"bytes_read", plan.bytes_read},
          {"bytes_sent_per_iteration", plan.iteration.bytes},
          {"bytes_sent", plan.traffic.bytes},
          {"message_seconds", plan.traffic.seconds},
          {"cpu_seconds", plan.cpu_seconds},
          {"seconds", plan.seconds},
          {"measured",
           {{"seconds_per_entry", speed.entry},
            {"seconds_per_row", speed.row},
            {"seconds_per_entry_fetched", speed.fetch},
            {"reads_per_level", speed.reads_per_level},
            {"reads_per_split", speed.reads_per_split}}}};
}

std::string described(const Plan& plan, const PlanOptions& options) {
  const bool several = options.processes > 1;
  const char* each = several ? " per process" : "";
  std::string text = several ? fmt::format("engine    {} processes, one per node, the entries in {}\n",
                                           options.processes, plan.in_file ? "their file" : "memory")
                             : fmt::format("engine    {}\n", plan.engine);
  text += fmt::format("memory    {}{} of {}\n", in_bytes(plan.memory), each, in_bytes(plan.limit));
  if (plan.spilled > 0) text += fmt::format("scratch   {} of the disk for coefficients\n", in_bytes(plan.spilled));
  text += fmt::format("reads     {}{}, the file {:.3g} times\n", in_bytes(plan.bytes_read), each, plan.file_reads);
  const bool flat = options.job.gives == Gives::flat;
  if (several) {
    text += fmt::format("messages  {}{}{}; {}\n", in_bytes(plan.traffic.bytes), each,
                        flat ? fmt::format(", {} per iteration", in_bytes(plan.iteration.bytes)) : "",
                        in_seconds(plan.traffic.seconds));
  }
  text += fmt::format("time      {}{}, {} of CPU{}\n", in_seconds(plan.seconds),
                      flat ? fmt::format(" for {} iterations", options.iterations) : "", in_seconds(plan.cpu_seconds),
                      each);
  if (!plan.problem.empty()) text += fmt::format("refused   {}\n", plan.problem);
  return text;
}

int run(const PlanCommand& command) {
  Terminal terminal(command.output.quiet);
  PlanOptions options = command.plan;
  const bool tree = command.leaves > 0;
  options.job.gives = tree ? Gives::tree : Gives::flat;
  options.job.clusters = tree ? command.leaves : command.clusters;
  options.job.option = tree ? "`leaves`" : "`clusters`";
  options.job.memory_limit = command.machine.memory_limit;
  options.job.has_page = true;
  options.precision = command.machine.precision;
  options.threads = command.machine.threads > 0 ? command.machine.threads : thread_count();
  const PlannedFile file = command.sizes.empty() ? planned_file(command.input)
                                                 : planned_file(command.sizes[0], command.sizes[1], command.sizes[2],
                                                                command.machine.precision);
  terminal.show("measuring this machine ...");
  const std::string& path = command.sizes.empty() ? command.input.path : std::string();
  const Speed speed = measure_speed(file, path, command.input.reading, options);
  nlohmann::ordered_json plans = nlohmann::ordered_json::array();
  std::string text = fmt::format(
      "matrix    {} x {}, {}\n", counted(file.summary.features, "feature"), counted(file.summary.items, "item"),
      file.summary.nonzeros < 0 ? "entries not known" : counted(file.summary.nonzeros) + " entries");
  for (const int nodes : command.nodes) {
    options.processes = nodes;
    const Plan plan = plan_run(file, speed, options);
    plans.push_back(json_of(file, speed, options, plan));
    text += described(plan, options);
  }
  if (command.output.json) {
    print_json((plans.size() == 1 ? plans[0] : plans).dump(2));
  } else {
    print_data(text);
  }
  return 0;
}

}  // namespace

void add_plan(Program& program) {
  auto options = std::make_shared<PlanCommand>();
  Command command = program.add("plan", plan_description, plan_examples, [options] { return run(*options); });
  options->plan.job.engine = Engine::automatic;
  command.add(*options, plan_rows()).add(options->output, only(copse::rows<OutputOptions>(), {"json", "quiet"}));
  command.then([command] {
    if (command.has("matrix") == command.has("sizes"))
      throw WrongOption("matrix", "give the name of a file, or `sizes`");
    if (command.has("clusters") == command.has("leaves"))
      throw WrongOption("clusters", "give the number of clusters (`clusters`) or of leaves (`leaves`)");
  });
}

}  // namespace copse
