#include "copse/graph/neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/kernels/dense_product.h"

namespace copse {
namespace {

constexpr Index dense_items_per_block = 64;
constexpr Index dense_items_per_chunk = 1024;
constexpr Index sparse_items_per_block = 256;
constexpr double first_look = 0.45;  // norm of what is left of an item
constexpr double look_again = 0.7;   // of that norm at the look before, and of the cosine that is known to be reached
constexpr double rest_cost = 10;     // of one bound, in units of one step of accumulation
constexpr double exact_entry_cost = 2;  // of measuring a candidate, per entry, in units of one step of accumulation

// Whether a is nearer than b: `value` is what is minimised.
struct Candidate {
  double value;
  RowIndex item;
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.value != b.value ? a.value < b.value : a.item < b.item;
  }
};

// The nearest of the candidates, with the values as the caller sees them.
std::vector<Neighbour> nearest(std::vector<Candidate>& candidates, Index count, Closeness closeness) {
  const auto kept = std::min<std::size_t>(candidates.size(), static_cast<std::size_t>(count));
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end());
  std::vector<Neighbour> result;
  for (std::size_t c = 0; c < kept; ++c)
    result.push_back({candidates[c].item, closeness == Closeness::cosine ? -candidates[c].value : candidates[c].value});
  return result;
}

// Items that may be among the nearest, from values known up to an error each.
class Candidates {
 public:
  void start(Index count) {
    count_ = static_cast<std::size_t>(count);
    uppers_.clear();
    seen_.clear();
  }
  void add(RowIndex item, double value, double error) {
    if (uppers_.size() == count_) {
      if (value - error > uppers_.front()) return;
      if (value + error < uppers_.front()) {
        std::pop_heap(uppers_.begin(), uppers_.end());
        uppers_.back() = value + error;
        std::push_heap(uppers_.begin(), uppers_.end());
      }
    } else {
      uppers_.push_back(value + error);
      std::push_heap(uppers_.begin(), uppers_.end());
    }
    seen_.push_back({value - error, item});
    if (seen_.size() > 8 * count_ + 256) drop();
  }
  const std::vector<Candidate>& rest() {
    drop();
    return seen_;
  }

 private:
  // Forgets those that `count` others are surely nearer than. Ties stay.
  void drop() {
    if (uppers_.size() < count_ || count_ == 0) return;
    std::erase_if(seen_, [&](const Candidate& c) { return c.value > uppers_.front(); });
  }

  std::size_t count_ = 0;
  std::vector<double> uppers_;  // a heap of the `count` smallest upper bounds
  std::vector<Candidate> seen_;
};

template <class T>
std::vector<double> norms_of(const Dataset<T>& items) {
  std::vector<double> norms(static_cast<std::size_t>(items.items()));
  parallel_blocks(items.items(), 1024, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      double square = 0;
      visit_nonzeros(items, j,
                     [&](Index, T value) { square += static_cast<double>(value) * static_cast<double>(value); });
      norms[j] = std::sqrt(square);
    }
  });
  for (const double norm : norms) {
    if (!std::isfinite(norm)) throw InvalidArgument("an item holds a value that is not finite");
  }
  return norms;
}

// Dense items.

template <class T>
double exact_value(const Matrix<T>& x, Index i, Index j, Closeness closeness, const std::vector<double>& norms) {
  const T *a = x.row(i).data(), *b = x.row(j).data();
  double sum = 0;
  if (closeness == Closeness::distance) {
    for (Index f = 0; f < x.cols(); ++f) {
      const double difference = static_cast<double>(a[f]) - static_cast<double>(b[f]);
      sum += difference * difference;
    }
    return sum;
  }
  for (Index f = 0; f < x.cols(); ++f) sum += static_cast<double>(a[f]) * static_cast<double>(b[f]);
  return -sum / (norms[i] * norms[j]);
}

