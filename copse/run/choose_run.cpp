#include "copse/run/choose_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/choose/baseline.h"
#include "copse/choose/choices.h"
#include "copse/choose/persistence.h"
#include "copse/choose/pictures.h"
#include "copse/choose/sketch.h"
#include "copse/choose/verdict.h"
#include "copse/input/memory.h"
#include "copse/input/options.h"
#include "copse/io/log_files.h"
#include "copse/kernels/in_memory.h"
#include "copse/methods/options.h"
#include "copse/model/record_log.h"
#include "copse/model/run_bytes.h"
#include "copse/model/split_log.h"
#include "copse/options/wording.h"
#include "copse/run/method_input.h"
#include "copse/run/survey_method.h"

namespace copse {
namespace {

constexpr Index items_in_picture = 200;
constexpr int runs_beside = 10;     // starts, and where hidden entries are not what is asked, those: they do not decide
constexpr int most_perturbed = 20;  // as NMFk has it: what they tell hardly changes with more
constexpr int fewest_runs = 10, runs_at_a_time = 5;  // of a survey that ends when its verdict is settled

// Stands for the data and all that the bits of a run depend on; how many runs there are, and for which k, does not
// matter.
template <class T>
std::uint64_t fingerprint_of(const Dataset<T>& data, const ChooseRunOptions& options) {
  std::uint64_t sum = fingerprint(data, TreeOptions{});
  const auto add = [&](std::uint64_t value) { sum = (sum ^ value) * 0x100000001b3ULL; };
  const auto add_text = [&](const std::string& text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    add(256);
  };
  Settings settings;
  add_settings(options.flat.nmf, settings);
  for (const auto& [name, value] : settings) {
    add_text(name);
    std::visit(
        [&]<class Value>(const Value& setting) {
          if constexpr (std::is_same_v<Value, std::string>) {
            add_text(setting);
          } else {
            add_text(fmt::format("{}", setting));
          }
        },
        value);
  }
  if (options.method != ChooseRunOptions().method) add_text(options.method->name);
  const SurveyOptions& survey = options.survey;
  add_text(fmt::format("returning, by places, hidden from a fit, side by side {} {} {} {} {} {}", survey.seed,
                       static_cast<int>(survey.null), survey.resample_share, survey.hidden_share, survey.most_items,
                       sizeof(T)));
  // What is as it always was says nothing: older runs count.
  if (survey.perturbation != SurveyOptions{}.perturbation) add_text(fmt::format("perturbed {}", survey.perturbation));
  return sum;
}

// Whether a run, which may come from elsewhere, has as many labels and columns as one of this survey. Numbers that no
// run gives would make a matching of components without end.
template <class T>
bool is_of(const RunRecord& record, const Survey<T>& survey, Index features) {
  Index labels = 0, columns = 0;
  if (record.key.kind == RunKind::start) labels = survey.items();
  if (record.key.kind == RunKind::resample) {
    labels = static_cast<Index>(survey.resampled_items(record.key.number).size());
    columns = sketch_columns(features);
  }
  if (record.key.kind == RunKind::perturbed) columns = sketch_columns(features);
  const Matrix<float>& components = record.components;
  return static_cast<Index>(record.labels.size()) == labels &&
         (components.rows() == 0 || components.cols() == columns) &&
         std::ranges::all_of(components.values(), [](float value) { return std::abs(value) < 1.01F; });
}

double survey_tolerance(double asked, bool sparse) {
  if (asked != tolerance_by_data) return asked;
  return sparse ? 1e-3 : 1e-4;
}

// The runs that are there already, and those that come, each kept on disk at once.
class Runs {
 public:
  template <class T>
  Runs(const ChooseRunOptions& options, const Survey<T>& survey, const Dataset<T>& data) {
    if (options.run_log.empty()) return;
    const bool is_worker = options.workers > 0;
    const std::uint64_t fingerprint = fingerprint_of(data, options);
    // Hands on runs that are not known yet.
    const auto reading = [&](const std::string& path, auto take) {
      return [&, path, take](std::int64_t, const std::string& bytes) {
        RunRecord record = unpacked(bytes);
        if (!is_of(record, survey, data.features()))
          throw InputError(fmt::format("{} has a run that this survey cannot have; begin anew with `force`.", path));
        if (!knows(record.key)) take(std::move(record), bytes);
      };
    };
    // The survey that is there already is to grow, and workers have done their parts. They are looked at first: a log
    // of ours, begun before one of them is refused, would belong to another survey than what is there.
    std::vector<std::string> others;
    if (!is_worker && options.resume) {
      others.push_back((std::filesystem::path(options.run_log).parent_path() / survey_runs_file).string());
      for (int worker = 1; std::filesystem::exists(worker_log(options, worker)); ++worker)
        others.push_back(worker_log(options, worker));
    }
    for (const std::string& path : others)
      read_records(path, fingerprint, reading(path, [](const RunRecord&, const std::string&) {}));
    const std::string own = is_worker ? worker_log(options, options.worker) : options.run_log;
    log_.emplace(own, fingerprint, options.resume || is_worker,
                 reading(own, [&](RunRecord record, const std::string&) { add(std::move(record)); }));
    for (const std::string& path : others) {
      read_records(path, fingerprint, reading(path, [&](RunRecord record, const std::string& bytes) {
                     log_->append(bytes);
                     add(std::move(record));
                   }));
    }
  }

