#include "copse/run/compare_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <unordered_map>

#include "copse/base/error.h"
#include "copse/base/memory.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/base/version.h"
#include "copse/cluster/rival_methods.h"
#include "copse/graph/cluster_graph.h"
#include "copse/input/stored_input.h"
#include "copse/io/names.h"
#include "copse/kernels/in_memory.h"
#include "copse/kernels/top.h"
#include "copse/measure/coherence.h"
#include "copse/measure/factors.h"
#include "copse/measure/silhouette.h"
#include "copse/methods/choices.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/clusters.h"
#include "copse/options/wording.h"
#include "copse/tree/flatten.h"

namespace copse {
namespace {

// Below so many items a method is not tried on a sample first.
constexpr Index least_sampled = 2000;
constexpr Index sample_parts = 8;
constexpr double busy_factor = 4;  // how much longer than its share a sample may take, on a machine that others use
constexpr Index coherent_words = 20;
constexpr Index shown_words = 8;

// Of this process, all threads.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// What one run of any method gives.
template <class T>
struct Run {
  std::vector<Index> labels;
  Matrix<T> w;  // features x clusters
  double objective = 0;
  bool larger_is_better = false;
  std::optional<double> zero_share;
  int iterations = 0;
  std::vector<std::string> notes;
};

struct Kind {
  bool from_graph = false;
  bool random = true;
  double growth = 1;
};

bool is_other(const std::string& method) { return method != "nmf" && method != "tree" && method != "symnmf"; }

Kind kind_of(const std::string& method) {
  if (method == "nmf") return {};
  if (method == "tree") return {.random = false};
  if (method == "symnmf") return {.from_graph = true, .growth = 1.5};
  const MethodTraits& traits = traits_of(choice_of<ClusterMethod>("method", method));
  return {traits.from_graph, traits.random, traits.growth};
}

// What a run takes at least, from its count of operations; 0: nobody knows. Hottopixx goes through all pairs of an
// entry and a feature in every pass, and a sample of the items has nearly all features.
template <class T>
double least_seconds(const std::string& method, const Dataset<T>& items) {
  if (method != "hottopixx") return 0;
  constexpr double operations_per_second = 4e9;
  const double pairs = static_cast<double>(items.nonzeros()) * static_cast<double>(items.features());
  return 4 * pairs * SeparableOptions().epochs / (operations_per_second * thread_count());
}

template <class T>
Run<T> run_once(const std::string& method, const Dataset<T>& items, const Graph<T>& graph, Index k, std::uint64_t seed,
                double time_limit, Index all_items) {
  Run<T> run;
  const auto x = in_memory(items);
  if (method == "nmf") {
    NmfResult<T> found = factorize(*x, {.rank = k, .tolerance = 1e-3, .time_limit = time_limit, .seed = seed});
    const Matrix<T> h = assign_items<T>(*x, found.w, {}, {});
    run.labels = cluster_items(h).labels;
    run.objective = found.objective;
    run.zero_share = zero_share(h);
    run.iterations = found.history.empty() ? 0 : found.history.back().number;
    run.w = std::move(found.w);
  } else if (method == "tree") {
    const auto nodes = tree_data(items);
    const Tree<T> tree = build_tree(*nodes, TreeOptions{.leaves = k, .time_limit = time_limit, .seed = seed});
    run.w = leaf_topics(*x, tree);
    const Matrix<T> h = flatten(*x, run.w);
    run.labels = cluster_items(h).labels;
    run.zero_share = zero_share(h);
    run.iterations = tree.splits();
  } else if (method == "symnmf") {
    const GraphClusters<T> found = cluster_graph(graph, {.k = k, .time_limit = time_limit, .seed = seed});
    run.labels = found.labels;
    run.objective = found.runs.front().relative_error;
    run.iterations = found.runs.front().iterations;
  } else {
    MethodOptions options{
        .method = choice_of<ClusterMethod>("method", method), .k = k, .time_limit = time_limit, .seed = seed};
    // A sample takes the way that all items would take.
    const bool by_graph = options.method == ClusterMethod::affinity_propagation && all_items > most_of_all_pairs;
    MethodResult<T> found = cluster_by<T>({by_graph ? nullptr : &items, graph.nodes() > 0 ? &graph : nullptr}, options);
    run.labels = std::move(found.labels);
    run.objective = found.objective;
    run.larger_is_better = found.larger_is_better;
    run.iterations = found.iterations;
    if (found.weights.cols() > 0) run.zero_share = zero_share(found.weights);
    run.w = std::move(found.w);
    run.notes = std::move(found.notes);
  }
  return run;
}

// Every sample_parts-th item, so that a sample holds all parts of a file that is sorted.
template <class T>
Dataset<T> sample_of(const Dataset<T>& items) {
  Dataset<T> sample;
  std::vector<Index> chosen;
  for (Index j = 0; j < items.items(); j += sample_parts) chosen.push_back(j);
  if (const auto* sparse = std::get_if<SparseMatrix<T>>(&items.values)) {
    sample.values = select_columns<T>(*sparse, chosen);
  } else {
    const Matrix<T>& rows = std::get<Matrix<T>>(items.values);
    Matrix<T> some(static_cast<Index>(chosen.size()), rows.cols());
    for (std::size_t p = 0; p < chosen.size(); ++p)
      std::ranges::copy(rows.row(chosen[p]), some.row(static_cast<Index>(p)).begin());
    sample.values = std::move(some);
  }
  return sample;
}

template <class T>
PreparedInput<T> load_for(const CompareOptions& options, const std::string& method, Index k, const RunEvents& events) {
  const MemoryJob job{.method = method == "tree" ? Method::tree : Method::flat,
                      // Only NMF needs as many features as clusters: see check_clusters_fit().
                      .clusters = is_other(method) || method == "symnmf" ? 1 : k,
                      .memory_limit = options.memory_limit,
                      .is_text = options.input.documents.has_value(),
                      .needs_all = "a comparison needs"};
  Seconds seconds;
  const InputOptions reading =
      is_other(method) ? input_for(choice_of<ClusterMethod>("method", method), options.input) : options.input;
  return load<T>(reading, job, events, seconds);
}

std::optional<ClusteringMeasures> measured(const std::vector<Index>& labels, const std::vector<std::string>& classes) {
  if (classes.empty()) return {};
  std::vector<Index> found;
  std::vector<std::string> truth;
  for (std::size_t j = 0; j < labels.size(); ++j) {
    if (classes[j].empty()) continue;
    found.push_back(labels[j]);
    truth.push_back(classes[j]);
  }
  return compare_clusterings(found, label_numbers(truth));
}

}  // namespace

std::vector<std::string> compare_methods() {
  std::vector<std::string> names = {"nmf", "tree", "symnmf"};
  for (const std::string& name : names_of<ClusterMethod>()) names.push_back(name);
  return names;
}

std::vector<std::string> suitable_methods(const InputOptions& input, bool has_time_limit) {
  std::vector<std::string> names = {"nmf",
                                    "tree",
                                    "symnmf",
                                    "kmeans",
                                    "spherical-kmeans",
                                    "bisecting",
                                    "hierarchical-kmeans",
                                    "kernel-kmeans",
                                    "spectral",
                                    "yu-shi",
                                    "cluster-qr",
                                    "gnmf"};
  const bool counts = input.documents || input.prepare.weighting == Weighting::text;
  if (counts) names.insert(names.end(), {"lda", "anchors"});
  if (has_time_limit) names.insert(names.end(), {"xray", "hottopixx", "affinity-propagation"});
  return names;
}

template <class T>
CompareOutcome compare_one(const CompareOptions& options, const std::string& method, Index k, const RunEvents& events) {
  CompareOutcome outcome{.method = method, .k = k};
  const Kind kind = kind_of(method);
  PreparedInput<T> input = load_for<T>(options, method, k, events);
  const Dataset<T>& items = input.data;
  if (is_other(method) && wants_unit_length(choice_of<ClusterMethod>("method", method), options.input))
    give_unit_length(input.data);
  check_clusters_fit(items, k, options.memory_limit, options.input.called());
  ClusterRunOptions graph_options;
  graph_options.input.items = options.input;
  graph_options.memory_limit = options.memory_limit;
  // Any method that reads a graph.
  graph_options.method.method = kind.from_graph ? ClusterMethod::spectral : ClusterMethod::kmeans;
  graph_options.method.k = k;
  std::vector<std::string> notes;
  const int wanted = kind.random ? options.runs : 1;
  if (std::isfinite(options.time_limit) && items.items() >= least_sampled) {
    const double cpu_before = cpu_seconds();
    const Stopwatch trying;
    const Dataset<T> sample = sample_of(items);
    events.show(method + ": an estimate from a sample ...");
    const Graph<T> graph = graph_for(graph_options, sample, {}, notes);
    const double joined = std::min(trying.seconds(), cpu_seconds() - cpu_before);
    const Index few = std::min(k, sample.items());
    const double parts = static_cast<double>(items.items()) / static_cast<double>(sample.items());
    // The neighbours of all take as long as all pairs do.
    const double join_factor = std::pow(parts, kind.from_graph ? 2 : 1);
    outcome.estimate = std::max(join_factor * joined, least_seconds(method, items) * wanted);
    bool cut_short = false;
    if (!(outcome.estimate > options.time_limit)) {
      // A sample that takes much longer than this says enough: all runs would not end in time.
      const double factor = std::pow(parts, kind.growth) * wanted;
      const double most = busy_factor * std::max(1e-3, (options.time_limit - join_factor * joined) / factor);
      const double cpu = cpu_seconds();
      const Stopwatch running;
      run_once<T>(method, sample, graph, few, options.seed, most, items.items());
      const double wall = running.seconds();
      cut_short = wall > most;
      // Where others use the machine too, a process gets less time than the clock says.
      const double took = cut_short ? wall : std::min(wall, cpu_seconds() - cpu);
      outcome.estimate = std::max(outcome.estimate, join_factor * joined + factor * took);
    }
    if (outcome.estimate > options.time_limit) {
      outcome.left_out = true;
      outcome.failure = fmt::format("left out: {} would take {} {}.", counted(wanted, "run"),
                                    cut_short ? "more than" : "about", in_seconds(outcome.estimate));
      return outcome;
    }
  }
  const Stopwatch clock;
  events.show(method + " ...");
  const Graph<T> graph = graph_for(graph_options, items, {}, notes);
  std::vector<std::vector<Index>> all;
  Run<T> best;
  for (int run = 0; run < wanted; ++run) {
    const double left = options.time_limit - clock.seconds();
    if (run > 0 && left <= 0) break;
    events.show(fmt::format("{}, k = {}: run {} of {} ...", method, k, run + 1, wanted));
    Run<T> one = run_once<T>(method, items, graph, k, options.seed + static_cast<std::uint64_t>(run),
                             std::max(left, 1e-3), items.items());
    all.push_back(one.labels);
    const bool better = one.larger_is_better ? one.objective > best.objective : one.objective < best.objective;
    if (run == 0 || better) best = std::move(one);
  }
  outcome.seconds = clock.seconds();
  outcome.runs = static_cast<int>(all.size());
  outcome.objective = best.objective;
  outcome.iterations = best.iterations;
  outcome.zero_share = best.zero_share;
  std::map<Index, Index> sizes;
  for (const Index label : best.labels) ++sizes[label];
  outcome.clusters = static_cast<Index>(sizes.size()) - (sizes.contains(-1) ? 1 : 0);
  outcome.peak_memory_bytes = peak_memory();
  outcome.silhouette = mean_silhouette<T>(items, best.labels);
  // Words: of the method's topics, or of the sums of its clusters.
  Index most = 0;
  for (const auto& [label, size] : sizes) most = std::max(most, label + 1);
  const bool has_topics = best.w.cols() > 0 && best.w.cols() >= most;
  Matrix<T> w = has_topics ? std::move(best.w) : Matrix<T>(items.features(), most);
  if (!has_topics) {
    for (Index j = 0; j < items.items(); ++j) {
      if (best.labels[j] < 0) continue;
      visit_nonzeros(items, j, [&](Index i, T value) { w(i, best.labels[j]) += value; });
    }
  }
  if (w.cols() > 0) {
    const auto ranked = top_entries(w, coherent_words);
    std::vector<std::vector<Index>> topics(ranked.begin(), ranked.end());
    for (std::size_t c = 0; c < topics.size(); ++c)
      std::erase_if(topics[c], [&](Index i) { return !(w(i, static_cast<Index>(c)) > T(0)); });
    if (items.is_sparse()) {
      const std::vector<double> values = coherence(items, topics);
      double sum = 0;
      for (const double value : values) sum += value;
      outcome.coherence = sum / static_cast<double>(values.size());
    }
    if (!items.feature_names.empty()) {
      for (const auto& topic : topics) {
        auto& words = outcome.words.emplace_back();
        for (std::size_t t = 0; t < topic.size() && t < shown_words; ++t)
          words.push_back(items.feature_names[topic[t]]);
      }
    }
  }
  // From the items that were kept to all of the file.
  const ModelItems model = take_items(input);
  const std::vector<Index> numbers = model.kept_numbers();
  outcome.labels.assign(numbers.size(), -1);
  std::vector<std::string> classes;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= 0) outcome.labels[i] = best.labels[numbers[i]];
  }
  if (!model.classes.empty()) {
    classes.resize(best.labels.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] >= 0) classes[numbers[i]] = model.classes[i];
    }
    double accuracy = 0, nmi = 0;
    for (const auto& labels : all) {
      const auto measures = measured(labels, classes);
      accuracy += measures->accuracy;
      nmi += measures->nmi;
    }
    outcome.measures = measured(best.labels, classes);
    outcome.mean_accuracy = accuracy / static_cast<double>(all.size());
    outcome.mean_nmi = nmi / static_cast<double>(all.size());
  }
  if (all.size() > 1) {
    double sum = 0;
    Index pairs = 0;
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b, ++pairs) sum += compare_clusterings(all[a], all[b]).nmi;
    }
    outcome.stability = sum / static_cast<double>(pairs);
  }
  return outcome;
}

