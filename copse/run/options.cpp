#include "copse/run/options.h"

#include <algorithm>
#include <filesystem>

#include "copse/base/error.h"
#include "copse/choose/choices.h"
#include "copse/input/options.h"
#include "copse/input/stored_input.h"
#include "copse/methods/choices.h"
#include "copse/methods/options.h"
#include "copse/options/range.h"
#include "copse/options/wording.h"
#include "copse/run/survey_method.h"

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
const OptionRows& rows<ClusterRunOptions>() {
  static const OptionRows table = [] {
    using Of = ClusterRunOptions;
    RowsOf<Of> rows;
    rows.nest([](Of & options) -> auto& { return options.input.items; });
    const std::size_t method = rows.size();
    rows.nest(&Of::method, only(common_rows(), {"clusters"}));
    rows["clusters"].at_least(1);
    rows.computed(
        "method", OptionKind::choice, [](const Of& options) { return options.method.method->name; },
        [](Of& options, const Setting& value) {
          options.method.method = &method_called(std::get<std::string>(value));
          return true;
        },
        "How clusters are found", names_of(methods_of("cluster")));
    rows.nest(&Of::method, without(common_rows(), {"clusters"})).headed(method, rows["clusters"].group);
    const std::size_t graph = rows.size();
    rows.row("graph", &Of::is_graph, "The input is a graph: edges, METIS, GraphML or a square matrix");
    rows.nest(&Of::input, only(copse::rows<GraphInputOptions>(), {"similarity", "neighbours", "sigma"}));
    rows["similarity"].means(
        "What an edge between items means; none: cosine for sparse items, self-tuning for dense ones");
    for (const char* name : {"similarity", "neighbours", "sigma"}) {
      if (rows[name].name == "neighbours") rows[name].conflicts.clear();
      rows[name].says = {};
      rows[name].not_with("graph", "it is for methods that read the neighbour graph of items");
    }
    rows.headed(graph, "Graph");
    add_top(rows, "Features to show and write per cluster");
    add_memory_limit(rows);
    return rows.done();
  }();
  return table;
}

namespace {

void add_surveyed(RowsOf<ChooseRunOptions>& rows) {
  using Of = ChooseRunOptions;
  const auto survey = [](auto field) {
    return [field](Of & options) -> auto& { return options.survey.*field; };
  };
  rows.row("clusters", survey(&SurveyOptions::ks),
           "Numbers of clusters to look at: first:last, first:last:step, or a list")
      .spell("-k,--clusters")
      .shown_as("RANGE");
  rows.row("search", &Of::search,
           "The range is a grid, such as 5:100:5: look closer around the best of it until its neighbours are there");
  const std::string factors = "method=" + default_method("factor").name;
  rows.row("for", &Of::question, "What is counted: groups of items, or components that the data needs")
      .only_with(factors, "components are told by hidden entries, which other methods do not foretell", "components");
  rows.computed(
      "method", OptionKind::choice, [](const Of& options) { return options.method->name; },
      [](Of& options, const Setting& value) {
        options.method = &survey_method(std::get<std::string>(value));
        return true;
      },
      "What is fitted, as compare calls it; only of a factorization entries are hidden", names_of(survey_methods()));
  rows.row("most_runs", survey(&SurveyOptions::runs),
           "Runs of each kind for every k, at most: 10, and 5 more at a time until the verdict is settled")
      .within(1, 1000000);
  rows.computed(
          "runs", OptionKind::whole,
          [](const Of& options) { return Setting(std::int64_t(options.until_settled ? 0 : options.survey.runs)); },
          [](Of& options, const Setting& value) {
            options.until_settled = false;
            options.survey.runs = static_cast<int>(std::get<std::int64_t>(value));
            return true;
          },
          "Just so many; at most 10 are starts, and with `for` clusters 10 with hidden entries")
      .within(1, 1000000)
      .not_with("most_runs", "one of both says how many");
  rows.row("null", survey(&SurveyOptions::null),
           "Data without clusters: uniform in the box of the principal components [Kuang 2014], or the data with each "
           "feature shuffled; automatic: box for dense data, which must stand above both, shuffled for sparse data");
  rows.row("average", &Of::average, "Of the runs");
  rows.row("most_items", survey(&SurveyOptions::most_items),
           "Items that the runs look at: of more, a sample; 0: all. The clusters at the end are those of all items")
      .within(0, 0x1p40);
  rows.row("resample", survey(&SurveyOptions::resample_share), "Share of these in each resampled run").within(0.01, 1);
  rows.row("hide", survey(&SurveyOptions::hidden_share),
           "Share of the entries that are hidden, at most: a million tell enough")
      .within(0.0001, 0.5)
      .only_with(factors);
  rows.row("all_measures", &Of::all_measures,
           "Also the gap statistic, bi-cross-validation and the perturbation test of NMFk [Nebgen et al. 2021], which "
           "take as long again, and more than 10 starts");
  rows.row("time_limit", &Of::time_limit, "Stop after this time with the verdict so far, such as 90s or 5m")
      .as(OptionKind::seconds)
      .at_least(0)
      .otherwise("none");
  rows.row("seed", survey(&SurveyOptions::seed), find_row(copse::rows<NmfOptions>(), "seed")->meaning);
}

}  // namespace

