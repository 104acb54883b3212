#include "copse/methods/method.h"

#include <fmt/format.h>

#include <algorithm>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse {
namespace {

template <class T>
void check(const MethodData<T>& data, const MethodOptions& options) {
  const Traits& traits = options.method->traits;
  const bool has_graph = data.graph != nullptr || data.similarities != nullptr;
  if (traits.reads == Reads::picture && data.picture == nullptr)
    throw InvalidArgument("this method reads a picture, not items");
  if (traits.reads != Reads::picture && traits.reads_graph() && !has_graph)
    throw InvalidArgument("this method reads a graph of the items");
  if ((traits.reads == Reads::items || traits.reads == Reads::counts) && data.items == nullptr)
    throw InvalidArgument("this method reads items, not a graph");
  if (traits.reads == Reads::items_and_graph && data.items == nullptr)
    throw InvalidArgument("this method reads items and a graph of them");
  const Index items = data.count();
  if (data.items != nullptr && data.graph != nullptr && data.graph->nodes() != items)
    throw InvalidArgument("the graph must have one node for each item");
  if ((options.k < 1 && !traits.chooses_k) || options.k < 0 || options.k > items)
    throw InvalidArgument("the number of clusters must be between 1 and the number of items");
  if (options.runs < 1) throw InvalidArgument("the number of runs must be at least 1");
}

// What every method leaves to be done: what the counts say, as sentences and numbers.
template <class T>
MethodResult<T> completed(MethodResult<T> result, const MethodOptions& options) {
  if (!result.place) result.place = options.method->traits.place;
  if (result.iterations == 0 && !result.history.empty()) result.iterations = result.history.back().number;
  if (result.run_objectives.empty()) result.run_objectives = {result.objective};
  if (options.k > 0 && result.k < options.k)
    result.notes.push_back(
        fmt::format("There are {} clusters and not {}: fewer items differ, or fewer groups were "
                    "found.",
                    result.k, options.k));
  const auto none = std::ranges::count(result.labels, Index(-1));
  if (none > 0)
    result.notes.push_back(
        fmt::format("{} {} no cluster: nothing tells where it belongs.", none, none == 1 ? "item has" : "items have"));
  return result;
}

}  // namespace

template <class T>
Index MethodData<T>::count() const {
  if (items != nullptr) return items->items();
  if (graph != nullptr) return graph->nodes();
  if (similarities != nullptr) return similarities->rows();
  return picture != nullptr ? picture->shape.pixels() : 0;
}

template <class T>
Workload workload_of(const Dataset<T>& items) {
  return {.items = static_cast<double>(items.items()),
          .features = static_cast<double>(items.features()),
          .entries = static_cast<double>(items.nonzeros()),
          .width = sizeof(T)};
}

double Cost::seconds() const {
  constexpr double operations_per_second = 4e9;
  return operations / (operations_per_second * thread_count());
}

MethodOptions options_for(const Method& method) { return {.method = &method, .own = method.own}; }

BoundOptions bound(MethodOptions& options) { return {options.method->rows, &options}; }

void add_settings(const MethodOptions& options, Settings& settings) {
  settings.emplace_back("method", options.method->name);
  MethodOptions asked = options;
  if (!asked.own.has_value()) asked.own = options.method->own;
  MethodOptions unasked = options_for(*options.method);
  for (const Option& row : options.method->rows) {
    std::optional<Setting> value = row.get(&asked);
    const bool says_nothing = row.is_newer && value == row.get(&unasked);
    if (row.stored && value && !says_nothing) settings.emplace_back(row.name, std::move(*value));
  }
}

const OptionRows& common_rows() {
  static const OptionRows table = [] {
    using Of = MethodOptions;
    RowsOf<Of> rows;
    rows.row("clusters", &Of::k, "Number of clusters").at_least(0).spell("-k,--clusters").not_stored();
    rows.row("runs", &Of::runs, "Starts to try; the one with the best objective is kept, never by `truth`")
        .within(1, 1000000);
    rows.row("seed", &Of::seed, "Seed of the random numbers: the same seed gives the same bits").not_stored();
    rows.row("max_iterations", &Of::max_iterations, "At most so many iterations of a run; 0: as the method has it")
        .within(0, std::numeric_limits<int>::max());
    rows.row("tolerance", &Of::tolerance,
             "K-means: a batch that lowers the objective by a smaller share is the last; spectral: of the "
             "eigenvectors; -1: as the method has it")
        .within(-1, 1);
    rows.row("time_limit", &Of::time_limit, "Stop after this time with the best result so far, such as 90s or 5m")
        .as(OptionKind::seconds)
        .at_least(0)
        .otherwise("none");
    return rows.headed(0, "Method").done();
  }();
  return table;
}

template <class T>
std::unique_ptr<Clusterer<T>> clusterer_by(const std::string& name, std::any own, bool named) {
  const Method& method = method_called(name);
  if (!method.clusterer) throw InvalidArgument(name + " does not tell where other items belong.");
  return method.clusterer.of<T>()({.method = &method, .own = std::move(own)}, named);
}

template <class T>
MethodResult<T> cluster_by(const MethodData<T>& data, const MethodOptions& options) {
  check(data, options);
  return completed(options.method->fit.of<T>()(data, options), options);
}

#define COPSE_INSTANTIATE(T)                                                               \
  template Index MethodData<T>::count() const;                                             \
  template Workload workload_of(const Dataset<T>&);                                        \
  template std::unique_ptr<Clusterer<T>> clusterer_by(const std::string&, std::any, bool); \
  template MethodResult<T> cluster_by(const MethodData<T>&, const MethodOptions&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