template <class T>
std::vector<std::vector<Neighbour>> dense_neighbours(const Matrix<T>& x, Index count, Closeness closeness,
                                                     const std::vector<double>& norms) {
  const Index n = x.rows(), m = x.cols();
  // |fl(x'y) - x'y| <= m eps |x| |y|, and a few more roundings around it.
  const double eps = static_cast<double>(m + 8) * std::numeric_limits<T>::epsilon();
  std::vector<std::vector<Neighbour>> result(static_cast<std::size_t>(n));
  parallel_blocks(n, dense_items_per_block, [&](Index begin, Index end) {
    const Index width = end - begin;
    Matrix<T> block(m, width), products;
    for (Index c = 0; c < width; ++c) {
      for (Index f = 0; f < m; ++f) block(f, c) = x(begin + c, f);
    }
    std::vector<Candidates> candidates(static_cast<std::size_t>(width));
    for (Candidates& c : candidates) c.start(count);
    for (Index first = 0; first < n; first += dense_items_per_chunk) {
      const Index height = std::min(dense_items_per_chunk, n - first);
      times<T>({.values = x.data() + first * m, .rows = height, .row_step = m, .column_step = 1}, block, products);
      for (Index r = 0; r < height; ++r) {
        const Index j = first + r;
        for (Index c = 0; c < width; ++c) {
          const Index i = begin + c;
          const double product = static_cast<double>(products(r, c)), bound = norms[i] * norms[j];
          if (i == j) continue;
          if (closeness == Closeness::distance) {
            const double size = norms[i] + norms[j];
            candidates[c].add(static_cast<RowIndex>(j), norms[i] * norms[i] + norms[j] * norms[j] - 2 * product,
                              2 * eps * size * size);
          } else if (bound > 0) {
            candidates[c].add(static_cast<RowIndex>(j), -product / bound, eps);
          }
        }
      }
    }
    for (Index c = 0; c < width; ++c) {
      std::vector<Candidate> exact;
      for (const Candidate& candidate : candidates[c].rest()) {
        const double value = exact_value(x, begin + c, candidate.item, closeness, norms);
        if (closeness == Closeness::distance || value < 0) exact.push_back({value, candidate.item});
      }
      result[begin + c] = nearest(exact, count, closeness);
    }
  });
  return result;
}

// Sparse items.

// Unit columns whose rows are sorted by how many items they occur in, rare ones first.
struct SortedItems {
  SparseMatrix<float> items;     // features x items
  SparseMatrix<float> postings;  // its transpose
  Buffer<float> rest;            // per entry of items: norm of this and all later entries of the item
};

template <class T>
SortedItems sort_features(const SparseMatrix<T>& x, const std::vector<double>& norms) {
  SparseMatrix<float> unit{.rows = x.rows, .cols = x.cols, .offsets = x.offsets, .indices = x.indices};
  unit.values.resize(x.values.size());
  parallel_blocks(x.cols, 1024, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p)
        unit.values[p] = norms[j] > 0 ? static_cast<float>(static_cast<double>(x.values[p]) / norms[j]) : 0.0f;
    }
  });
  SortedItems sorted;
  const SparseMatrix<float> postings = transpose<float>(unit);
  std::vector<Index> order(static_cast<std::size_t>(x.rows));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return postings.offsets[a + 1] - postings.offsets[a] < postings.offsets[b + 1] - postings.offsets[b];
  });
  sorted.postings = select_columns<float>(postings, order);
  sorted.items = transpose<float>(sorted.postings);
  sorted.rest.resize(sorted.items.values.size());
  parallel_blocks(x.cols, 1024, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      double square = 0;
      for (Index p = sorted.items.offsets[j + 1]; p-- > sorted.items.offsets[j];) {
        square += static_cast<double>(sorted.items.values[p]) * static_cast<double>(sorted.items.values[p]);
        sorted.rest[p] = static_cast<float>(std::sqrt(square));
      }
    }
  });
  return sorted;
}

