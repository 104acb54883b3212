#include "apps/copse/tree_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/copse/factor_run.h"
#include "apps/copse/interrupt.h"
#include "apps/copse/memory.h"
#include "apps/copse/split_log.h"
#include "apps/copse/topics.h"
#include "apps/copse/tree_model.h"
#include "apps/copse/words.h"
#include "copse/base/error.h"
#include "copse/io/output_folder.h"
#include "copse/kernels/gram.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/clusters.h"
#include "copse/tree/edit.h"
#include "copse/tree/flatten.h"

namespace copse {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

// A table of partitions larger than this is not written; the numbers of the splits in tree.json tell the same.
constexpr double most_partition_cells = 2e7;
constexpr std::size_t most_versions = 10;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Everything that is written about a tree.
template <class T>
struct Result {
  TreeModel<T> model;
  TreeTexts texts;
  RunReport report;
  std::vector<Index> flat;  // the leaf of every item by flattening, or empty

  const Tree<T>& tree() const { return model.versions.back(); }
};

// Clusters numbered as tree.leaf_nodes(); outliers are a cluster of their own (thesis 5.6.3).
template <class T>
std::vector<Index> numbered(const Tree<T>& tree, std::vector<Index> leaf) {
  std::vector<Index> number(tree.nodes.size(), 0);
  for (std::size_t n = 0; n < number.size(); ++n) number[n] = static_cast<Index>(n);
  for (Index& label : leaf) label = label < 0 ? static_cast<Index>(tree.nodes.size()) : number[label];
  return leaf;
}

template <class T>
void measure(const MatrixInput<T>& input, Result<T>& result) {
  const std::vector<std::string> classes = kept_classes(input);
  if (classes.empty()) return;
  const auto truth = label_numbers(classes);
  const Tree<T>& tree = result.tree();
  for (int s = 1; s <= tree.splits(); ++s)
    result.texts.partitions.push_back(compare_clusterings(numbered(tree, tree.partition(s)), truth));
  result.report.measures = compare_clusterings(numbered(tree, tree.partition(tree.splits())), truth);
  if (!result.flat.empty()) result.texts.flat = compare_clusterings(numbered(tree, result.flat), truth);
}

template <class T>
void describe_leaves(Result<T>& result, const std::vector<std::string>& classes) {
  const Tree<T>& tree = result.tree();
  const auto leaves = tree.leaf_nodes();
  std::vector<Index> number(tree.nodes.size(), -1);
  for (std::size_t c = 0; c < leaves.size(); ++c) {
    const TreeNode<T>& node = tree.nodes[leaves[c]];
    number[leaves[c]] = static_cast<Index>(c);
    Topic topic;
    topic.items = static_cast<Index>(node.items.size());
    for (std::size_t r = 0; r < std::min<std::size_t>(result.texts.top, node.topic.terms.size()); ++r) {
      const auto& names = result.texts.feature_names;
      topic.top_features.emplace_back(names.empty() ? std::to_string(node.topic.terms[r]) : names[node.topic.terms[r]],
                                      static_cast<double>(node.topic.weights[r]));
    }
    result.report.topics.push_back(std::move(topic));
  }
  auto labels = tree.partition(tree.splits());
  for (Index& label : labels) label = label < 0 ? -1 : number[label];
  result.report.items_without_cluster = std::ranges::count(labels, Index(-1));
  if (!classes.empty()) add_main_classes(result.report.topics, labels, classes);
}

// Fits all items to the leaves' topics; the relative error is that of this flat model.
template <class T>
void fit_flat(const Data<T>& x, Result<T>& result) {
  result.model.topics = leaf_topics(x, result.tree());
  const Matrix<T> h = flatten(x, result.model.topics);
  const auto leaves = result.tree().leaf_nodes();
  for (const Index label : cluster_items(h).labels) result.flat.push_back(label < 0 ? -1 : leaves[label]);
  Matrix<T> products;
  x.transpose_times(result.model.topics, products);
  const double squared = x.squared_norm() - 2 * dot(products, h) + dot(gram(result.model.topics), gram(h));
  result.report.relative_error = x.squared_norm() > 0 ? std::sqrt(std::max(0.0, squared) / x.squared_norm()) : 0;
}

template <class T>
double relative_error_of_leaves(const Tree<T>& tree) {
  double rest = tree.nodes[0].squared_norm;
  for (const Index leaf : tree.leaf_nodes()) rest -= tree.nodes[leaf].explained;
  return tree.nodes[0].squared_norm > 0 ? std::sqrt(std::max(0.0, rest) / tree.nodes[0].squared_norm) : 0;
}

template <class T>
void write_files(OutputFolder& folder, Result<T>& result) {
  folder.add("tree.json").write(tree_json(result.tree(), result.texts));
  folder.add("tree.newick").write(tree_newick(result.tree()));
  folder.add("assignments.tsv").write(tree_assignments_tsv(result.tree(), result.texts, result.flat));
  folder.add("topics.tsv").write(topics_tsv(result.report.topics));
  const double cells = static_cast<double>(result.texts.item_names.size()) * result.tree().splits();
  if (cells <= most_partition_cells) {
    folder.add("partitions.tsv").write(partitions_tsv(result.tree(), result.texts));
  } else {
    result.report.notes.push_back(
        "partitions.tsv would be too large; the numbers of the splits in tree.json tell the same.");
  }
  OutputFile& file = folder.add("model.safetensors");
  write_tree_model(file, result.model, result.report.settings);
  file.finish();
}

template <class T>
void show(const Result<T>& result, const OutputOptions& output, Terminal& terminal) {
  const RunReport& report = result.report;
  for (const std::string& note : report.notes) terminal.say("note: " + note);
  if (!result.texts.explanation.empty()) terminal.say("note: " + result.texts.explanation);
  terminal.say(fmt::format("{}, {} set aside; {}; peak memory {}", counted(result.tree().leaves, "leaf node"),
                           counted(report.items_without_cluster, "item"), in_seconds(report.seconds.total),
                           in_bytes(static_cast<double>(report.peak_memory_bytes))));
  if (report.measures) terminal.say("tree: " + measures_line(*report.measures));
  if (result.texts.flat) terminal.say("flat: " + measures_line(*result.texts.flat));
  if (!output.folder.empty()) terminal.say("written: " + output.folder);
  if (output.json) {
    print_data(to_json(report));
  } else if (output.folder.empty() || !output.quiet) {
    print_data(tree_table(result.tree(), result.texts, ::isatty(STDOUT_FILENO) != 0 ? terminal_width() : 0));
  }
}

Settings settings_of(const TreeRunOptions& options, const TreeOptions& tree) {
  Settings settings = settings_of(options.input);
  const Settings own = {{"leaves", static_cast<std::int64_t>(tree.leaves)},
                        {"score", name_of(score_choices(), tree.score)},
                        {"pick", name_of(pick_choices(), tree.pick)},
                        {"min_score", tree.min_score},
                        {"outlier_trials", static_cast<std::int64_t>(tree.outlier_trials)},
                        {"imbalance", tree.imbalance},
                        {"tolerance", tree.tolerance},
                        {"max_iterations", static_cast<std::int64_t>(tree.max_iterations)},
                        {"precision", name_of(precision_choices(), options.machine.precision)}};
  settings.insert(settings.end(), own.begin(), own.end());
  return settings;
}

// Two runs with the same number have the same factorizations under the same keys.
template <class T>
std::uint64_t fingerprint(const Data<T>& x, const TreeOptions& tree) {
  std::uint64_t sum = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t word) { sum = (sum ^ word) * 0x100000001b3, sum ^= sum >> 29; };
  for (const Index value : {x.rows(), x.cols(), x.nonzeros()}) add(static_cast<std::uint64_t>(value));
  for (const double value : {x.squared_norm(), tree.tolerance, tree.imbalance, tree.min_score})
    add(std::bit_cast<std::uint64_t>(value));
  for (const std::int64_t value : {static_cast<std::int64_t>(tree.score), static_cast<std::int64_t>(tree.pick),
                                   std::int64_t{tree.max_iterations}, std::int64_t{tree.outlier_trials}})
    add(static_cast<std::uint64_t>(value));
  add(tree.seed);
  return sum;
}

