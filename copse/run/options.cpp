#include "copse/run/options.h"

#include <cmath>

#include "copse/base/error.h"
#include "copse/input/options.h"
#include "copse/input/stored_input.h"
#include "copse/methods/choices.h"
#include "copse/methods/options.h"

namespace copse {
namespace {

constexpr const char* machine_group = "Machine";
constexpr const char* output_group = "Output";
constexpr Index most_automatic_leaves = 300;

// A number, or the word auto.
bool take_count(const Setting& value, Index& count, bool& automatic) {
  automatic = value == Setting("auto");
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number != nullptr) count = *number;
  return number != nullptr || automatic;
}

template <class Options>
void add_memory_limit(RowsOf<Options>& rows) {
  rows.row("memory_limit", &Options::memory_limit,
           "Memory to use at most, such as 8G; what cannot do with it does not start")
      .as(OptionKind::bytes)
      .at_least(0)
      .otherwise("what the machine has to spare")
      .not_stored()
      .in(machine_group);
}

// What runs on items have in common.
template <class Options>
void add_machine(RowsOf<Options>& rows) {
  add_memory_limit(rows);
  rows.row("engine", &Options::engine,
           "Where the entries are: in memory, or in a file (.copse, .h5ad, .h5, .npz without compression; a scratch "
           "file for documents), which is read again and again; automatic: in memory if they fit")
      .not_stored()
      .in(machine_group);
  rows.row("device", &Options::device,
           "Accelerator for the products with a sparse matrix: opencl or opencl:N, as copse devices lists them; a note "
           "tells the time beside the model's")
      .shown_as("NAME")
      .not_stored()
      .not_with("processes", "it runs on one process")
      .not_with("engine=disk", "a device takes a matrix that fits in memory")
      .in(machine_group);
  rows.row("explain", &Options::explain,
           "Plan the run first, as copse plan does, and note what was planned beside what it took: memory, time of the "
           "solver or of the device, bytes read and sent")
      .not_stored()
      .in(machine_group);
  rows.computed(
          "processes", OptionKind::flag, [](const Options& options) { return options.team != nullptr; },
          [](Options&, const Setting&) { return false; }, "")
      .not_stored()
      .hidden("several processes");
}

template <class Options>
Option& add_stability(RowsOf<Options>& rows, const char* meaning) {
  return rows.row("stability", &Options::stability, meaning)
      .within(0, 1000000)
      .needs_all("`stability`")
      .not_with("device", "the stability of topics runs on the CPU only")
      .not_with("explain", "no plan knows of the stability of topics")
      .template where<Options>([](const Options& options) { return options.stability > 0; });
}

template <class Options>
void add_top(RowsOf<Options>& rows, const char* meaning) {
  rows.row("top", &Options::top, meaning).at_least(1).not_stored().in(output_group);
}

void add_consensus(RowsOf<FlatRunOptions>& rows) {
  const auto is_asked_for = [](const FlatRunOptions& options) { return options.consensus.runs > 0; };
  rows.row(
          "consensus", [](FlatRunOptions & options) -> auto& { return options.consensus.runs; },
          "Make so many runs (100 is usual) and take the components that come back in them, in place of the best run "
          "[Kotliar et al. 2019]")
      .within(2, 1000000)
      .not_with("processes", "it runs on one process")
      .not_with("explain", "no plan knows of a consensus of runs")
      .where<FlatRunOptions>(is_asked_for);
  rows.row(
          "consensus_distance", [](FlatRunOptions & options) -> auto& { return options.consensus.most_distance; },
          "Leave out components with a larger mean distance, as vectors of length 1, to those nearest to them; 2: none")
      .within(0, 2)
      .only_with("consensus")
      .where<FlatRunOptions>(is_asked_for);
}

void add_start(RowsOf<FlatRunOptions>& rows) {
  using Of = FlatRunOptions;
  rows.computed(
      "start", OptionKind::file,
      [](const Of& options) { return options.start_file.empty() ? name_of(options.nmf.start) : options.start_file; },
      [](Of& options, const Setting& value) {
        const auto* text = std::get_if<std::string>(&value);
        if (text == nullptr) return false;
        options.start_file = *text;
        for (const auto& [name, start] : choices<Start>()) {
          if (name != *text) continue;
          options.nmf.start = start;
          options.start_file.clear();
        }
        return true;
      },
      "First factors: from a sample of the items (automatic for hals), random, from singular vectors (zeros kept, "
      "filled with the mean, or with small random numbers), or the model.safetensors of an earlier run",
      names_of<Start>());
  rows.replace();
  rows.row("start_file", &Of::start_file, "")
      .not_stored()
      .hidden("start")
      .not_with("processes", "a start from a file runs on one process")
      .not_with("consensus", "a consensus has starts of its own")
      .not_with("stability", "subsamples cannot start from given factors");
}

void add_solver(RowsOf<FlatRunOptions>& rows) {
  using Of = FlatRunOptions;
  std::vector<std::string> words = names_of<Solver>();
  words.push_back("dc");
  rows.computed(
          "solver", OptionKind::choice,
          [](const Of& options) { return options.dc ? std::string("dc") : name_of(options.nmf.solver); },
          [](Of& options, const Setting& value) {
            const std::string& word = std::get<std::string>(value);
            options.dc = word == "dc";
            if (!options.dc) options.nmf.solver = choice_of<Solver>("solver", word);
            return true;
          },
          "hals: the fastest; mu: multiplicative updates; dc: hals from the leaves of a tree, one iteration unless "
          "`max_iterations` says more; the others solve each step exactly or by gradients",
          std::move(words))
      .not_with("processes", "a start from a tree runs on one process", "dc")
      .not_with("consensus", "a consensus has starts of its own", "dc")
      .not_with("device", "a start from a tree runs on the CPU only", "dc")
      .not_with("explain", "no plan knows of a start from a tree", "dc");
  rows.replace();
}

}  // namespace

