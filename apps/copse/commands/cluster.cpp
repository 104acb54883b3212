// copse cluster: the methods that the papers compare with.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/copse/commands/input_options.h"
#include "apps/copse/commands/run_cluster.h"
#include "apps/copse/program.h"
#include "copse/base/error.h"
#include "copse/methods/method.h"
#include "copse/options/wording.h"
#include "copse/run/options.h"

namespace copse {
namespace {

constexpr const char* cluster_opening =
    "clusters of documents, a matrix or a graph by other methods than NMF\n"
    "K-means and its kin, spectral clustering, and what else the papers compare with (--method). The result is one "
    "like any other: show, assign, report and evaluate take it.\n\n";
constexpr const char* cluster_ending =
    "\nMethods that read a graph have that of the items' nearest neighbours, or with --graph the graph that is given. "
    "An item's weight tells where it lies between the two nearest centres: 1 at its own, a half midway. Prints the "
    "clusters with their best features. With -o it also writes result.json, assignments.tsv, topics.tsv, "
    "model.safetensors and report.html. Ctrl-C keeps the best result so far (exit code 130).";

constexpr const char* cluster_examples =
    "Twenty clusters of a matrix of word counts by direction:\n"
    "  copse cluster X.npz --text -k 20 --method spherical-kmeans -o out\n"
    "Documents through the graph of their neighbours:\n"
    "  copse cluster mails/ -k 20 --method spectral -o out\n"
    "Communities of a graph by its normalized cut, the best of ten starts:\n"
    "  copse cluster edges.tsv --graph -k 12 --method kernel-kmeans --runs 10\n"
    "New documents into the same clusters:\n"
    "  copse assign out new.jsonl";

// An option that one or several methods have besides what all have.
struct OwnRow {
  Option row;
  std::vector<const Method*> of;
};

std::vector<OwnRow> own_rows() {
  std::vector<OwnRow> found;
  for (const Method* method : methods_of("cluster")) {
    for (const Option& row : method->rows) {
      if (find_row(common_rows(), row.name) != nullptr) continue;
      const auto same = std::ranges::find_if(found, [&](const OwnRow& other) { return other.row.name == row.name; });
      if (same == found.end()) {
        found.push_back({row, {method}});
      } else {
        same->of.push_back(method);
      }
    }
  }
  return found;
}

struct ClusterCall : Call<ClusterRunOptions> {
  std::vector<OwnRow> own = own_rows();
  Settings given;  // of these, until the method is known
};

// The rows of single methods keep what they are given.
OptionRows kept_rows(const std::vector<OwnRow>& all) {
  RowsOf<ClusterCall> rows;
  for (const OwnRow& own : all) {
    MethodOptions defaults = options_for(*own.of.front());
    const Setting value = *own.row.value(&defaults);
    Option& row = rows.computed(
        own.row.name, own.row.kind, [value](const ClusterCall&) { return value; },
        [name = own.row.name](ClusterCall& call, const Setting& given) {
          call.given.emplace_back(name, given);
          return true;
        },
        joined(names_of(own.of), ", ") + ": " + (value == Setting(true) ? "turns off: " : "") + own.row.meaning,
        own.row.words);
    row.within(own.row.least, own.row.most).spell(own.row.spelled).otherwise(own.row.unset);
    row.in(common_rows().front().group);
    if (row.kind == OptionKind::bytes && row.unset.empty()) row.otherwise(in_bytes(std::get<double>(value)));
  }
  return rows.done();
}

// What the chosen method takes, and what it does not.
void take_own(ClusterCall& call) {
  ClusterRunOptions& options = call.options;
  const Method& method = *options.method.method;
  options.method.own = method.own;
  for (const auto& [name, value] : call.given) {
    const auto own = std::ranges::find_if(call.own, [&name = name](const OwnRow& one) { return one.row.name == name; });
    const Option* const row = find_row(method.rows, name);
    if (row == nullptr) throw WrongOption(name, "it is for `method` " + joined(names_of(own->of), ", "));
    row->set(&options.method, value);
  }
  if (options.is_graph && method.traits.reads != Reads::graph)
    throw WrongOption("graph", method.name + " reads items, not a graph");
  if (options.is_graph) options.input.items.documents.reset();
}

std::string described_methods() {
  std::string lines;
  for (const Method* method : methods_of("cluster")) lines += fmt::format("{}: {}\n", method->name, method->meaning);
  return lines;
}

}  // namespace

void add_cluster(Program& program) {
  auto call = std::make_shared<ClusterCall>();
  OptionRows rows = copse::rows<ClusterRunOptions>();
  row_of(rows, "clusters").needed();
  Command command = program.add("cluster", cluster_opening + described_methods() + cluster_ending, cluster_examples,
                                [call] { return run_cluster_command(call->options, call->output, call->machine); });
  add_documents_or_matrix(command, call->options, rows);
  command.add(*call, kept_rows(call->own));
  add_output_and_machine(command, *call);
  command.then([call, command] {
    take_own(*call);
    for (const char* name : {"similarity", "neighbours", "sigma"}) {
      if (command.has(name) && !call->options.method.method->traits.reads_graph())
        throw WrongOption(name, "it is for methods that read the neighbour graph of items");
    }
  });
}

}  // namespace copse
