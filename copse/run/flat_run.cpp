#include "copse/run/flat_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "copse/advise/explain.h"
#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/version.h"
#include "copse/describe/document_facts.h"
#include "copse/graph/joint_nmf.h"
#include "copse/input/input_report.h"
#include "copse/input/shared_input.h"
#include "copse/kernels/in_memory.h"
#include "copse/kernels/shared_data.h"
#include "copse/measure/factors.h"
#include "copse/methods/options.h"
#include "copse/model/stored_result.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/breathe.h"
#include "copse/nmf/clusters.h"
#include "copse/nmf/divergence.h"
#include "copse/nmf/error.h"
#include "copse/nmf/start.h"
#include "copse/options/wording.h"
#include "copse/run/assign.h"
#include "copse/run/device.h"
#include "copse/run/shared_runs.h"
#include "copse/run/stability.h"
#include "copse/tree/flatten.h"

namespace copse {
namespace {

template <class T>
double largest_entry(const Dataset<T>& data) {
  const auto largest = [](auto values) {
    return values.empty() ? 0.0 : static_cast<double>(*std::max_element(values.begin(), values.end()));
  };
  if (data.is_sparse()) return largest(std::span<const T>(std::get<SparseMatrix<T>>(data.values).values));
  return largest(std::get<Matrix<T>>(data.values).values());
}

// The rows of everyone, of W and of the baseline.
template <class T>
void take_all_rows(const SharedData<T>& x, const Team& team, NmfResult<T>& factors) {
  factors.w = x.all_rows(factors.w);
  if (!team.any(!factors.baseline.empty())) return;  // a member may have no row
  factors.baseline.resize(static_cast<std::size_t>(x.whole().rows));
  std::copy_backward(factors.baseline.begin(), factors.baseline.begin() + x.rows(),
                     factors.baseline.begin() + x.whole().first_row + x.rows());
  team.share(std::span<T>(factors.baseline), x.row_starts());
}

// Data of which a team has some items each: all get W, and everyone H of its own.
template <class T>
NmfResult<T> factorize_own(const RunData<T>& data, const FlatRunOptions& options, const NmfOptions& nmf) {
  const SharedData<T> x(data.x, *options.team);
  NmfResult<T> factors = factorize(x, nmf);
  take_all_rows(x, *options.team, factors);
  return factors;
}

template <class T>
ConsensusResult<T> solve(const FlatRunOptions& options, const RunData<T>& data, std::optional<StartFactors<T>> start,
                         NmfOptions& nmf) {
  if (options.consensus.runs > 0) return factorize_by_consensus(data.x, nmf, options.consensus);
  if (options.team != nullptr) return {factorize_own(data, options, nmf), {}};
  const auto run = [&] {
    if (options.dc) return factorize_dc(data.x, *data.nodes(), nmf);
    if (!start) return factorize(data.x, nmf);
    return factorize(data.x, nmf, std::move(start->w), std::move(start->h));
  };
  NmfResult<T> result = run();
  // The graph has its say in H: to fit it to the words alone would take that back.
  if (data.graph != nullptr) {
    const JointOptions joint{.nmf = nmf, .weight = options.joint.weight};
    return {continue_joint<T>(data.x, data.graph->weights, joint, std::move(result)).nmf, {}};
  }
  if (options.exact_items && nmf.loss == Loss::kullback_leibler) {
    result.h = assign_items_by_divergence<T>(data.x, result.w);
    result.relative_error = relative_divergence(data.x, result.w, result.h);
  } else if (options.exact_items) {
    result.h = assign_items<T>(data.x, result.w, result.baseline, result.penalty);
    result.relative_error = relative_error(data.x, result.w, result.h);
  }
  return {std::move(result), {}};
}

// Which clusters many runs have in common, in a sentence.
std::string sentence_of(const ConsensusOfRuns& consensus, const ConsensusOptions& how) {
  if (consensus.groups.empty()) return "There is no consensus: no two runs had ended.";
  const auto weakest = std::ranges::min_element(consensus.shares);
  const auto cluster = weakest - consensus.shares.begin();
  return fmt::format(
      "The clusters are the consensus of {} runs: {} of their {} components are at most {:g} away from those nearest "
      "to them. The one that fewest runs have is cluster {}: {:.0f} % of them, silhouette {:.2f}.",
      consensus.runs,
      consensus.groups.size() - static_cast<std::size_t>(std::ranges::count(consensus.groups, Index(-1))),
      consensus.groups.size(), how.most_distance, cluster, 100 * *weakest, consensus.silhouettes[cluster]);
}

// Components that died: more clusters were asked for than the data has directions.
template <class T>
void note_dead_components(const Matrix<T>& w, std::vector<std::string>& notes) {
  std::vector<bool> alive(static_cast<std::size_t>(w.cols()));
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index c = 0; c < w.cols(); ++c) {
      if (w(i, c) > T(0)) alive[static_cast<std::size_t>(c)] = true;
    }
  }
  const Index dead = std::count(alive.begin(), alive.end(), false);
  if (dead == 0) return;
  notes.push_back(fmt::format("{} of {} clusters have no features: the rank of the matrix may be lower than {}.", dead,
                              w.cols(), w.cols()));
}