// The neighbours of one item after the other, with what they need of memory.
template <class T>
class SparseSearch {
 public:
  SparseSearch(const SparseMatrix<T>& x, const SortedItems& sorted, const std::vector<double>& norms, Index count,
               Closeness closeness)
      : x_(x),
        sorted_(sorted),
        norms_(norms),
        count_(count),
        closeness_(closeness),
        products_(static_cast<std::size_t>(x.cols), 0.0f),
        values_(static_cast<std::size_t>(x.rows), 0.0) {}

  std::vector<Neighbour> operator()(Index j) {
    for (Index p = x_.offsets[j]; p < x_.offsets[j + 1]; ++p)
      values_[x_.indices[p]] = static_cast<double>(x_.values[p]);
    std::vector<Neighbour> result = closeness_ == Closeness::cosine ? by_cosine(j) : by_distance(j);
    for (Index p = x_.offsets[j]; p < x_.offsets[j + 1]; ++p) values_[x_.indices[p]] = 0;
    if (listed_) {
      for (const RowIndex i : touched_) products_[i] = 0;
    } else {
      std::fill(products_.begin(), products_.end(), 0.0f);
    }
    touched_.clear();
    listed_ = true;
    return result;
  }

 private:
  // Adds one entry's products with all items that share its feature. Once many items were met, a list of them costs
  // more than it saves.
  void accumulate(Index entry) {
    const float value = sorted_.items.values[entry];
    const Index f = sorted_.items.indices[entry];
    const Index begin = sorted_.postings.offsets[f], end = sorted_.postings.offsets[f + 1];
    const RowIndex* items = sorted_.postings.indices.data();
    const float* values = sorted_.postings.values.data();
    if (!listed_) {
      for (Index p = begin; p < end; ++p) products_[items[p]] += value * values[p];
      return;
    }
    for (Index p = begin; p < end; ++p) {
      float& product = products_[items[p]];
      if (product == 0) touched_.push_back(items[p]);
      product += value * values[p];
    }
    listed_ = std::ssize(touched_) < x_.cols / 8;
  }

  // Calls visit(item, product) for all items that were met and whose product is above `bound`, which visit may raise;
  // some perhaps twice.
  template <class Visit>
  void for_each_above(const float& bound, const Visit& visit) const {
    if (listed_) {
      for (const RowIndex i : touched_) {
        if (products_[i] > bound) visit(i, products_[i]);
      }
      return;
    }
    constexpr Index step = 8;  // few are above, so that one branch for several pays
    const Index n = x_.cols;
    for (Index i = 0; i < n; i += step) {
      const Index end = std::min(n, i + step);
      if (end == i + step) {
        const float* p = products_.data() + i;
        bool any = false;
        for (Index c = 0; c < step; ++c) any |= p[c] > bound;
        if (!any) continue;
      }
      for (Index c = i; c < end; ++c) {
        if (products_[c] > bound) visit(static_cast<RowIndex>(c), products_[c]);
      }
    }
  }

  double exact(Index j, Index i) const {
    double product = 0;
    if (closeness_ == Closeness::cosine) {
      for (Index p = x_.offsets[i]; p < x_.offsets[i + 1]; ++p)
        product += static_cast<double>(x_.values[p]) * values_[x_.indices[p]];
      return -product / (norms_[i] * norms_[j]);
    }
    // |x - y|^2 over ascending features of either.
    double sum = 0;
    Index p = x_.offsets[i], q = x_.offsets[j];
    while (p < x_.offsets[i + 1] || q < x_.offsets[j + 1]) {
      const RowIndex f = p < x_.offsets[i + 1] ? x_.indices[p] : std::numeric_limits<RowIndex>::max();
      const RowIndex g = q < x_.offsets[j + 1] ? x_.indices[q] : std::numeric_limits<RowIndex>::max();
      const double a = f <= g ? static_cast<double>(x_.values[p++]) : 0;
      const double b = g <= f ? static_cast<double>(x_.values[q++]) : 0;
      sum += (a - b) * (a - b);
    }
    return sum;
  }

