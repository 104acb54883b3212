// All features by a few of them: XRAY [Kumar et al. 2013] and Hottopixx [Bittorf et al. 2012]. Extras: anchors,
// coefficients (features x anchors: what the anchors express of each feature), relative_error.
#include "copse/cluster/separable.h"

#include <cmath>

#include "copse/cluster/sparse_items.h"
#include "copse/kernels/in_memory.h"
#include "copse/methods/choices.h"
#include "copse/methods/registration.h"
#include "copse/methods/runs.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/error.h"

namespace copse {
namespace {

// W has the coefficients of all features on the anchors, in columns of unit length, and the items are fitted to W by
// least squares. The objective is |X - W H| / |X| then.
template <class T>
MethodResult<T> of_features(const Dataset<T>& items, SeparableResult<T> found, const MethodOptions& options) {
  MethodResult<T> result;
  result.stop_reason = found.stop_reason;
  result.extras = {{"anchors", found.anchors}, {"coefficients", found.h}, {"relative_error", found.relative_error}};
  if (!options.places_items) {
    result.k = found.h.cols();
    return result;
  }
  if (found.anchors.empty()) throw InvalidArgument("All entries are zero: there is nothing to factor.");
  result.w = std::move(found.h);
  for (Index c = 0; c < result.w.cols(); ++c) {
    double square = 0;
    for (Index i = 0; i < result.w.rows(); ++i) square += static_cast<double>(result.w(i, c)) * result.w(i, c);
    if (square == 0) continue;  // an anchor that others express
    for (Index i = 0; i < result.w.rows(); ++i)
      result.w(i, c) = static_cast<T>(static_cast<double>(result.w(i, c)) / std::sqrt(square));
  }
  const auto data = in_memory(items);
  Matrix<T> h = assign_items(*data, result.w);
  result.objective = relative_error(*data, result.w, h);
  take_weights(std::move(h), result);
  return result;
}

SeparableOptions separable_options(SeparableOptions own, const MethodOptions& options,
                                   std::vector<MethodIteration>& history) {
  own.anchors = options.k;
  own.time_limit = options.time_limit;
  own.seed = options.seed;
  own.progress = reporting<SeparableIteration>(
      options, history, [](const SeparableIteration& iteration) { return iteration.relative_error; });
  if (options.max_iterations > 0) own.epochs = options.max_iterations;
  return own;
}

template <class T>
MethodResult<T> fit_xray(const MethodData<T>& data, const MethodOptions& options, const SeparableOptions& own) {
  std::vector<MethodIteration> history;
  const SparseMatrix<T> features = transpose(SparseItems<T>(*data.items).view());
  MethodResult<T> result =
      of_features(*data.items, xray<T>(features, separable_options(own, options, history)), options);
  result.history = std::move(history);
  return result;
}

template <class T>
MethodResult<T> fit_hottopixx(const MethodData<T>& data, const MethodOptions& options, const SeparableOptions& own) {
  const SparseMatrix<T> features = transpose(SparseItems<T>(*data.items).view());
  return best_of<T>(options, [&](std::uint64_t seed, double seconds) {
    std::vector<MethodIteration> history;
    SeparableOptions separable = separable_options(own, options, history);
    separable.seed = seed;
    separable.time_limit = seconds;
    MethodResult<T> result = of_features(*data.items, hottopixx<T>(features, separable), options);
    result.history = std::move(history);
    return result;
  });
}

OptionRows rows_of_xray() {
  RowsOf<SeparableOptions> rows;
  rows.row("selection", &SeparableOptions::selection,
           "How the next anchor is chosen; greedy lowers the error most, the others find the anchors of separable data "
           "exactly");
  return rows.done();
}

OptionRows rows_of_hottopixx() {
  using Of = SeparableOptions;
  RowsOf<Of> rows;
  rows.row("primal_step", &Of::primal_step, "Of the gradient").at_least(0).newer();
  rows.row("dual_step", &Of::dual_step, "Of the multipliers").at_least(0).newer();
  rows.row("decay", &Of::decay, "What both steps are multiplied by after each pass").within(0, 1).newer();
  rows.row("square_limit", &Of::memory_limit, "Bytes that its square matrix may take: 4 for each pair of features")
      .as(OptionKind::bytes)
      .at_least(0)
      .newer();
  return rows.done();
}

constexpr Traits separable_traits(bool random) {
  return {.random = random, .soft = true, .place = PlaceBy::least_squares, .compared = Compared::with_time_limit};
}

double transposed_bytes(const Workload& work) {
  return 2 * work.entries * (work.width + sizeof(RowIndex)) + work.features * sizeof(Index);
}

}  // namespace

const Method& registered::xray() {
  static const Method method =
      with_fit({.name = "xray",
                .meaning = "all words by a few, the extreme rays of their cone",
                .traits = separable_traits(false),
                .cost =
                    [](const Workload& work, const MethodOptions& options) {
                      return Cost{2 * described_bytes(work, options) + transposed_bytes(work),
                                  2 * work.entries * static_cast<double>(options.k)};
                    }},
               SeparableOptions{}, rows_of_xray(),
               []<class T>(const MethodData<T>& data, const MethodOptions& options, const SeparableOptions& own) {
                 return fit_xray(data, options, own);
               });
  return method;
}

const Method& registered::hottopixx() {
  static const Method method =
      with_fit({.name = "hottopixx",
                .meaning = "all words by a few, by a linear program",
                .traits = separable_traits(true),
                // It goes through all pairs of an entry and a feature in every pass, and a sample of the items has
                // nearly all features.
                .cost =
                    [](const Workload& work, const MethodOptions& options) {
                      const int epochs = options.max_iterations > 0 ? options.max_iterations
                                                                    : own_options<SeparableOptions>(options).epochs;
                      return Cost{described_bytes(work, options) + transposed_bytes(work) +
                                      work.features * work.features * sizeof(float),
                                  4 * (work.entries * work.features) * epochs};
                    }},
               SeparableOptions{}, rows_of_hottopixx(),
               []<class T>(const MethodData<T>& data, const MethodOptions& options, const SeparableOptions& own) {
                 return fit_hottopixx(data, options, own);
               });
  return method;
}

}  // namespace copse