  bool knows(const RunKey& key) const { return known_.contains(key); }
  void keep(RunRecord record) {
    if (log_ && record.failure.empty()) log_->append(packed(record));
    add(std::move(record));
  }
  std::vector<RunRecord> all;

 private:
  void add(RunRecord record) {
    known_.insert(record.key);
    all.push_back(std::move(record));
  }

  std::optional<RecordLog> log_;
  std::set<RunKey> known_;
};

// Seconds that the rest will take, by the mean of the finished runs with the same k and kind, or with k near it.
double predicted(const std::vector<RunRecord>& done, const std::vector<RunKey>& left) {
  std::map<std::pair<RunKind, Index>, std::pair<double, int>> times;
  for (const RunRecord& record : done) {
    auto& [sum, count] = times[{record.key.kind, record.key.k}];
    sum += record.seconds;
    ++count;
  }
  double total = 0;
  for (const RunKey& key : left) {
    const auto found = times.find({key.kind, key.k});
    if (found != times.end()) total += found->second.first / found->second.second;
  }
  return total / std::max(1, thread_count());
}

// The runs of the plan that are there, in their order.
std::vector<RunRecord> records_of(const std::vector<RunKey>& plan, const Runs& runs) {
  const std::set<RunKey> planned(plan.begin(), plan.end());
  std::vector<RunRecord> records;
  for (const RunRecord& record : runs.all) {
    if (planned.contains(record.key)) records.push_back(record);
  }
  std::ranges::sort(records, {}, &RunRecord::key);
  return records;
}

// The resampled runs of the plan that have components; they are taken away.
std::vector<RunRecord> samples_of(const std::vector<RunKey>& plan, Runs& runs) {
  const std::set<RunKey> planned(plan.begin(), plan.end());
  std::vector<RunRecord> samples;
  for (RunRecord& record : runs.all) {
    if (record.key.kind == RunKind::resample && record.components.rows() > 0 && planned.contains(record.key))
      samples.push_back(std::move(record));
  }
  return samples;
}

// So many runs of every kind and k are there.
int complete_runs(const std::vector<RunKey>& plan, const Runs& runs) {
  for (const RunKey& key : plan) {
    if (!runs.knows(key)) return key.number;
  }
  return plan.empty() ? 0 : plan.back().number + 1;
}

// Numbers halfway between k and its neighbours in the list, which rises; none where these are next to it.
std::vector<Index> halfway(const std::vector<Index>& ks, Index k) {
  std::vector<Index> between;
  for (std::size_t i = 0; i < ks.size(); ++i) {
    if (ks[i] != k) continue;
    if (i > 0 && k - ks[i - 1] > 1) between.push_back((k + ks[i - 1]) / 2);
    if (i + 1 < ks.size() && ks[i + 1] - k > 1) between.push_back((k + ks[i + 1]) / 2);
  }
  return between;
}

template <class T>
SurveyReport report_of(const Survey<T>& survey, const std::vector<RunKey>& plan, const Runs& runs,
                       const ChooseRunOptions& options) {
  SurveyReport report;
  const std::vector<RunRecord> records = records_of(plan, runs);
  std::set<std::string> failures;
  for (const RunRecord& record : records) {
    if (!record.failure.empty()) failures.insert(record.failure);
  }
  report.method = options.method->name;
  report.items = survey.items();
  report.planned = static_cast<Index>(plan.size());
  report.done = static_cast<Index>(records.size());
  report.failures.assign(failures.begin(), failures.end());
  report.table = tabulate(survey, records, options.average);
  report.verdict = decide(survey, records, report.table, options.average, options.question);
  report.consensus = consensus_picture(survey, records, std::max<Index>(2, report.verdict.k), items_in_picture);
  report.flows = cluster_flows(records, survey.options().ks);
  return report;
}

// The components of the chosen fit as columns, and their ids.
std::pair<const AnyMatrix*, std::vector<std::string>> components_of(const AnyResult& result) {
  std::vector<std::string> ids;
  if (const auto* flat = std::get_if<FlatResult>(&result)) {
    for (std::size_t n = 1; n < flat->view.nodes.size(); ++n) ids.push_back(flat->view.nodes[n].id);
    return {&flat->model.w, std::move(ids)};
  }
  if (const auto* tree = std::get_if<TreeResult>(&result)) {
    for (const Index leaf : tree->tree().leaf_nodes()) ids.push_back(tree->tree().id(leaf));
    return {&tree->model.topics, std::move(ids)};
  }
  return {};
}

template <class T>
void add_persistence(const AnyResult& result, const SurveyOutcome& outcome, SurveyReport& report) {
  auto [components, ids] = components_of(result);
  if (outcome.samples.empty() || components == nullptr) return;
  Matrix<T> rows(components->cols(), components->rows());
  for (Index i = 0; i < components->rows(); ++i) {
    for (Index c = 0; c < components->cols(); ++c) rows(c, i) = static_cast<T>((*components)(i, c));
  }
  Persistence& persistence = report.persistence;
  for (const SurveyRow& row : report.table.rows) persistence.ks.push_back(row.k);
  persistence.topics = std::move(ids);
  persistence.values = persistence_of(sketch(rows), outcome.samples, persistence.ks);
}

// Bytes, an upper bound: the items that are looked at in the order of a survey, data without clusters and what it is
// drawn from, and for each thread what is drawn, its halves and a fit with k components.
template <class T>
double survey_memory(const Dataset<T>& data, Index looked_at, Index k) {
  const auto n = static_cast<double>(looked_at), m = static_cast<double>(data.features());
  const double width = sizeof(T), threads = thread_count();
  const double nonzeros = static_cast<double>(data.nonzeros()) * n / static_cast<double>(data.items());
  const double entries = nonzeros * (width + sizeof(RowIndex)) + n * sizeof(Index);
  // Of a hold-out, or of fits side by side.
  const double fit = (n + m) * std::max(7 * static_cast<double>(k) * sizeof(double),
                                        5 * static_cast<double>(components_at_once) * width);
  // Counts, distances and linkage of all pairs of the items that are watched.
  const double watched = std::min(n, 2000.0), pairs = watched * watched / 2 * 40;
  if (data.is_sparse()) return pairs + 4 * entries + threads * (7 * entries + fit);
  // Of the box: the items, their principal components and axes in double precision.
  const double cells = n * m, smaller = std::min(n, m);
  const double box = (2 * cells + 2 * smaller * std::max(n, m) + 3 * smaller * smaller) * sizeof(double);
  return pairs + cells * width + 2 * entries + box +
         threads * (cells * (sizeof(double) + 3 * width) + 2 * entries + fit);
}

// Bytes that the runs keep, labels and sketches: here, of those that a report is made from, and where they are sorted.
double kept_memory(const ChooseRunOptions& options, Index looked_at, Index features, Index most) {
  const SurveyOptions& survey = options.survey;
  const auto runs_of = [&](int at_most) { return static_cast<double>(std::min(survey.runs, at_most)); };
  const double labels = static_cast<double>(looked_at) * sizeof(std::int32_t);
  const double starts = runs_of(options.all_measures ? survey.runs : runs_beside);
  const double sketches = runs_of(survey.runs) + (options.all_measures ? runs_of(most_perturbed) : 0);
  double bytes = 0;
  for (const Index k : survey.ks) {
    const double components = static_cast<double>(std::min(k, most) * sketch_columns(features)) * sizeof(float);
    bytes += (runs_of(survey.runs) * survey.resample_share + starts) * labels + sketches * components;
  }
  return 3 * bytes;
}

template <class T>
double check_survey_fits(const Dataset<T>& data, const ChooseRunOptions& options) {
  const double limit = limit_of({.memory_limit = options.flat.memory_limit});
  const Index looked_at = items_looked_at(data.items(), options.survey);
  const Index most = std::min({options.survey.ks.back(), data.items(), data.features()});
  // The clusters at the end come when the runs of the survey have ended.
  const double consensus = consensus_memory(options.flat.consensus.runs, static_cast<double>(most),
                                            static_cast<double>(data.features()), sizeof(T))
                               .grouped;
  const double needed = resident_memory() + kept_memory(options, looked_at, data.features(), most) +
                        std::max(survey_memory(data, looked_at, most), consensus);
  // What the machine can spare is beside what is taken already.
  if (needed - (options.flat.memory_limit > 0 ? 0 : resident_memory()) <= limit) return needed;
  throw InputError(fmt::format("this survey needs about {} of memory with {}, and {} {}; fewer `threads` need less.",
                               in_bytes(needed), counted(thread_count(), "thread"),
                               options.flat.memory_limit > 0 ? "`memory_limit` allows" : "the machine can spare",
                               in_bytes(limit)));
}

}  // namespace

std::string worker_log(const ChooseRunOptions& options, int worker) {
  return options.worker_logs + std::to_string(worker);
}

std::vector<Index> automatic_range(Index last) {
  std::vector<Index> ks;
  for (Index k = 2; k < last; k = k < 10 ? k + 1 : k * 6 / 5) ks.push_back(k);
  ks.push_back(last);
  return ks;
}

ChooseRunOptions automatic_survey(const FlatRunOptions& flat, bool sparse) {
  FlatRunOptions asked = flat;
  asked.auto_k = true;
  check_conflicts(asked);
  ChooseRunOptions options;
  options.flat = flat;
  options.flat.auto_k = false;
  options.final_tolerance = flat.nmf.tolerance;
  options.flat.nmf.tolerance = std::max(flat.nmf.tolerance, survey_tolerance(tolerance_by_data, sparse));
  options.survey.runs = 20;
  options.until_settled = true;
  options.survey.seed = flat.nmf.seed;
  options.survey.ks = automatic_range(sparse ? 60 : 20);
  options.search = true;
  return options;
}

template <class T>
SurveyOutcome run_survey(const Dataset<T>& data, ChooseRunOptions options, const RunEvents& events) {
  if (options.survey.ks.empty()) throw InvalidArgument("The survey needs a range of k.");
  options.flat.nmf.tolerance = survey_tolerance(options.flat.nmf.tolerance, data.is_sparse());
  give_sparse_weights(options.flat, data);
  if (NmfOptions& nmf = options.flat.nmf; nmf.start == Start::automatic) nmf.start = Start::random;
  const auto method = clusterer_of<T>(options, data.feature_names);
  const Index looked_at = items_looked_at(data.items(), options.survey);
  const Index most = method->most(looked_at, data.features()), first = options.survey.ks.front();
  const Index last = options.survey.ks.back();
  std::erase_if(options.survey.ks, [&](Index k) { return k > most; });
  const std::string there =
      looked_at < data.items()
          ? fmt::format("the survey looks at {} items with {} features", looked_at, data.features())
          : fmt::format("there are {} items and {} features", data.items(), data.features());
  if (options.survey.ks.empty())
    throw InputError(fmt::format("T{}: at most {} clusters can be asked for, not {}.", there.substr(1), most, first));
  if (options.all_measures) {
    for (const auto& [name, kind] : choices<RunKind>()) {
      if (std::ranges::find(options.survey.kinds, kind) == options.survey.kinds.end())
        options.survey.kinds.push_back(kind);
    }
  }
  options.survey.kinds = kinds_for(*options.method, options.survey.kinds);
  options.survey.hold_out.affine = options.flat.nmf.affine;
  options.survey.hold_out.alpha = options.flat.nmf.alpha;
  options.survey.hold_out.beta = options.flat.nmf.beta;
  if (options.question == Question::clusters)
    options.survey.hold_out_runs = std::min(options.survey.hold_out_runs, runs_beside);
  if (!options.all_measures) options.survey.start_runs = std::min(options.survey.start_runs, runs_beside);
  options.survey.perturbed_runs = std::min(options.survey.perturbed_runs, most_perturbed);
  const int most_runs = options.survey.runs;
  Survey<T> survey(data, *method, options.survey);
  std::vector<RunKey> plan = survey.plan();
  Runs runs(options, survey, data);
  if (options.until_settled && options.workers == 0) {
    const int there = complete_runs(plan, runs) / runs_at_a_time * runs_at_a_time;
    survey.make_runs(std::min(most_runs, std::max(fewest_runs, there)));
    plan = survey.plan();
  }
  SurveyOutcome outcome;
  if (last > most) outcome.notes.push_back(fmt::format("Numbers of clusters above {} were left out: {}.", most, there));
  if (survey.items() < data.items()) {
    outcome.notes.push_back(fmt::format("The survey looked at {} of the {} items; `most_items` 0 looks at all.",
                                        counted(survey.items()), counted(data.items())));
  }
  if (const std::string left_out = left_out_for(*options.method, options.all_measures); !left_out.empty())
    outcome.notes.push_back(left_out);
  const Stopwatch clock;
  const auto perform = [&] {
    std::vector<RunKey> left;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (options.workers > 0 && static_cast<int>(i % static_cast<std::size_t>(options.workers)) + 1 != options.worker)
        continue;
      if (!runs.knows(plan[i])) left.push_back(plan[i]);
    }
    std::size_t done = 0;
    survey.perform(left, [&](RunRecord record) {
      runs.keep(std::move(record));
      ++done;
      events.show(fmt::format("run {} of {}; about {:.0f} s left ...", done, left.size(),
                              predicted(runs.all, {left.begin() + static_cast<std::ptrdiff_t>(done), left.end()})));
      if (clock.seconds() > options.time_limit) throw Cancelled();
    });
  };
  try {
    for (;;) {
      perform();
      if (options.workers > 0) break;
      const std::vector<RunRecord> records = records_of(plan, runs);
      const SurveyOptions& now = survey.options();
      std::vector<Index> closer;
      if (options.search) closer = halfway(now.ks, most_promising(now, records, options.average, options.question));
      if (closer.empty() && (now.runs == most_runs ||
                             is_settled(now, records, options.average, options.question, now.runs - runs_at_a_time)))
        break;
      if (closer.empty()) {
        survey.make_runs(std::min(most_runs, (now.runs / runs_at_a_time + 1) * runs_at_a_time));
      } else {
        survey.look_at(closer);
      }
      plan = survey.plan();
    }
  } catch (const Cancelled&) {
    if (runs.all.empty()) throw;
    outcome.stopped = clock.seconds() > options.time_limit ? StopReason::time_limit : StopReason::interrupted;
  }
  // Of the data, where NMF has no place for it.
  const bool may_lack_baseline =
      options.method->traits.factors && !options.flat.nmf.affine && options.question == Question::clusters;
  uninterrupted([&] {
    const double baseline = may_lack_baseline ? baseline_share<T>(data, survey.order()) : 0;
    outcome.report = report_of(survey, plan, runs, options);
    if (baseline >= large_baseline) {
      outcome.report.verdict.sentence += fmt::format(
          " {:.0f} % of the data is a baseline that all items share: affine NMF (`affine`) has room for "
          "it.",
          100 * baseline);
    }
    outcome.samples = samples_of(plan, runs);
  });
  outcome.seconds = clock.seconds();
  return outcome;
}