template <class T>
RunReport make_report(const FlatRunOptions& options, const NmfOptions& nmf, const NmfResult<T>& result) {
  RunReport report;
  report.command = options.command;
  report.version = version();
  FlatRunOptions known = options;
  known.nmf = nmf;
  report.settings = run_settings(known, precision_of<T>);
  report.seed = nmf.seed;
  report.threads = thread_count();
  report.k = nmf.rank;
  report.rows = result.w.rows();
  report.cols = result.h.rows();
  report.iterations = result.history.empty() ? 0 : result.history.back().number;
  report.relative_error = result.relative_error;
  report.projected_gradient_ratio = result.projected_gradient_ratio;
  report.stop_reason = result.stop_reason;
  report.run_errors = result.run_errors;
  report.best_run = result.best_run;
  report.w_zero_share = zero_share(result.w);
  report.h_zero_share = zero_share(result.h);
  report.history = result.history;
  return report;
}

// The same fit of subsamples, each from another start.
template <class T>
void add_stability(const FlatRunOptions& options, NmfOptions nmf, const RunData<T>& whole, const RunEvents& events,
                   FlatResult& result) {
  const Dataset<T>& data = *whole.words;
  const std::uint64_t seed = nmf.seed;
  const std::vector<std::uint64_t> keys = whole.graph != nullptr ? item_keys(data) : std::vector<std::uint64_t>();
  nmf.progress = {};
  const FindTopics<T> find = [&](const Dataset<T>& part, int number) -> std::optional<Hierarchy> {
    nmf.seed = seed + 1 + static_cast<std::uint64_t>(number);
    nmf.rank = std::min(result.report.k, part.items());
    const auto x = in_memory(part);
    RunData<T> part_data{*x, [&] { return tree_data(part); }, part.nonzeros()};
    Graph<T> part_graph;
    if (whole.graph != nullptr) {
      part_graph = induced(*whole.graph, subsample(keys, seed, number));
      part_data.graph = &part_graph;
    }
    NmfResult<T> found = solve<T>(options, part_data, {}, nmf).nmf;
    if (found.stop_reason == StopReason::interrupted) return {};
    FlatModel model{std::move(found.w), std::move(found.h), {}, {}, {}};
    return hierarchy_of(model, part.items());
  };
  RunReport& report = result.report;
  measure_stability(data, options.stability, seed, find, events, result.view, result.model.items, report.notes);
  for (std::size_t c = 0; c < report.topics.size(); ++c)
    report.topics[c].stability = result.view.nodes[c + 1].stability;
}

MemoryJob job_of(const FlatRunOptions& options) {
  const NmfOptions& nmf = options.nmf;
  const bool samples = starts_from_sample(nmf) && !options.dc && options.start_file.empty();
  return {.gives = Gives::flat,
          .clusters = nmf.rank,
          .memory_limit = options.memory_limit,
          .option = "`clusters`",
          .has_page = options.keep_texts,
          .solver = nmf.solver,
          .samples = samples,
          .consensus_runs = options.consensus.runs,
          .breathes = samples && nmf.max_iterations > breath_alternations && !nmf.affine && !options.sparse &&
                      !options.sparse_w,
          .from_a_tree = options.dc,
          .is_text = options.input.documents.has_value(),
          .entries = nmf.loss == Loss::kullback_leibler,
          .engine = options.engine,
          .may_spill = options.team == nullptr,
          .needs_all = reason_against(options, "engine=disk")};
}

}  // namespace