  // Features are gone through from rare to frequent. With r the norm of what is left of the item, no product can grow
  // by more than r times what is left of the other. Once r is below a cosine that `count` items are known to reach,
  // items that were not met cannot be neighbours; those that were, and may be, are measured exactly as soon as that
  // costs less than going on. (Bayardo, Ma & Srikant 2007 and Anastasiu & Karypis 2014 prune so.)
  std::vector<Neighbour> by_cosine(Index j) {
    const Index begin = sorted_.items.offsets[j], end = sorted_.items.offsets[j + 1];
    slack_ = 4 * static_cast<double>(end - begin + 8) * std::numeric_limits<float>::epsilon();
    reached_ = 0;
    double left = 0;  // steps of accumulation to go
    for (Index e = begin; e < end; ++e) left += static_cast<double>(postings_of(e));
    double look_below = first_look;
    bool found = false;
    for (Index e = begin; e < end; ++e) {
      const double r = static_cast<double>(sorted_.rest[e]);
      // A look costs about as much as half a step for every item that was met.
      if (r < look_below && left > 2 * static_cast<double>(listed_ ? std::ssize(touched_) : x_.cols)) {
        found = gather(j, e, r, left);
        if (found) break;
        look_below = std::min(look_again * reached_, look_again * r);
      }
      left -= static_cast<double>(postings_of(e));
      accumulate(e);
    }
    if (!found) gather(j, end, 0, std::numeric_limits<double>::infinity());
    std::erase_if(chosen_, [](const Candidate& c) { return !(c.value < 0); });
    return nearest(chosen_, count_, Closeness::cosine);
  }

  // Measures all that may be among the nearest; false if there may be others, or if it would cost more than `left`.
  bool gather(Index j, Index entry, double r, double left) {
    chosen_.clear();
    if (!listed_ || std::ssize(touched_) > count_ + 1) {
      // The items with the largest products so far are measured: the least of them is reached by `count` items.
      heap_.clear();
      float enough = 0;
      for_each_above(enough, [&](RowIndex i, float product) {
        if (i == j) return;
        if (std::any_of(heap_.begin(), heap_.end(), [&](const Candidate& c) { return c.item == i; })) return;
        if (std::ssize(heap_) == count_) {
          std::pop_heap(heap_.begin(), heap_.end());
          heap_.pop_back();
        }
        heap_.push_back({-static_cast<double>(product), i});
        std::push_heap(heap_.begin(), heap_.end());
        if (std::ssize(heap_) == count_) enough = static_cast<float>(-heap_.front().value);
      });
      if (std::ssize(heap_) == count_) {
        double worst = std::numeric_limits<double>::infinity();
        for (const Candidate& c : heap_) worst = std::min(worst, -exact(j, c.item));
        reached_ = std::max(reached_, worst);
      }
    }
    if (r > 0 && r + slack_ >= reached_) return false;
    // The next float below keeps those that are just at the bound.
    float least = std::nextafter(static_cast<float>(std::max(0.0, reached_ - r - slack_)), -1.0f);
    const RowIndex feature = r > 0 ? sorted_.items.indices[entry] : 0;
    double cost = 0;
    for_each_above(least, [&](RowIndex i, float product) {
      if (i == j) return;
      if (cost > left) {
        least = std::numeric_limits<float>::infinity();  // enough was seen
        return;
      }
      cost += r > 0 ? rest_cost : 0;
      if (r > 0 && static_cast<double>(product) + r * rest_of(i, feature) + slack_ < reached_) return;
      chosen_.push_back({0, i});
      cost += exact_entry_cost * static_cast<double>(x_.offsets[i + 1] - x_.offsets[i]);
    });
    if (cost > left) return false;
    // A product that rounded to zero may have put its item into the list twice.
    std::sort(chosen_.begin(), chosen_.end());
    chosen_.erase(std::unique(chosen_.begin(), chosen_.end(),
                              [](const Candidate& a, const Candidate& b) { return a.item == b.item; }),
                  chosen_.end());
    for (Candidate& c : chosen_) c.value = exact(j, c.item);
    return true;
  }