template <class T>
int run_tree_of(const TreeRunOptions& options) {
  Terminal terminal(options.output.quiet);
  const auto folder = open_folder(options.output);
  const auto start = Clock::now();
  Result<T> result;
  RunReport& report = result.report;
  MatrixInput<T> input;
  TreeOptions tree = options.tree;
  std::unique_ptr<SplitLog<T>> log;
  with_threads(options.machine.threads, &interruption(), [&] {
    input = load<T>(options.input, options.machine, 1, terminal, report.seconds);
    tree.score = options.score.value_or(input.data.feature_names.empty() ? Score::error : Score::mndcg);
    const auto began = Clock::now();
    const auto x = in_memory(input.data);
    if (folder != nullptr) {
      log = std::make_unique<SplitLog<T>>(options.output.folder + std::string(partial_mark) + "splits",
                                          fingerprint(*x, tree), options.resume);
    }
    tree.progress = [&](const TreeProgress& progress) {
      terminal.show(fmt::format("splitting: {} of {} leaves ...", progress.leaves, progress.wanted));
      return true;
    };
    result.model.versions.push_back(build_tree(*tree_data(input.data), tree, log.get()));
    if (log != nullptr && log->recalled() > 0) {
      report.notes.push_back(fmt::format("{} of {} factorizations were taken from the run before.", log->recalled(),
                                         result.tree().cost.factorizations));
    }
    report.relative_error = relative_error_of_leaves(result.tree());
    if (options.flat) {
      terminal.show("fitting all items to the leaves ...");
      fit_flat(*x, result);
    } else {
      result.model.topics = leaf_topics(result.tree());
    }
    report.seconds.solve = seconds_since(began);
  });
  with_threads(options.machine.threads, nullptr, [&] {
    result.texts = {.feature_names = input.data.feature_names,
                    .item_names = input.all_item_names,
                    .kept_items = input.preparation.kept_items,
                    .top = options.top};
    if (result.texts.kept_items.size() == result.texts.item_names.size()) result.texts.kept_items.clear();
    result.texts.explanation = explain_leaves(result.tree(), tree.leaves);
    TreeModel<T>& model = result.model;
    model.feature_names = input.data.feature_names;
    model.item_names = input.all_item_names;
    model.kept_items = result.texts.kept_items;
    model.feature_factors = input.preparation.feature_factors;
    report.command = "tree";
    report.version = COPSE_VERSION;
    report.settings = settings_of(options, tree);
    report.seed = tree.seed;
    report.threads = thread_count();
    report.k = result.tree().leaves;
    report.rows = input.data.features();
    report.cols = input.data.items();
    report.nonzeros = input.data.nonzeros();
    report.iterations = static_cast<int>(result.tree().cost.iterations);
    report.stop_reason = result.tree().stop_reason;
    report.notes.insert(report.notes.begin(), input.notes.begin(), input.notes.end());
    measure(input, result);
    describe_leaves(result, kept_classes(input));
    const auto began = Clock::now();
    if (folder != nullptr) write_files(*folder, result);
    report.seconds.write = seconds_since(began);
    report.seconds.total = seconds_since(start);
    report.peak_memory_bytes = peak_memory();
    if (folder != nullptr) {
      folder->add("result.json").write(to_json(report));
      folder->commit();
      log->remove();
    }
    show(result, options.output, terminal);
  });
  return interrupted_exit_code();
}