SparseWeights sparse_weights(const std::optional<SparseWeight>& beta, const std::optional<SparseWeight>& alpha,
                             double largest, bool data_is_sparse) {
  const auto rule = [&](const SparseWeight& weight) {
    const bool snmf = weight == SparseWeight(SparseRule::snmf);
    return snmf ? snmf_sparse_weights(largest, data_is_sparse) : thesis_sparse_weights(largest);
  };
  const auto value = [&](const SparseWeight& weight, double SparseWeights::*member) {
    return std::holds_alternative<double>(weight) ? std::get<double>(weight) : rule(weight).*member;
  };
  SparseWeights weights;
  if (beta) weights = {.alpha = rule(*beta).alpha, .beta = value(*beta, &SparseWeights::beta)};
  if (alpha) weights.alpha = value(*alpha, &SparseWeights::alpha);
  return weights;
}

namespace {

void give_sparse_weights(FlatRunOptions& options, double largest, bool data_is_sparse) {
  if (!options.sparse && !options.sparse_w) return;
  const SparseWeights weights = sparse_weights(options.sparse, options.sparse_w, largest, data_is_sparse);
  options.nmf.alpha = weights.alpha;
  options.nmf.beta = weights.beta;
}

template <class T>
void give_sparse_weights(FlatRunOptions& options, const StreamedInput<T>& streamed) {
  give_sparse_weights(options, streamed.items->largest(), !streamed.file.file().is_dense());
}

}  // namespace

template <class T>
void give_sparse_weights(FlatRunOptions& options, const Dataset<T>& data) {
  give_sparse_weights(options, largest_entry(data), data.is_sparse());
}

namespace {

// The result of finished factors, which took so many seconds.
template <class T>
FlatResult describe_factors(const FlatRunOptions& options, const NmfOptions& nmf, NmfResult<T> factors, double seconds,
                            const RunData<T>& data, ModelItems items) {
  FlatResult result;
  // From here on an interruption changes nothing: what was found is kept.
  uninterrupted([&] {
    RunReport& report = result.report;
    report = make_report(options, nmf, factors);
    report.seconds.solve = seconds;
    report.nonzeros = data.nonzeros;
    result.model = {std::move(factors.w),       std::move(factors.h), std::move(factors.baseline),
                    std::move(factors.penalty), std::move(items),     place_by(nmf.loss)};
    place_outside(data.outside, report.settings, result.model);
    if (data.words != nullptr) add_document_facts(*data.words, data.documents, result.model);
    note_dead_components(result.model.w.as<T>(), report.notes);
    result.top = options.top;
    describe(result);
  });
  return result;
}

}  // namespace

template <class T>
FlatResult run_flat(const FlatRunOptions& options, const RunData<T>& data, ModelItems items,
                    std::optional<StartFactors<T>> start, const RunEvents& events) {
  FlatRunOptions asked = options;
  if (start && asked.start_file.empty()) asked.start_file = "given factors";
  check_conflicts(asked);
  if (options.stability > 0 && data.words == nullptr) throw InvalidArgument("`stability` needs all entries in memory");
  NmfOptions nmf = options.nmf;
  const Stopwatch solving;
  events.show("factoring ...");
  ConsensusResult<T> found = solve(options, data, std::move(start), nmf);
  FlatResult result = describe_factors(options, nmf, std::move(found.nmf), solving.seconds(), data, std::move(items));
  if (options.consensus.runs > 0) {
    result.report.notes.push_back(sentence_of(found.consensus, options.consensus));
    result.report.consensus = std::move(found.consensus);
  }
  if (options.stability > 0) add_stability(options, nmf, data, events, result);
  return result;
}