template <>
const FieldType& field_type<std::optional<SparseWeight>>() {
  using Field = std::optional<SparseWeight>;
  static const FieldType type{
      OptionKind::number,
      [](const void* field) -> Setting {
        const Field& weight = *static_cast<const Field*>(field);
        if (!weight) return std::string();
        if (const auto* number = std::get_if<double>(&*weight)) return *number;
        return std::string(std::get<SparseRule>(*weight) == SparseRule::snmf ? "snmf" : "thesis");
      },
      [](void* field, const Setting& value) {
        Field& weight = *static_cast<Field*>(field);
        if (const auto* number = std::get_if<double>(&value)) weight = *number;
        if (const auto* number = std::get_if<std::int64_t>(&value)) weight = static_cast<double>(*number);
        if (const auto* word = std::get_if<std::string>(&value)) {
          if (*word == "thesis") weight = SparseRule::thesis;
          if (*word == "snmf") weight = SparseRule::snmf;
          if (word->empty()) weight.reset();
          return word->empty() || *word == "thesis" || *word == "snmf";
        }
        return !std::holds_alternative<bool>(value);
      },
      {"thesis", "snmf"}};
  return type;
}

template <>
const OptionRows& rows<FlatRunOptions>() {
  static const OptionRows table = [] {
    using Of = FlatRunOptions;
    RowsOf<Of> rows;
    rows.nest(&Of::input);
    rows.nest(&Of::nmf);
    rows.computed(
            "clusters", OptionKind::whole,
            [](const Of& options) { return options.auto_k ? Setting("auto") : Setting(options.nmf.rank); },
            [](Of& options, const Setting& value) { return take_count(value, options.nmf.rank, options.auto_k); },
            "Number of clusters; auto: what `copse choose` says, of 2 to 20", {"auto"})
        .at_least(1)
        .spell("-k,--clusters")
        .not_stored()
        .not_with("explain", "no plan knows of a number of clusters that is found on the way", "auto");
    for (const char* other : {"processes", "device", "solver=dc", "start_file", "links", "vectors", "neighbour_graph"})
      rows[rows.size() - 1].not_with(other, "a survey makes its fits by itself", "auto");
    rows.replace();
    add_solver(rows);
    add_start(rows);
    const std::size_t sparse = rows.size();
    constexpr double largest = std::numeric_limits<double>::max();
    rows.row("sparse", &Of::sparse,
             "Sparse NMF: weight of the squared column sums of H. thesis [Kuang 2014]: 0.01; snmf [Kim & Park 2008]: "
             "0.1 for sparse data, 0.5 for dense")
        .shown_as("BETA|thesis|snmf")
        .within(0, largest)
        .not_stored();
    rows.row("sparse_w", &Of::sparse_w, "Weight of |W|^2. thesis: max(X)^2; snmf: max(X)")
        .shown_as("ALPHA|thesis|snmf")
        .within(0, largest)
        .otherwise("with `sparse`: as its convention, or thesis; else 0")
        .not_stored();
    rows.headed(sparse, rows["clusters"].group);
    rows.nest(&Of::joint, [](const Of& options) { return options.joint.is_asked_for(); });
    const std::size_t many = rows.size();
    add_stability(rows,
                  "Fit so many subsamples of the documents, too: each topic gets the share of its pairs that stay "
                  "together");
    add_consensus(rows);
    rows.headed(many, rows["clusters"].group);
    rows.row("exact_items", &Of::exact_items, "")
        .not_stored()
        .hidden("an exact solution for the items")
        .not_with("processes", "they do not make it");
    add_top(rows, "Features to show and write per cluster");
    add_machine(rows);
    return rows.done();
  }();
  return table;
}

