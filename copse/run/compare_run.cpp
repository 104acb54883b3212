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
#include "copse/input/stored_input.h"
#include "copse/io/names.h"
#include "copse/kernels/in_memory.h"
#include "copse/kernels/top.h"
#include "copse/measure/coherence.h"
#include "copse/measure/factors.h"
#include "copse/measure/silhouette.h"
#include "copse/methods/choices.h"
#include "copse/options/wording.h"

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
PreparedInput<T> load_for(const CompareOptions& options, const Method& method, Index k, const RunEvents& events) {
  const Traits& traits = method.traits;
  const MemoryJob job{.gives = traits.gives == Gives::tree ? Gives::tree : Gives::flat,
                      .clusters = traits.k_within_features ? k : 1,  // see check_clusters_fit()
                      .memory_limit = options.memory_limit,
                      .is_text = options.input.documents.has_value(),
                      .needs_all = "a comparison needs all entries in memory"};
  Seconds seconds;
  return load_for<T>(method, options.input, job, events, seconds);
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
  std::vector<std::string> names;
  for (const Method* method : methods()) {
    if (method->traits.reads != Reads::picture) names.push_back(method->name);
  }
  return names;
}

std::vector<std::string> suitable_methods(const InputOptions& input, bool has_time_limit) {
  const bool counts = input.documents || input.prepare.weighting == Weighting::text;
  std::vector<std::string> names;
  for (const Method* method : methods()) {
    const Traits& traits = method->traits;
    const bool in_time =
        traits.compared == Compared::always || (traits.compared == Compared::with_time_limit && has_time_limit);
    if (in_time && (counts || traits.reads != Reads::counts)) names.push_back(method->name);
  }
  return names;
}

template <class T>
CompareOutcome compare_one(const CompareOptions& options, const std::string& name, Index k, const RunEvents& events) {
  CompareOutcome outcome{.method = name, .k = k};
  const Method& method = method_called(name);
  const Traits& traits = method.traits;
  PreparedInput<T> input = load_for<T>(options, method, k, events);
  const Dataset<T>& items = input.data;
  MethodOptions fitting = options_for(method);
  fitting.k = k;
  check_clusters_fit(items, fitting, options.memory_limit, options.input.called());
  std::vector<std::string> notes;
  GraphInputOptions joining_as;
  joining_as.items = options.input;
  const auto joined_up = [&](const Dataset<T>& some) {
    return graph_for(fitting, joining_as, options.memory_limit, some, {}, notes);
  };
  // A sample takes the way that all items would take.
  const auto run_once = [&](const Dataset<T>& some, const Graph<T>& graph, int run, double time_limit) {
    MethodOptions one = fitting;
    one.k = std::min(k, some.items());
    one.seed = options.seed + static_cast<std::uint64_t>(run);
    one.time_limit = time_limit;
    MethodData<T> data = method_data(method, some, graph);
    data.whole = items.items();
    return cluster_by(data, one);
  };
  const int wanted = traits.random ? options.runs : 1;
  if (std::isfinite(options.time_limit) && items.items() >= least_sampled) {
    const double cpu_before = cpu_seconds();
    const Stopwatch trying;
    const Dataset<T> sample = sample_of(items);
    events.show(name + ": an estimate from a sample ...");
    const Graph<T> graph = joined_up(sample);
    const double joining = std::min(trying.seconds(), cpu_seconds() - cpu_before);
    const double parts = static_cast<double>(items.items()) / static_cast<double>(sample.items());
    // The neighbours of all take as long as all pairs do.
    const double join_factor = std::pow(parts, traits.reads_graph() ? 2 : 1);
    outcome.estimate = std::max(join_factor * joining, method.cost(workload_of(items), fitting).seconds() * wanted);
    bool cut_short = false;
    if (!(outcome.estimate > options.time_limit)) {
      // A sample that takes much longer than this says enough: all runs would not end in time.
      const double factor = std::pow(parts, traits.growth) * wanted;
      const double most = busy_factor * std::max(1e-3, (options.time_limit - join_factor * joining) / factor);
      const double cpu = cpu_seconds();
      const Stopwatch running;
      run_once(sample, graph, 0, most);
      const double wall = running.seconds();
      cut_short = wall > most;
      // Where others use the machine too, a process gets less time than the clock says.
      const double took = cut_short ? wall : std::min(wall, cpu_seconds() - cpu);
      outcome.estimate = std::max(outcome.estimate, join_factor * joining + factor * took);
    }
    if (outcome.estimate > options.time_limit) {
      outcome.left_out = true;
      outcome.failure = fmt::format("left out: {} would take {} {}.", counted(wanted, "run"),
                                    cut_short ? "more than" : "about", in_seconds(outcome.estimate));
      return outcome;
    }
  }
  const Stopwatch clock;
  events.show(name + " ...");
  const Graph<T> graph = joined_up(items);
  std::vector<std::vector<Index>> all;
  MethodResult<T> best;
  for (int run = 0; run < wanted; ++run) {
    const double left = options.time_limit - clock.seconds();
    if (run > 0 && left <= 0) break;
    events.show(fmt::format("{}, k = {}: run {} of {} ...", name, k, run + 1, wanted));
    MethodResult<T> one = run_once(items, graph, run, std::max(left, 1e-3));
    all.push_back(one.labels);
    const bool better = one.larger_is_better ? one.objective > best.objective : one.objective < best.objective;
    if (run == 0 || better) best = std::move(one);
  }
  outcome.seconds = clock.seconds();
  outcome.runs = static_cast<int>(all.size());
  outcome.objective = best.objective;
  outcome.iterations = best.iterations;
  if (best.weights.cols() > 0) outcome.zero_share = zero_share(best.weights);
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
  PreparedInput<T> input = load_for<T>(options, default_method("factor"), 1, events);
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