template <class T>
CompareItems compare_items(const CompareOptions& options, std::vector<CompareOutcome>& given, const RunEvents& events) {
  PreparedInput<T> input = load_for<T>(options, "nmf", 1, events);
  const Dataset<T>& data = input.data;
  const ModelItems model = take_items(input);
  CompareItems items;
  items.names = model.item_names;
  items.titles = model.titles;
  items.classes = model.classes;
  const std::vector<Index> numbers = model.kept_numbers();
  for (const Index number : numbers) items.kept.push_back(number >= 0);
  for (const GivenLabels& labels : options.labels) {
    std::vector<std::string> lines = read_names(labels.file);
    // Lines of an item, a tab and its label are taken by name.
    const bool named =
        std::ranges::all_of(lines, [](const std::string& line) { return line.find('\t') != std::string::npos; });
    if (named && !lines.empty()) {
      std::unordered_map<std::string, std::string> label_of;
      for (const std::string& line : lines) {
        const std::size_t tab = line.find('\t');
        label_of[line.substr(0, tab)] = line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1);
      }
      lines.clear();
      std::size_t unknown = 0;
      for (const std::string& name : items.names) {
        const auto found = label_of.find(name);
        unknown += found == label_of.end();
        lines.push_back(found == label_of.end() ? "-1" : found->second);
      }
      if (unknown == items.names.size())
        throw InputError(fmt::format("{}: none of the items is listed; the first is {}.", labels.file,
                                     items.names.empty() ? "" : items.names.front()));
    }
    if (lines.size() != items.names.size())
      throw InputError(fmt::format("{} has {}, but {} has {}.", labels.file,
                                   counted(static_cast<Index>(lines.size()), "line"), options.input.called(),
                                   counted(static_cast<Index>(items.names.size()), "item")));
    CompareOutcome outcome{.method = labels.name, .given = true, .runs = 1};
    // What other programs call noise.
    std::map<std::string, Index> number;
    for (const std::string& line : lines) {
      if (line == "-1" || line == "none" || line.empty()) {
        outcome.labels.push_back(-1);
        continue;
      }
      const auto [place, is_new] = number.emplace(line, static_cast<Index>(number.size()));
      outcome.labels.push_back(place->second);
    }
    outcome.clusters = outcome.k = static_cast<Index>(number.size());
    std::vector<Index> kept(static_cast<std::size_t>(data.items()), -1);
    std::vector<std::string> classes(items.classes.empty() ? 0 : kept.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] < 0) continue;
      kept[numbers[i]] = outcome.labels[i];
      if (!classes.empty()) classes[numbers[i]] = items.classes[i];
    }
    outcome.measures = measured(kept, classes);
    outcome.silhouette = mean_silhouette<T>(data, kept);
    given.push_back(std::move(outcome));
  }
  return items;
}

