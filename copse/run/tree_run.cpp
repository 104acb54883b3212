#include "copse/run/tree_run.h"

#include <fmt/format.h>

#include <array>

#include "copse/advise/explain.h"
#include "copse/base/parallel.h"
#include "copse/choose/parts.h"
#include "copse/choose/worth_splitting.h"
#include "copse/describe/document_facts.h"
#include "copse/input/input_report.h"
#include "copse/input/shared_input.h"
#include "copse/kernels/in_memory.h"
#include "copse/kernels/shared_data.h"
#include "copse/methods/options.h"
#include "copse/model/split_log.h"
#include "copse/model/stored_result.h"
#include "copse/options/wording.h"
#include "copse/run/assign.h"
#include "copse/run/device.h"
#include "copse/run/device_tree.h"
#include "copse/run/leaves.h"
#include "copse/run/stability.h"
#include "copse/tree/flatten.h"
#include "copse/tree/shared_tree.h"

namespace copse {
namespace {

template <class T>
void grow_tree(const TreeRunOptions& options, const TreeOptions& tree, const RunData<T>& data, SplitMemory<T>* memory,
               const RunEvents& events, TreeResult& result) {
  result.model.versions.push_back({build_tree(*data.nodes(), tree, memory)});
  // A tree with fewer leaves is a result: an interruption ends the splitting, not what follows.
  uninterrupted([&] {
    if (options.flat) {
      events.show("fitting all items to the leaves ...");
      fit_flat(data.x, result, data.graph, options.joint.weight);
    } else {
      take_leaves(result);
    }
  });
}

// Trees of subsamples with as many leaves.
template <class T>
void add_stability(const TreeRunOptions& options, TreeOptions tree, const RunData<T>& whole, const RunEvents& events,
                   TreeResult& result) {
  const Dataset<T>& data = *whole.words;
  const std::uint64_t seed = tree.seed;
  const std::vector<std::uint64_t> keys = whole.graph != nullptr ? item_keys(data) : std::vector<std::uint64_t>();
  tree.progress = {};
  if (options.auto_leaves) tree.leaves = result.tree().leaves;
  tree.worth_splitting = {};
  const FindTopics<T> find = [&](const Dataset<T>& part, int number) -> std::optional<Hierarchy> {
    tree.seed = seed + 1 + static_cast<std::uint64_t>(number);
    TreeResult found;
    found.model.versions.push_back({build_tree(*tree_data(part), tree)});
    if (found.tree().stop_reason == StopReason::interrupted) return {};
    Graph<T> part_graph;
    if (whole.graph != nullptr) part_graph = induced(*whole.graph, subsample(keys, seed, number));
    if (options.flat)
      fit_flat(*in_memory(part), found, whole.graph != nullptr ? &part_graph : nullptr, options.joint.weight);
    return hierarchy_of(found.model, part.items());
  };
  RunReport& report = result.report;
  measure_stability(data, options.stability, seed, find, events, result.view, result.model.items, report.notes);
  const auto leaves = result.tree().leaf_nodes();
  for (std::size_t c = 0; c < leaves.size(); ++c) report.topics[c].stability = result.view.nodes[leaves[c]].stability;
}

// All items fitted to the leaves by a team: everyone its own, and the first gets all.
template <class T>
void fit_flat_shared(const Data<T>& own, const Team& team, std::span<const Index> starts, TreeResult& result) {
  fit_flat(ReplicatedData<T>(own, team), result);
  TreeVersion& version = result.model.versions.back();
  const auto share = [&](auto& values) {
    using Values = std::remove_reference_t<decltype(values)>;
    Values all(team.rank() == 0 ? static_cast<std::size_t>(starts.back()) : 0);
    team.collect(std::span<const typename Values::value_type>(values), starts, std::span(all));
    values = std::move(all);
  };
  share(version.flat);
  share(version.flat_weights);
  share(version.flat_second);
  share(version.flat_second_weights);
}

// What there is to say of a tree that is grown; it took so many seconds.
template <class T>
void describe_tree(const TreeRunOptions& options, const TreeOptions& tree, double seconds, const RunData<T>& data,
                   ModelItems items, TreeResult& result) {
  RunReport& report = result.report;
  report.seconds.solve = seconds;
  // From here on an interruption changes nothing: what was found is kept.
  uninterrupted([&] {
    report.nonzeros = data.nonzeros;
    result.model.items = std::move(items);
    TreeRunOptions known = options;
    known.tree = tree;
    known.score = tree.score;
    report.settings = run_settings(known, precision_of<T>);
    place_outside(data.outside, report.settings, result.model);
    if (data.words != nullptr) add_document_facts(*data.words, data.documents, result.model);
    report.command = options.command;
    report.seed = tree.seed;
    report.threads = thread_count();
    report.iterations = static_cast<int>(result.tree().cost.iterations);
    report.stop_reason = result.tree().stop_reason;
    result.top = options.top;
    describe(result);
    result.explanation = explain_leaves(result.tree(), tree.leaves, options.auto_leaves);
  });
}

template <class T>
TreeResult grow_and_describe(const TreeRunOptions& options, const RunData<T>& data, ModelItems items,
                             SplitMemory<T>* memory, const RunEvents& events) {
  check_conflicts(options);
  if (options.stability > 0 && data.words == nullptr) throw InvalidArgument("`stability` needs all entries in memory");
  TreeResult result;
  const Stopwatch solving;
  TreeOptions tree = options.tree;
  tree.score = options.score.value_or(default_score(items.feature_names));
  if (options.auto_leaves) {
    if (data.words == nullptr) throw InvalidArgument("To choose the number of leaves takes the data as a whole.");
    tree.worth_splitting = [&](std::span<const RowIndex> node) {
      const std::vector<Index> own(node.begin(), node.end());
      return test_split(part_of<T>(*data.words, own), {.seed = tree.seed}).worth_it;
    };
  }
  grow_tree(options, tree, data, memory, events, result);
  describe_tree(options, tree, solving.seconds(), data, std::move(items), result);
  if (options.stability > 0) add_stability(options, tree, data, events, result);
  return result;
}

}  // namespace

template <class T>
TreeResult run_tree(const TreeRunOptions& options, const RunData<T>& data, ModelItems items, const RunEvents& events) {
  return grow_and_describe<T>(options, data, std::move(items), nullptr, events);
}

namespace {

MemoryJob job_of(const TreeRunOptions& options) {
  return {.gives = Gives::tree,
          .clusters = options.tree.leaves,
          .memory_limit = options.memory_limit,
          .option = "`leaves`",
          .has_page = options.keep_texts,
          .is_text = options.input.documents.has_value(),
          .engine = options.engine,
          .needs_all = reason_against(options, "engine=disk")};
}

// The finished factorizations of a team: the first writes and finds them, and gives them to the others.
template <class T>
class SharedSplits : public SplitMemory<T> {
 public:
  // `log` is null but for the first.
  SharedSplits(const Team& team, SplitLog<T>* log) : team_(team), log_(log) {}