// What result.json of a tree says about how it was made.
struct Origin {
  Json json;

  explicit Origin(const std::string& folder) {
    const std::string path = folder + "/result.json";
    std::ifstream file(path);
    if (!file) throw InputError(fmt::format("{} cannot be read: is {} the folder of a tree?", path, folder));
    json = Json::parse(file, nullptr, false);
    if (json.is_discarded() || !json.contains("settings") || !json["settings"].contains("leaves"))
      throw InputError(fmt::format("{} is not the result of `copse tree`.", path));
  }

  template <class Value>
  Value setting(const char* name) const {
    try {
      return json.at("settings").at(name).get<Value>();
    } catch (const Json::exception&) {
      throw InputError(fmt::format("result.json has no usable setting \"{}\".", name));
    }
  }

  template <class Value>
  Value choice(const char* name, const Choices<Value>& choices) const {
    const auto word = setting<std::string>(name);
    for (const auto& [text, value] : choices) {
      if (text == word) return value;
    }
    throw InputError(fmt::format("result.json has the unknown setting \"{}\": \"{}\".", name, word));
  }

  MatrixInputOptions input() const {
    MatrixInputOptions options;
    options.path = setting<std::string>("matrix");
    options.reading.items = setting<std::string>("items") == "rows" ? Items::rows : Items::columns;
    options.feature_names = setting<std::string>("features");
    options.item_names = setting<std::string>("item_names");
    options.prepare.min_feature_total = setting<double>("min_count");
    options.prepare.min_item_total = setting<double>("min_words");
    options.prepare.drop_empty = setting<bool>("drop_empty");
    options.prepare.drop_duplicates = setting<bool>("drop_duplicates");
    options.prepare.weighting = choice("weights", weighting_choices());
    options.prepare.feature_scaling = choice("scale", scaling_choices());
    options.prepare.unit_items = setting<bool>("unit_columns");
    options.prepare.normalized_cut = setting<bool>("normalized_cut");
    return options;
  }

  TreeOptions tree() const {
    TreeOptions options;
    options.score = choice("score", score_choices());
    options.pick = choice("pick", pick_choices());
    options.min_score = json["settings"]["min_score"].is_null() ? -std::numeric_limits<double>::infinity()
                                                                : setting<double>("min_score");
    options.outlier_trials = setting<int>("outlier_trials");
    options.imbalance = setting<double>("imbalance");
    options.tolerance = setting<double>("tolerance");
    options.max_iterations = setting<int>("max_iterations");
    options.seed = json.value("seed", std::uint64_t{0});
    return options;
  }