template <class T>
SurveyReport run_whole_survey(Dataset<T> data, ChooseRunOptions options, const RunEvents& events) {
  options.flat.nmf.tolerance = survey_tolerance(options.flat.nmf.tolerance, data.is_sparse());
  SurveyOutcome outcome = run_survey(data, options, events);
  if (!outcome.samples.empty() && outcome.stopped != StopReason::interrupted) {
    PreparedInput<T> input;
    for (Index j = 0; j < data.items(); ++j) input.all_item_names.push_back(std::to_string(j));
    input.data = std::move(data);
    const Index k = std::max<Index>(1, outcome.report.verdict.k);
    add_persistence<T>(run_chosen(options, k, std::move(input), {}, Stopwatch(), events), outcome, outcome.report);
  }
  return std::move(outcome.report);
}

template <class T>
ChooseResult run_choose(ChooseRunOptions options, const RunEvents& events) {
  const Stopwatch clock;
  if (options.survey.ks.empty()) throw InvalidArgument("The survey needs a range of k.");
  Seconds seconds;
  const Traits& traits = options.method->traits;
  const MemoryJob job{.gives = traits.gives == Gives::tree ? Gives::tree : Gives::flat,
                      // Larger ones are left out where they are too many; other methods may have more than features.
                      .clusters = traits.factors ? options.survey.ks.front() : 1,
                      .memory_limit = options.flat.memory_limit,
                      .option = "`clusters`"};
  PreparedInput<T> input = load_for<T>(*options.method, options.flat.input, job, events, seconds);
  give_sparse_weights(options.flat, input.data);
  options.flat.nmf.tolerance = survey_tolerance(options.flat.nmf.tolerance, input.data.is_sparse());
  const double needed = std::max(check_survey_fits(input.data, options), input.estimated_memory);
  events.tell(
      fmt::format("the survey takes up to {} of memory with {}", in_bytes(needed), counted(thread_count(), "thread")));
  SurveyOutcome outcome = run_survey(input.data, options, events);
  ChooseResult result;
  if (options.workers == 0) {
    const bool drops_consensus = outcome.stopped && options.flat.consensus.runs > 0;
    if (drops_consensus) {
      options.flat.consensus.runs = 0;
      outcome.notes.push_back("The clusters are those of one run, not a consensus, because the survey was stopped.");
    }
    const auto choose = [&] {
      result =
          run_chosen(options, std::max<Index>(1, outcome.report.verdict.k), std::move(input), seconds, clock, events);
    };
    // One fit is worth waiting for. Many can be stopped, and those that have ended count.
    if (options.flat.consensus.runs > 0) {
      choose();
    } else {
      uninterrupted(choose);
    }
    uninterrupted([&] { add_persistence<T>(result, outcome, outcome.report); });
  } else {
    std::get<FlatResult>(result).report.notes = std::move(input.notes);
  }
  RunReport& report = std::visit([](auto& kind) -> RunReport& { return kind.report; }, result);
  if (outcome.stopped) {
    report.stop_reason = *outcome.stopped;
    report.notes.push_back(fmt::format("The survey was stopped: the verdict is that of {} of {} runs.",
                                       outcome.report.done, outcome.report.planned));
  }
  report.notes.insert(report.notes.end(), outcome.notes.begin(), outcome.notes.end());
  for (const std::string& failure : outcome.report.failures) report.notes.push_back("Some runs failed: " + failure);
  report.survey = std::move(outcome.report);
  report.command = options.flat.command;
  report.estimated_memory_bytes = static_cast<Index>(needed);
  report.seconds.read = seconds.read;
  report.seconds.prepare = seconds.prepare;
  report.seconds.solve = outcome.seconds;
  return result;
}

#define COPSE_INSTANTIATE(T)                                                                \
  template SurveyOutcome run_survey(const Dataset<T>&, ChooseRunOptions, const RunEvents&); \
  template SurveyReport run_whole_survey(Dataset<T>, ChooseRunOptions, const RunEvents&);   \
  template ChooseResult run_choose<T>(ChooseRunOptions, const RunEvents&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