  bool recall(std::uint64_t key, Rank2Result<T>& result) override {
    std::array<double, 9> facts{};  // those of the first, and zeros
    if (log_ != nullptr && log_->recall(key, result)) {
      facts = {1,
               static_cast<double>(result.w.rows()),
               static_cast<double>(result.h.rows()),
               result.inner,
               result.fitted,
               result.entries_read,
               result.projected_gradient_ratio,
               static_cast<double>(result.iterations),
               static_cast<double>(result.stop_reason)};
    }
    team_.sum(facts);
    if (facts[0] == 0) return false;
    give(static_cast<Index>(facts[1]), result.w);
    give(static_cast<Index>(facts[2]), result.h);
    result.inner = facts[3], result.fitted = facts[4], result.entries_read = facts[5];
    result.projected_gradient_ratio = facts[6];
    result.iterations = static_cast<int>(facts[7]);
    result.stop_reason = static_cast<StopReason>(static_cast<int>(facts[8]));
    return true;
  }
  void record(std::uint64_t key, const Rank2Result<T>& result) override {
    if (log_ != nullptr) log_->record(key, result);
  }

 private:
  // The factor of the first, to all.
  void give(Index rows, Matrix<T>& factor) const {
    if (team_.rank() > 0) factor.reshape(rows, 2);
    std::vector<Index> starts(static_cast<std::size_t>(team_.size()) + 1, 2 * rows);
    starts[0] = 0;
    team_.share(factor.values(), starts);
  }