template <>
const OptionRows& rows<TreeRunOptions>() {
  static const OptionRows table = [] {
    using Of = TreeRunOptions;
    RowsOf<Of> rows;
    rows.nest(&Of::input);
    rows.nest(&Of::tree);
    rows.computed(
            "leaves", OptionKind::whole, [](const Of& options) -> Setting { return options.tree.leaves; },
            [](Of& options, const Setting& value) {
              const bool taken = take_count(value, options.tree.leaves, options.auto_leaves);
              if (options.auto_leaves) options.tree.leaves = most_automatic_leaves;
              return taken;
            },
            "Leaves to stop at; auto: split only what two topics explain better than one, judged by hidden entries and "
            "beside shuffled data, up to 300 leaves",
            {"auto"})
        .at_least(1);
    rows.replace();
    rows.computed(
            "score", OptionKind::choice,
            [](const Of& options) -> Setting { return options.score ? name_of(*options.score) : std::string(); },
            [](Of& options, const Setting& value) {
              options.score = choice_of<Score>("score", std::get<std::string>(value));
              return true;
            },
            "What makes a leaf worth splitting", names_of<Score>())
        .otherwise("mndcg where features have names, else error");
    rows.replace();
    const std::size_t more = rows.size();
    rows.row("flat", &Of::flat, "Do not fit all items to the leaves' topics at the end")
        .spell("!--no-flat")
        .not_stored();
    rows.headed(more, rows["leaves"].group);
    rows.nest(&Of::joint, [](const Of& options) { return options.joint.is_asked_for(); });
    add_stability(rows,
                  "Grow trees of so many subsamples, too: each node gets the share of its pairs that stay together")
        .in(rows["leaves"].group);
    rows.row("auto_leaves", &Of::auto_leaves, "")
        .where<Of>([](const Of& options) { return options.auto_leaves; })
        .hidden("leaves")
        .needs_all("to choose the number of leaves")
        .not_with("explain", "no plan knows of a number of leaves that is found on the way");
    rows.row("resume", &Of::resume, "Continue a run into the same folder that was stopped or killed")
        .not_stored()
        .not_with("explain", "no plan knows of what a run before has left")
        .in(output_group);
    add_top(rows, "Features and items to name per node");
    add_machine(rows);
    return rows.done();
  }();
  return table;
}