namespace {

// Everyone holds some items and some rows of W; the first gets all of them at the end.
template <class T>
NmfResult<T> factorize_shared(const Data<T>& own, const NmfOptions& nmf, const Team& team) {
  const SharedData<T> x(own, team);
  NmfResult<T> factors = factorize(x, nmf);
  take_all_rows(x, team, factors);
  factors.h = x.all_items(factors.h);
  return factors;
}

// A plan of the run, if that is asked for.
template <class T>
std::optional<RunToExplain> to_explain(const FlatRunOptions& options) {
  if (!options.explain) return {};
  return plan_to_explain(options.input, job_of(options), precision_of<T>,
                         options.team != nullptr ? options.team->size() : 1);
}

// The run of a team.
template <class T>
FlatResult run_flat_shared(const FlatRunOptions& options, const RunEvents& events) {
  const Stopwatch clock;
  const Team& team = *options.team;
  Seconds seconds;
  std::optional<RunToExplain> plan = to_explain<T>(options);
  SharedInput<T> shared = load_shared<T>(options.input, job_of(options), options.nmf.runs, team, events, seconds);
  PreparedInput<T>& input = shared.input;
  FlatRunOptions known = options;
  give_sparse_weights(known, *input.streamed);
  const NmfOptions& nmf = known.nmf;
  const Stopwatch solving;
  events.show("factoring ...");
  if (plan) start_clock(*plan);
  NmfResult<T> factors =
      shared.by_runs ? spread_runs(*shared.own, nmf, team) : factorize_shared(*shared.own, nmf, team);
  if (team.rank() > 0) return {};
  ModelItems items = take_items(input);
  const RunData<T> data = run_data(input, *shared.own, options.keep_texts);
  FlatResult result = describe_factors(known, nmf, std::move(factors), solving.seconds(), data, std::move(items));
  add_input(input, seconds, result.report);
  result.report.engine = "mpi";
  result.report.notes.push_back(fmt::format("{} processes made this run; the first of them sent {} bytes.", team.size(),
                                            counted(static_cast<Index>(team.bytes_sent()))));
  if (plan)
    add_notes(explain(*plan, {result.report.iterations, bytes_read_of(input), team.bytes_sent(), {}}), result.report);
  result.clock = clock;
  return result;
}

}  // namespace

template <class T>
FlatResult run_flat(const FlatRunOptions& options, const RunEvents& events) {
  check_conflicts(options);
  if (options.team != nullptr) return run_flat_shared<T>(options, events);
  const Stopwatch clock;
  FlatRunOptions known = options;
  Seconds seconds;
  if (!options.device.empty()) opencl_number(options.device);
  const MemoryJob job = job_of(options);
  std::optional<RunToExplain> plan = to_explain<T>(options);
  PreparedInput<T> input = load<T>(options.input, job, events, seconds);
  if (input.streamed) {
    give_sparse_weights(known, *input.streamed);
  } else {
    give_sparse_weights(known, input.data);
  }
  std::optional<StartFactors<T>> start;
  if (!options.start_file.empty() && !options.dc)
    start = read_start<T>(options.start_file, input.features(), input.items(), options.nmf.rank);
  if (!input.streamed) known.joint = decided(options.joint, input.data, input.notes);
  Graph<T> graph;
  if (known.joint.is_asked_for())
    graph = joint_graph(known.joint, joint_items(input), options.nmf.rank, options.memory_limit, events, input.notes);
  ModelItems items = take_items(input);
  std::unique_ptr<OpenClData<T>> device;
  if (!options.device.empty()) device = on_device(options.device, input.data);
  const auto in_host = device ? nullptr : input.solver_data();
  const Data<T>& x = device ? *device : *in_host;
  RunData<T> data = run_data(input, x, options.keep_texts);
  if (known.joint.is_asked_for()) data.graph = &graph;
  if (plan) start_clock(*plan);
  FlatResult result = run_flat(known, data, std::move(items), std::move(start), events);
  add_input(input, seconds, result.report);
  if (device) result.report.engine = "opencl";
  if (plan) {
    TakenByRun taken{.iterations = result.report.iterations, .bytes_read = bytes_read_of(input)};
    if (device) taken.device = device->times_so_far();
    add_notes(explain(*plan, taken), result.report);
  } else if (device) {
    result.report.notes.push_back(explain_device(options.device, device->times_so_far()));
  }
  result.clock = clock;
  return result;
}

#define COPSE_INSTANTIATE(T)                                                                                         \
  template void give_sparse_weights(FlatRunOptions&, const Dataset<T>&);                                             \
  template FlatResult run_flat(const FlatRunOptions&, const RunData<T>&, ModelItems, std::optional<StartFactors<T>>, \
                               const RunEvents&);                                                                    \
  template FlatResult run_flat<T>(const FlatRunOptions&, const RunEvents&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