  const Team& team_;
  SplitLog<T>* log_;
};

// The log of finished factorizations where one is asked for, or null. Other numbers of processes, and devices, add up
// in another order: they are another run.
template <class T>
std::unique_ptr<SplitLog<T>> open_log(const TreeRunOptions& options, const PreparedInput<T>& input, int processes) {
  if (options.split_log.empty()) return nullptr;
  TreeOptions tree = options.tree;
  tree.score = options.score.value_or(default_score(input.data.feature_names));
  const std::uint64_t data_and_options = input.streamed
                                             ? fingerprint(input.features(), input.streamed->block_prints, tree)
                                             : fingerprint(input.data, tree);
  const std::uint64_t other_sums = static_cast<std::uint64_t>(processes - 1) + (options.device.empty() ? 0 : 1u << 31);
  return std::make_unique<SplitLog<T>>(options.split_log, data_and_options + other_sums, input.features(),
                                       input.items(), options.resume);
}

// What there is to say of it when the tree is grown.
template <class T>
void add_log_notes(const SplitLog<T>& log, Index factorizations, std::vector<std::string>& notes) {
  if (log.recalled() > 0)
    notes.push_back(
        fmt::format("{} of {} factorizations were taken from the run before.", log.recalled(), factorizations));
  if (!log.failure().empty())
    notes.push_back(fmt::format("the finished splits were not kept, so that this run could not have been resumed: {}",
                                log.failure()));
}

// A plan of the run, if that is asked for.
template <class T>
std::optional<RunToExplain> to_explain(const TreeRunOptions& options) {
  if (!options.explain) return {};
  return plan_to_explain(options.input, job_of(options), precision_of<T>,
                         options.team != nullptr ? options.team->size() : 1);
}

// The run of a team: everyone reads some of the items, and has the whole tree.
template <class T>
TreeResult run_tree_shared(const TreeRunOptions& options, const RunEvents& events) {
  const Stopwatch clock;
  const Team& team = *options.team;
  Seconds seconds;
  std::optional<RunToExplain> plan = to_explain<T>(options);
  SharedInput<T> shared = load_shared<T>(options.input, job_of(options), 1, team, events, seconds);
  PreparedInput<T>& input = shared.input;
  TreeOptions tree = options.tree;
  tree.score = options.score.value_or(default_score(input.data.feature_names));
  RunData<T> data = run_data(input, *shared.own, options.keep_texts);
  data.nodes = [&] {
    return shared_tree_data<T>(*input.streamed->items, input.streamed->node_memory, team, shared.starts);
  };
  const Stopwatch solving;
  TreeResult result;
  TreeRunOptions without_flat = options;
  without_flat.flat = false;  // below: everyone fits its own items
  const std::unique_ptr<SplitLog<T>> log = open_log(options, input, team.size());
  const bool is_logged = team.any(log != nullptr);
  if (plan) start_clock(*plan);
  SharedSplits<T> splits(team, log.get());
  grow_tree<T>(without_flat, tree, data, is_logged ? &splits : nullptr, events, result);
  if (log != nullptr) add_log_notes(*log, result.tree().cost.factorizations, result.report.notes);
  if (options.flat) {
    events.show("fitting all items to the leaves ...");
    fit_flat_shared(*shared.own, team, shared.starts, result);
  }
  if (team.rank() > 0) return {};
  describe_tree(options, tree, solving.seconds(), data, take_items(input), result);
  RunReport& report = result.report;
  add_input(input, seconds, report);
  report.engine = "mpi";
  report.notes.push_back(fmt::format("{} processes made this run; the first of them sent {} bytes.", team.size(),
                                     counted(static_cast<Index>(team.bytes_sent()))));
  if (plan) add_notes(explain(*plan, {0, bytes_read_of(input), team.bytes_sent(), {}}), report);
  result.clock = clock;
  return result;
}

}  // namespace

namespace {

// The device, for data that it can read.
template <class T>
std::unique_ptr<OpenClWorkshop<T>> workshop_for(const TreeRunOptions& options, const PreparedInput<T>& input) {
  if (options.device.empty()) return nullptr;
  if (!input.data.is_sparse()) throw InvalidArgument("a device multiplies sparse matrices, and this one is dense.");
  return std::make_unique<OpenClWorkshop<T>>(OpenClOptions{.device = opencl_number(options.device)});
}

}  // namespace

template <class T>
TreeResult run_tree(const TreeRunOptions& options, const RunEvents& events) {
  check_conflicts(options);
  if (!options.device.empty()) opencl_number(options.device);
  if (options.team != nullptr) return run_tree_shared<T>(options, events);
  const Stopwatch clock;
  Seconds seconds;
  const MemoryJob job = job_of(options);
  std::optional<RunToExplain> plan = to_explain<T>(options);
  PreparedInput<T> input = load<T>(options.input, job, events, seconds);
  const std::unique_ptr<SplitLog<T>> log = open_log(options, input, 1);
  TreeRunOptions known = options;
  if (!input.streamed) known.joint = decided(options.joint, input.data, input.notes);
  Graph<T> graph;
  if (known.joint.is_asked_for())
    graph =
        joint_graph(known.joint, joint_items(input), options.tree.leaves, options.memory_limit, events, input.notes);
  ModelItems items = take_items(input);
  const auto x = input.solver_data();
  RunData<T> data = run_data(input, *x, options.keep_texts);
  if (known.joint.is_asked_for()) data.graph = &graph;
  const std::unique_ptr<OpenClWorkshop<T>> workshop = workshop_for(options, input);
  if (workshop) data.nodes = [&] { return tree_on_device(tree_data(input.data), *workshop); };
  if (plan) start_clock(*plan);
  TreeResult result = grow_and_describe<T>(known, data, std::move(items), log.get(), events);
  if (log != nullptr) add_log_notes(*log, result.tree().cost.factorizations, result.report.notes);
  add_input(input, seconds, result.report);
  if (workshop) result.report.engine = "opencl";
  if (plan) {
    TakenByRun taken{.iterations = 0, .bytes_read = bytes_read_of(input)};
    if (workshop) taken.device = workshop->times_so_far();
    add_notes(explain(*plan, taken), result.report);
  } else if (workshop) {
    result.report.notes.push_back(explain_device(options.device, workshop->times_so_far()));
  }
  result.clock = clock;
  return result;
}

Score default_score(const std::vector<std::string>& feature_names) { return default_score(!feature_names.empty()); }

#define COPSE_INSTANTIATE(T)                                                                            \
  template TreeResult run_tree(const TreeRunOptions&, const RunData<T>&, ModelItems, const RunEvents&); \
  template TreeResult run_tree<T>(const TreeRunOptions&, const RunEvents&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