template <>
const OptionRows& rows<GraphRunOptions>() {
  static const OptionRows table = [] {
    using Of = GraphRunOptions;
    RowsOf<Of> rows;
    rows.nest(&Of::input);
    rows.nest(&Of::cluster);
    const std::string group = rows["clusters"].group;
    rows.computed(
            "clusters", OptionKind::whole,
            [](const Of& options) { return options.auto_k ? Setting("auto") : Setting(options.cluster.k); },
            [](Of& options, const Setting& value) { return take_count(value, options.cluster.k, options.auto_k); },
            "Number of communities; auto: where modularity is highest, and 1 where it is no higher than in graphs with "
            "the same degrees and random edges",
            {"auto"})
        .at_least(1)
        .spell("-k,--clusters")
        .not_stored();
    rows.replace();
    // Two names for values of one number.
    rows.computed(
            "scaling", OptionKind::choice,
            [](const Of& options) { return std::string(options.cluster.tau == 0 ? "normalized-cut" : "damped"); },
            [](Of& options, const Setting& value) {
              options.cluster.tau = value == Setting("damped") ? GraphClusterOptions().tau : 0;
              return true;
            },
            "Of the weights, by degrees: damped, which keeps small loose pieces from taking communities; or D^-1/2 A "
            "D^-1/2, as in the papers",
            {"damped", "normalized-cut"})
        .not_stored()
        .in(group);
    rows.row("overlap", &Of::overlap, "A node belongs to every community where its share is at least this")
        .within(0, 1)
        .in(group);
    add_top(rows, "Central nodes to show and write per community");
    add_memory_limit(rows);
    return rows.done();
  }();
  return table;
}

template <>
const OptionRows& rows<GraphTreeRunOptions>() {
  static const OptionRows table = [] {
    using Of = GraphTreeRunOptions;
    RowsOf<Of> rows;
    rows.nest(&Of::input);
    rows.nest([](Of & options) -> auto& { return options.tree.tree; });
    const OptionRows& flat = copse::rows<GraphClusterOptions>();
    rows.row(
            "tau", [](Of & options) -> auto& { return options.tree.tau; }, find_row(flat, "tau")->meaning)
        .at_least(0);
    rows.row(
            "least_component", [](Of & options) -> auto& { return options.tree.least_component; },
            find_row(flat, "least_component")->meaning)
        .at_least(-1);
    add_top(rows, "Central nodes to name per community");
    add_memory_limit(rows);
    return rows.done();
  }();
  return table;
}

template <>
const OptionRows& rows<NewItemsOptions>() {
  static const OptionRows table = [] {
    using Of = NewItemsOptions;
    RowsOf<Of> rows;
    rows.row("items", &Of::path,
             "Documents for a result on documents, a matrix for one on a matrix, edges for one on a graph; - is stdin")
        .as(OptionKind::file);
    rows.row("format", &Of::format, "What the documents are").otherwise("by their name");
    rows.row("text", &Of::text_column, "Where the text is")
        .shown_as("COLUMN")
        .otherwise("as in the run that made the result");
    rows.row("id", &Of::id_column, "Where the name of a document is").shown_as("COLUMN").otherwise("likewise");
    rows.row("skip_bad", &Of::skip_bad, find_row(copse::rows<DocumentOptions>(), "skip_bad")->meaning);
    rows.row("features", &Of::feature_names, "A matrix: names of its features, one per line").as(OptionKind::file);
    rows.row("item_names", &Of::item_names, "A matrix: names of its items, one per line").as(OptionKind::file);
    return rows.headed(0, "Input").done();
  }();
  return table;
}

template <class Options>
Settings run_settings(const Options& options, Precision precision) {
  Settings settings;
  add_settings(options, settings);
  settings.emplace_back("precision", name_of(precision));
  return settings;
}

template Settings run_settings(const FlatRunOptions&, Precision);
template Settings run_settings(const TreeRunOptions&, Precision);
template Settings run_settings(const GraphRunOptions&, Precision);
template Settings run_settings(const GraphTreeRunOptions&, Precision);

}  // namespace copse