  // The norm of the item's entries from a feature on.
  double rest_of(Index i, RowIndex feature) const {
    const auto first = sorted_.items.indices.begin();
    const auto begin = first + sorted_.items.offsets[i], end = first + sorted_.items.offsets[i + 1];
    const auto found = std::lower_bound(begin, end, feature);
    return found == end ? 0 : static_cast<double>(sorted_.rest[found - first]);
  }

  // Items that share nothing are at the distance of their norms, so that all count.
  std::vector<Neighbour> by_distance(Index j) {
    const Index begin = sorted_.items.offsets[j], end = sorted_.items.offsets[j + 1];
    for (Index e = begin; e < end; ++e) accumulate(e);
    const double eps = 4 * static_cast<double>(end - begin + 8) * std::numeric_limits<float>::epsilon();
    candidates_.start(count_);
    for (Index i = 0; i < x_.cols; ++i) {
      if (i == j) continue;
      const double size = norms_[i] + norms_[j];
      const double product = static_cast<double>(products_[i]) * norms_[i] * norms_[j];
      candidates_.add(static_cast<RowIndex>(i), norms_[i] * norms_[i] + norms_[j] * norms_[j] - 2 * product,
                      eps * size * size);
    }
    chosen_.clear();
    for (const Candidate& c : candidates_.rest()) chosen_.push_back({exact(j, c.item), c.item});
    return nearest(chosen_, count_, Closeness::distance);
  }

  Index postings_of(Index entry) const {
    const Index f = sorted_.items.indices[entry];
    return sorted_.postings.offsets[f + 1] - sorted_.postings.offsets[f];
  }

  const SparseMatrix<T>& x_;
  const SortedItems& sorted_;
  const std::vector<double>& norms_;
  const Index count_;
  const Closeness closeness_;
  std::vector<float> products_;    // with the item at hand, by item
  std::vector<RowIndex> touched_;  // items whose product is not zero,
  bool listed_ = true;             // as long as they are few
  std::vector<double> values_;     // of the item at hand, by feature
  std::vector<Candidate> chosen_, heap_;
  double slack_ = 0;    // what the sums in single precision may be wrong by
  double reached_ = 0;  // a cosine that `count` items are known to reach
  Candidates candidates_;
};

}  // namespace

template <class T>
std::vector<std::vector<Neighbour>> nearest_neighbours(const Dataset<T>& items, Index count, Closeness closeness) {
  if (count < 1) throw InvalidArgument("the number of neighbours must be at least 1");
  const std::vector<double> norms = norms_of(items);
  if (const auto* dense = std::get_if<Matrix<T>>(&items.values))
    return dense_neighbours(*dense, count, closeness, norms);
  const auto& x = std::get<SparseMatrix<T>>(items.values);
  for (const T value : x.values) {
    if (value < T(0)) throw InvalidArgument("sparse items must not have negative entries");
  }
  const SortedItems sorted = sort_features(x, norms);
  std::vector<std::vector<Neighbour>> result(static_cast<std::size_t>(x.cols));
  parallel_blocks(x.cols, sparse_items_per_block, [&](Index begin, Index end) {
    SparseSearch<T> search(x, sorted, norms, count, closeness);
    for (Index j = begin; j < end; ++j) result[j] = search(j);
  });
  return result;
}

template std::vector<std::vector<Neighbour>> nearest_neighbours(const Dataset<float>&, Index, Closeness);
template std::vector<std::vector<Neighbour>> nearest_neighbours(const Dataset<double>&, Index, Closeness);

}  // namespace copse