  Settings settings() const {
    Settings all;
    for (const auto& [name, value] : json["settings"].items()) {
      if (value.is_boolean()) all.emplace_back(name, value.get<bool>());
      if (value.is_number_integer()) all.emplace_back(name, value.get<std::int64_t>());
      if (value.is_number_float()) all.emplace_back(name, value.get<double>());
      if (value.is_string()) all.emplace_back(name, value.get<std::string>());
      if (value.is_null()) all.emplace_back(name, -std::numeric_limits<double>::infinity());
    }
    return all;
  }
};

// Makes the change and says what it was.
template <class T>
std::string change(const EditOptions& options, const Origin& origin, Tree<T>& tree, Terminal& terminal) {
  if (options.cut) {
    cut(tree, *options.cut);
    return fmt::format("cut to {}", counted(*options.cut, "leaf node"));
  }
  if (options.merge) {
    merge(tree, tree.find(*options.merge));
    return "merged what was below " + *options.merge;
  }
  if (options.drop) {
    drop(tree, tree.find(*options.drop));
    return "dropped " + *options.drop;
  }
  if (options.rename) {
    tree.nodes[tree.find(*options.rename)].name = options.name;
    return fmt::format("renamed {} to \"{}\"", *options.rename, options.name);
  }
  const Index node = tree.find(*options.split), before = tree.leaves;
  Seconds seconds;
  const MatrixInput<T> input = load<T>(origin.input(), {.threads = options.threads}, 1, terminal, seconds);
  TreeOptions tree_options = origin.tree();
  tree_options.leaves = options.into;
  grow(tree, node, *tree_data(input.data), tree_options);
  if (tree.leaves == before) throw InvalidArgument("Node " + *options.split + " cannot be split further.");
  return fmt::format("split {} into {}", *options.split, tree.leaves - before + 1);
}

template <class T>
int run_edit_of(const EditOptions& options, const Origin& origin) {
  Terminal terminal(options.quiet);
  const auto start = Clock::now();
  Result<T> result;
  TreeModel<T>& model = result.model;
  with_threads(options.threads, &interruption(), [&] {
    model = read_tree_model<T>(options.folder + "/model.safetensors");
    if (options.undo) {
      if (model.versions.size() < 2) throw InvalidArgument("There is nothing to undo.");
      model.versions.pop_back();
      model.history.pop_back();
      return;
    }
    Tree<T> edited = model.versions.back();
    const std::string done = change(options, origin, edited, terminal);
    model.versions.push_back(std::move(edited));
    model.history.push_back(done);
    if (model.versions.size() > most_versions) model.versions.erase(model.versions.begin());
    terminal.say(done);
  });
  with_threads(options.threads, nullptr, [&] {
    model.topics = leaf_topics(result.tree());
    result.texts = {.feature_names = model.feature_names,
                    .item_names = model.item_names,
                    .kept_items = model.kept_items,
                    .top = 10,
                    .history = model.history};
    RunReport& report = result.report;
    report.command = "edit";
    report.version = COPSE_VERSION;
    report.settings = origin.settings();
    report.seed = origin.tree().seed;
    report.threads = thread_count();
    report.k = result.tree().leaves;
    report.rows = result.tree().rows;
    report.cols = result.tree().cols;
    report.nonzeros = origin.json.value("nonzeros", Index(0));
    report.relative_error = relative_error_of_leaves(result.tree());
    report.stop_reason = StopReason::converged;
    describe_leaves(result, {});
    OutputFolder folder(options.folder, true);
    write_files(folder, result);
    report.seconds.total = seconds_since(start);
    report.peak_memory_bytes = peak_memory();
    folder.add("result.json").write(to_json(report));
    folder.commit();
    show(result, {.folder = options.folder, .json = options.json, .quiet = options.quiet}, terminal);
  });
  return interrupted_exit_code();
}

}  // namespace

const Choices<Score>& score_choices() {
  static const Choices<Score> choices = {{"mndcg", Score::mndcg},           {"error", Score::error},
                                         {"rank1-gain", Score::rank1_gain}, {"fit", Score::fit},
                                         {"rank1", Score::rank1},           {"rank2", Score::rank2}};
  return choices;
}

const Choices<Pick>& pick_choices() {
  static const Choices<Pick> choices = {{"score", Pick::score}, {"size", Pick::size}};
  return choices;
}

int run_tree(const TreeRunOptions& options) {
  return options.machine.precision == Precision::single ? run_tree_of<float>(options) : run_tree_of<double>(options);
}

int run_edit(const EditOptions& options) {
  const Origin origin(options.folder);
  return origin.choice("precision", precision_choices()) == Precision::single ? run_edit_of<float>(options, origin)
                                                                              : run_edit_of<double>(options, origin);
}

}  // namespace copse