std::string compare_key(const CompareOptions& options, Precision precision) {
  std::string key;
  for (const auto& [name, value] : settings_of(options.input))
    key += name + std::visit([](const auto& one) { return fmt::format("={}\n", one); }, value);
  return fmt::format("{}{} {} {} {} {}", key, version(), name_of(precision), options.seed, options.runs,
                     options.time_limit);
}

Comparison begin_comparison(const CompareOptions& options, Precision precision, const std::string& called) {
  Comparison comparison{.command = options.command,
                        .called = called.empty() ? options.input.called() : called,
                        .settings = settings_of(options.input),
                        .seed = options.seed,
                        .ks = options.ks};
  Settings& settings = comparison.settings;
  if (!called.empty()) settings.front().second = called;
  std::vector<std::string> ks;
  for (const Index k : options.ks) ks.push_back(std::to_string(k));
  settings.emplace_back("methods", joined(options.methods, ","));
  settings.emplace_back("clusters", joined(ks, ","));
  settings.emplace_back("runs", static_cast<std::int64_t>(options.runs));
  settings.emplace_back("time_limit", options.time_limit);
  settings.emplace_back("precision", name_of(precision));
  return comparison;
}

#define COPSE_INSTANTIATE(T)                                                                                  \
  template CompareOutcome compare_one<T>(const CompareOptions&, const std::string&, Index, const RunEvents&); \
  template CompareItems compare_items<T>(const CompareOptions&, std::vector<CompareOutcome>&, const RunEvents&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
