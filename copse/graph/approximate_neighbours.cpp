// Neighbours by a navigable small world graph.
#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/graph/neighbours.h"

namespace copse {
namespace {

constexpr std::size_t links = 16;
constexpr std::size_t width_of_building = 100;
constexpr std::size_t least_width_of_search = 64;
constexpr std::size_t widths_per_neighbour = 4;
constexpr std::size_t seed_of_levels = 100;
constexpr Index items_per_check = 256;
constexpr Index items_per_block = 64;

// In double, over ascending features.
template <class T>
double measure(std::span<const T> x, std::span<const T> y, double norms, Closeness closeness) {
  double sum = 0;
  for (std::size_t f = 0; f < x.size(); ++f) {
    const double a = static_cast<double>(x[f]), b = static_cast<double>(y[f]);
    sum += closeness == Closeness::cosine ? a * b : (a - b) * (a - b);
  }
  return closeness == Closeness::cosine ? (norms > 0 ? sum / norms : 0) : sum;
}

bool is_nearer(const Neighbour& x, const Neighbour& y, Closeness closeness) {
  if (x.value != y.value) return closeness == Closeness::cosine ? x.value > y.value : x.value < y.value;
  return x.item < y.item;
}

template <class T>
std::vector<double> norms_of_rows(const Matrix<T>& items) {
  std::vector<double> norms(static_cast<std::size_t>(items.rows()), 0.0);
  for (Index j = 0; j < items.rows(); ++j) {
    for (const T value : items.row(j)) {
      if (!std::isfinite(value)) throw InvalidArgument("an item holds a value that is not finite");
      norms[j] += static_cast<double>(value) * static_cast<double>(value);
    }
    norms[j] = std::sqrt(norms[j]);
  }
  return norms;
}

}  // namespace

template <class T>
std::vector<std::vector<Neighbour>> approximate_neighbours(const Matrix<T>& items, Index count, Closeness closeness) {
  if (count < 1) throw InvalidArgument("the number of neighbours must be at least 1");
  const Index n = items.rows(), features = items.cols();
  const std::vector<double> norms = norms_of_rows(items);
  // Cosines order as distances of unit vectors do. Distances are looked for on one scale, so that single precision
  // holds their squares.
  const double largest = norms.empty() ? 0 : *std::max_element(norms.begin(), norms.end());
  Matrix<float> points(n, features);
  for (Index j = 0; j < n; ++j) {
    const double scale = closeness == Closeness::cosine ? norms[j] : largest;
    for (Index f = 0; f < features; ++f)
      points(j, f) = scale > 0 ? static_cast<float>(static_cast<double>(items(j, f)) / scale) : 0.0f;
  }
  hnswlib::L2Space space(static_cast<std::size_t>(features));
  std::unique_ptr<hnswlib::HierarchicalNSW<float>> graph;
  graph = std::make_unique<hnswlib::HierarchicalNSW<float>>(&space, static_cast<std::size_t>(std::max<Index>(n, 1)),
                                                            links, width_of_building, seed_of_levels);
  for (Index j = 0; j < n; ++j) {
    if (j % items_per_check == 0) check_cancelled();
    graph->addPoint(points.row(j).data(), static_cast<std::size_t>(j));
  }
  const std::size_t wanted = static_cast<std::size_t>(std::min(count + 1, n));  // the item itself is found too
  graph->setEf(std::max(least_width_of_search, widths_per_neighbour * wanted));
  std::vector<std::vector<Neighbour>> result(static_cast<std::size_t>(n));
  parallel_blocks(n, items_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      auto found = graph->searchKnn(points.row(j).data(), wanted);
      for (; !found.empty(); found.pop()) {
        const auto i = static_cast<Index>(found.top().second);
        if (i == j) continue;
        const double value =
            measure<T>(std::as_const(items).row(i), std::as_const(items).row(j), norms[i] * norms[j], closeness);
        if (closeness == Closeness::cosine && !(value > 0)) continue;
        result[j].push_back({static_cast<RowIndex>(i), value});
      }
      std::ranges::sort(result[j], [&](const Neighbour& x, const Neighbour& y) { return is_nearer(x, y, closeness); });
      if (static_cast<Index>(result[j].size()) > count) result[j].resize(static_cast<std::size_t>(count));
    }
  });
  return result;
}

template <class T>
double recall_of(const Dataset<T>& items, const std::vector<std::vector<Neighbour>>& found, Index count,
                 Closeness closeness, Index sample) {
  const auto& x = std::get<Matrix<T>>(items.values);
  const Index n = x.rows(), taken = std::min(n, sample);
  const std::vector<double> norms = norms_of_rows(x);
  struct Counts {
    double found = 0, all = 0;
    Counts& operator+=(const Counts& other) {
      found += other.found;
      all += other.all;
      return *this;
    }
  };
  const Counts counts = sum_blocks(taken, 1, Counts{}, [&](Index begin, Index) {
    const Index j = begin * n / taken;
    std::vector<Neighbour> all;
    for (Index i = 0; i < n; ++i) {
      if (i == j) continue;
      const double value = measure<T>(x.row(i), x.row(j), norms[i] * norms[j], closeness);
      if (closeness == Closeness::cosine && !(value > 0)) continue;
      all.push_back({static_cast<RowIndex>(i), value});
    }
    const auto kept = std::min<std::size_t>(all.size(), static_cast<std::size_t>(count));
    if (kept == 0) return Counts{};
    std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(kept) - 1,
                             [&](const Neighbour& a, const Neighbour& b) { return is_nearer(a, b, closeness); });
    const double last = all[kept - 1].value;
    std::size_t good = 0;
    for (std::size_t c = 0; c < std::min(kept, found[j].size()); ++c)
      good += closeness == Closeness::cosine ? found[j][c].value >= last : found[j][c].value <= last;
    return Counts{static_cast<double>(good), static_cast<double>(kept)};
  });
  return counts.all > 0 ? counts.found / counts.all : 1;
}

#define COPSE_INSTANTIATE(T)                                                                               \
  template std::vector<std::vector<Neighbour>> approximate_neighbours(const Matrix<T>&, Index, Closeness); \
  template double recall_of(const Dataset<T>&, const std::vector<std::vector<Neighbour>>&, Index, Closeness, Index);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