template <>
const OptionRows& rows<ChooseRunOptions>() {
  static const OptionRows table = [] {
    using Of = ChooseRunOptions;
    RowsOf<Of> rows;
    rows.nest([](Of & options) -> auto& { return options.flat.input; });
    const std::size_t survey = rows.size();
    add_surveyed(rows);
    rows.headed(survey, "Survey");
    const std::size_t fits = rows.size();
    rows.nest(&Of::flat, only(copse::rows<FlatRunOptions>(), {"solver", "affine", "sparse", "sparse_w", "tolerance",
                                                              "max_iterations", "consensus", "consensus_distance"}));
    for (std::size_t i = fits; i < rows.size(); ++i) rows[i].only_with("method=" + default_method("factor").name);
    rows.row(
            "solver", [](Of & options) -> auto& { return options.flat.nmf.solver; }, "How each fit is made")
        .only_with("method=" + default_method("factor").name);
    rows.replace();
    rows["tolerance"]
        .means("A fit ends when its projected gradient is so small")
        .otherwise("0.001; 0.0001 for dense data")
        .in(rows["solver"].group);
    rows["max_iterations"].means("Iterations per fit at most").in(rows["solver"].group);
    for (const char* name : {"consensus", "consensus_distance"}) rows[name].in("The clusters at the end");
    rows.row("resume", &Of::resume, "Take up the runs that an earlier call, or workers, left in this folder")
        .in(output_group);
    rows.computed(
            "worker", OptionKind::text,
            [](const Of& options) {
              return options.workers == 0 ? std::string()
                                          : std::to_string(options.worker) + "/" + std::to_string(options.workers);
            },
            [](Of& options, const Setting& value) {
              const std::string& text = std::get<std::string>(value);
              const auto parts = split(text, '/');
              if (text.empty()) {
                options.worker = options.workers = 0;
                return true;
              }
              if (parts.size() == 2) {
                options.worker = static_cast<int>(std::min<Index>(parse_index(parts[0], text), 100000));
                options.workers = static_cast<int>(std::min<Index>(parse_index(parts[1], text), 100000));
                if (options.worker <= options.workers) return true;
              }
              throw InvalidArgument(shown(value) + " is not I/N with I from 1 to N");
            },
            "Do every N-th run, beginning with the I-th, and write no result: for several processes at once")
        .shown_as("I/N")
        .not_with("resume", "whoever resumes makes the verdict")
        .in(output_group);
    rows.nest(&Of::flat, only(copse::rows<FlatRunOptions>(), {"memory_limit"}));
    return rows.done();
  }();
  return table;
}

template <>
const OptionRows& rows<CompareOptions>() {
  static const OptionRows table = [] {
    using Of = CompareOptions;
    RowsOf<Of> rows;
    rows.nest(&Of::input);
    const std::size_t comparison = rows.size();
    rows.row("clusters", &Of::ks, "Number of clusters: one, first:last, first:last:step, or a list")
        .spell("-k,--clusters")
        .shown_as("RANGE");
    rows.computed(
            "methods", OptionKind::list, [](const Of& options) { return joined(options.methods, ","); },
            [](Of& options, const Setting& value) {
              options.methods = split(std::get<std::string>(value), ',');
              const std::vector<std::string> known = compare_methods();
              for (const std::string& method : options.methods) {
                if (std::ranges::find(known, method) == known.end())
                  throw InvalidArgument("'" + method + "' is none of " + joined(known, ", "));
              }
              return true;
            },
            "Which methods, parted by commas, of " + joined(compare_methods(), ", "))
        .shown_as("NAMES")
        .otherwise("those that suit the data");
    rows.row("runs", &Of::runs, "Runs of each method; the best by its objective counts").within(1, 10000);
    rows.row("time_limit", &Of::time_limit,
             "Of each method with each k, such as 90s or 5m: one that would take longer is left out")
        .as(OptionKind::seconds)
        .at_least(0)
        .otherwise("none");
    rows.computed(
            "labels", OptionKind::files, [](const Of&) { return std::string(); },
            [](Of& options, const Setting& value) {
              const std::string& text = std::get<std::string>(value);
              const std::size_t equals = text.find('=');
              const std::string file = equals == std::string::npos ? text : text.substr(equals + 1);
              options.labels.push_back(
                  {equals == std::string::npos ? std::filesystem::path(file).stem().string() : text.substr(0, equals),
                   file});
              return true;
            },
            "Labels of another program as one more method: one per item, or lines of an item, a tab and its label; may "
            "be given several times")
        .shown_as("[NAME=]FILE");
    rows.row("seed", &Of::seed, find_row(copse::rows<NmfOptions>(), "seed")->meaning);
    rows.headed(comparison, "Comparison");
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

}  // namespace copse
