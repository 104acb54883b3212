#include "copse/cluster/anchor_words.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/stopwatch.h"
#include "copse/nmf/stop_after.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

constexpr Index terms_per_task = 64;
constexpr double nothing = 1e-10;  // a squared distance beside the largest: round-off

using Vector = std::vector<double>;

// Q = B B' - diag(d), where column d of B is h_d / sqrt(n_d (n_d - 1)).
class CoOccurrence {
 public:
  template <class T>
  explicit CoOccurrence(SparseView<T> counts) {
    by_document_.rows = counts.rows;
    diagonal_.assign(static_cast<std::size_t>(counts.rows), 0);
    for (Index d = 0; d < counts.cols; ++d) {
      double length = 0;
      for (Index p = counts.offsets[d]; p < counts.offsets[d + 1]; ++p) {
        const double value = counts.values[p];
        if (!(value >= 0) || value != std::floor(value) || !std::isfinite(value))
          throw InvalidArgument("Anchor words are found from counts: entry " + std::to_string(value) + " of item " +
                                std::to_string(d + 1) + " is no count. Give raw counts, without weights.");
        length += value;
      }
      if (length < 2) continue;
      const double pairs = length * (length - 1);
      for (Index p = counts.offsets[d]; p < counts.offsets[d + 1]; ++p) {
        const double value = counts.values[p];
        if (value == 0) continue;
        by_document_.indices.push_back(counts.indices[p]);
        by_document_.values.push_back(value / std::sqrt(pairs));
        diagonal_[counts.indices[p]] += value / pairs;
      }
      by_document_.offsets.push_back(static_cast<Index>(by_document_.indices.size()));
      ++by_document_.cols;
    }
    if (by_document_.cols == 0)
      throw InvalidArgument("Anchor words are found from words that occur together: no document has two words.");
    by_term_ = transpose<double>(by_document_);
    // Row sums: with 1 for v, Q v.
    sums_ = times(Vector(static_cast<std::size_t>(terms()), 1));
  }

  Index terms() const { return by_document_.rows; }
  Index documents() const { return by_document_.cols; }
  Index documents_with(Index term) const { return by_term_.offsets[term + 1] - by_term_.offsets[term]; }
  const Vector& sums() const { return sums_; }

  // Q v, two reads of the counts.
  Vector times(const Vector& v) const {
    Vector middle(static_cast<std::size_t>(by_document_.cols));
    gather(by_document_, v, middle);
    Vector out(static_cast<std::size_t>(terms()));
    gather(by_term_, middle, out);
    for (Index i = 0; i < terms(); ++i) out[i] -= diagonal_[i] * v[i];
    return out;
  }

  // Row i of Qbar, dense, into `row`, which has zeros; `touched` lists where it is not zero.
  void row(Index i, Vector& row, std::vector<RowIndex>& touched) const {
    touched.clear();
    if (!(sums_[i] > 0)) return;
    for (Index e = by_term_.offsets[i]; e < by_term_.offsets[i + 1]; ++e) {
      const Index d = by_term_.indices[e];
      const double value = by_term_.values[e] / sums_[i];
      for (Index p = by_document_.offsets[d]; p < by_document_.offsets[d + 1]; ++p) {
        const RowIndex j = by_document_.indices[p];
        if (row[j] == 0) touched.push_back(j);
        row[j] += value * by_document_.values[p];
      }
    }
    row[i] -= diagonal_[i] / sums_[i];
  }

  Vector row(Index i) const {
    Vector out(static_cast<std::size_t>(terms()), 0);
    std::vector<RowIndex> touched;
    row(i, out, touched);
    return out;
  }

  // |qbar_i|^2 for every term.
  Vector squares() const {
    Vector out(static_cast<std::size_t>(terms()), 0);
    parallel_blocks(terms(), terms_per_task, [&](Index begin, Index end) {
      Vector dense(static_cast<std::size_t>(terms()), 0);
      std::vector<RowIndex> touched;
      for (Index i = begin; i < end; ++i) {
        row(i, dense, touched);
        std::ranges::sort(touched);
        for (const RowIndex j : touched) {
          out[i] += dense[j] * dense[j];
          dense[j] = 0;
        }
      }
    });
    return out;
  }

  // Qbar v.
  Vector normalized_times(const Vector& v) const {
    Vector out = times(v);
    for (Index i = 0; i < terms(); ++i) out[i] = sums_[i] > 0 ? out[i] / sums_[i] : 0;
    return out;
  }

 private:
  static void gather(const SparseMatrix<double>& x, const Vector& v, Vector& out) {
    parallel_blocks(x.cols, 256, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        double sum = 0;
        for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p) sum += x.values[p] * v[x.indices[p]];
        out[j] = sum;
      }
    });
  }

  SparseMatrix<double> by_document_;  // B
  SparseMatrix<double> by_term_;      // B'
  Vector diagonal_;
  Vector sums_;
};

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// Rows that stand at right angles to each other, of unit length.
class Basis {
 public:
  // The part of v outside of the span, of unit length, joins. Returns the length that it had.
  double add(Vector v) {
    for (int twice = 0; twice < 2; ++twice) {
      for (const Vector& u : rows_) {
        const double share = dot(u, v);
        for (std::size_t j = 0; j < v.size(); ++j) v[j] -= share * u[j];
      }
    }
    const double length = std::sqrt(dot(v, v));
    if (length > 0) {
      for (double& value : v) value /= length;
    }
    rows_.push_back(std::move(v));
    return length;
  }
  const Vector& back() const { return rows_.back(); }
  const std::vector<Vector>& rows() const { return rows_; }

 private:
  std::vector<Vector> rows_;
};

void subtract_squares(const Vector& products, Vector& left) {
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = std::max(0.0, left[i] - products[i] * products[i]);
}

// The candidate with the largest value, that is not in `taken`; -1 if there is none.
Index farthest(const Vector& values, const std::vector<Index>& candidates, const std::vector<Index>& taken) {
  Index best = -1;
  for (const Index i : candidates) {
    if (std::ranges::find(taken, i) != taken.end()) continue;
    if (best < 0 || values[i] > values[best]) best = i;
  }
  return best;
}

}  // namespace

template <class T>
AnchorResult<T> anchor_topics(SparseView<T> counts, const AnchorOptions& options) {
  const Stopwatch watch;
  if (options.topics < 1) throw InvalidArgument("The number of topics must be at least 1.");
  if (options.min_documents < 0) throw InvalidArgument("An anchor cannot occur in less than no document.");
  const CoOccurrence q(counts);
  Index least = options.min_documents;
  if (least == 0) least = std::llround(std::floor(std::sqrt(static_cast<double>(counts.cols))));
  std::vector<Index> candidates;
  for (Index i = 0; i < q.terms(); ++i) {
    if (q.documents_with(i) >= least && q.sums()[i] > 0) candidates.push_back(i);
  }
  if (static_cast<Index>(candidates.size()) < options.topics) {
    throw InvalidArgument("Anchors for " + std::to_string(options.topics) +
                          " topics are looked for among words of at least " + std::to_string(least) +
                          " documents, of which there are " + std::to_string(candidates.size()) +
                          ". Ask for fewer topics, or lower the number of documents.");
  }
  AnchorResult<T> result;
  const Vector squares = q.squares();
  std::vector<Index>& anchors = result.anchors;
  // The farthest from the origin, then from the span of those before.
  Basis basis;
  Vector left = squares;
  double first = 0;
  while (static_cast<Index>(anchors.size()) < options.topics) {
    const Index next = farthest(left, candidates, anchors);
    if (anchors.empty()) first = left[next];
    if (next < 0 || !(left[next] > nothing * first)) break;
    const double length = basis.add(q.row(next));
    if (!(length * length > nothing * first)) break;
    anchors.push_back(next);
    subtract_squares(q.normalized_times(basis.back()), left);
    const AnchorIteration latest{static_cast<int>(anchors.size()), length, watch.seconds()};
    result.history.push_back(latest);
    const bool is_last = static_cast<Index>(anchors.size()) == options.topics;
    const auto reason = stop_after(latest, options, is_last ? std::optional(StopReason::converged) : std::nullopt);
    if (reason) {
      result.stop_reason = *reason;
      break;
    }
  }
  const auto k = static_cast<Index>(anchors.size());
  // Each anchor again, the farthest from the span of all others.
  if (result.stop_reason == StopReason::converged) {
    std::vector<Vector> rows;
    for (const Index anchor : anchors) rows.push_back(q.row(anchor));
    for (Index a = 0; a < k && k > 1; ++a) {
      Basis others;
      Vector rest = squares;
      for (Index b = 0; b < k; ++b) {
        if (b == a) continue;
        others.add(rows[b]);
        subtract_squares(q.normalized_times(others.back()), rest);
      }
      std::vector<Index> taken = anchors;
      taken.erase(taken.begin() + a);
      const Index better = farthest(rest, candidates, taken);
      if (better < 0 || better == anchors[a] || !(rest[better] > rest[anchors[a]] * (1 + 1e-9))) continue;
      anchors[a] = better;
      rows[a] = q.row(better);
    }
  }
  // RecoverL2: min |qbar_i - c'Qbar_A|^2, c >= 0, 1'c = 1. The sum enters as one more equation of large weight, and is
  // made exact afterwards.
  Matrix<double> products(q.terms(), k);
  for (Index a = 0; a < k; ++a) {
    const Vector column = q.normalized_times(q.row(anchors[a]));
    for (Index i = 0; i < q.terms(); ++i) products(i, a) = column[i];
  }
  Matrix<double> gram(k, k);
  double trace = 0;
  for (Index a = 0; a < k; ++a) {
    for (Index b = 0; b < k; ++b) gram(a, b) = products(anchors[std::max(a, b)], std::min(a, b));
    trace += gram(a, a);
  }
  const double weight = 1e4 * trace / static_cast<double>(std::max<Index>(k, 1));
  Matrix<double> weighted = gram;
  Matrix<double> rhs = products;
  for (double& value : weighted.values()) value += weight;
  for (Index i = 0; i < q.terms(); ++i) {
    if (!(q.sums()[i] > 0)) continue;
    for (double& value : rhs.row(i)) value += weight;
  }
  Matrix<double> mixtures;
  solve_pivoting(weighted, rhs, mixtures);
  const double all = std::accumulate(q.sums().begin(), q.sums().end(), 0.0);
  result.words = Matrix<T>(q.terms(), k);
  result.mixtures = Matrix<T>(q.terms(), k);
  result.topic_shares.assign(static_cast<std::size_t>(k), 0);
  Matrix<double> joint(q.terms(), k);  // p(word, topic)
  double distance = 0;
  double whole = 0;
  for (Index i = 0; i < q.terms(); ++i) {
    const auto row = mixtures.row(i);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (!(sum > 0) || !(q.sums()[i] > 0)) continue;
    double square = squares[i];
    for (Index a = 0; a < k; ++a) row[a] /= sum;
    for (Index a = 0; a < k; ++a) {
      double fitted = 0;
      for (Index b = 0; b < k; ++b) fitted += gram(a, b) * row[b];
      square += row[a] * (fitted - 2 * products(i, a));
      result.mixtures(i, a) = static_cast<T>(row[a]);
      joint(i, a) = row[a] * q.sums()[i] / all;
      result.topic_shares[a] += joint(i, a);
    }
    distance += std::max(0.0, square);
    whole += squares[i];
  }
  for (Index i = 0; i < q.terms(); ++i) {
    for (Index a = 0; a < k; ++a) {
      if (result.topic_shares[a] > 0) result.words(i, a) = static_cast<T>(joint(i, a) / result.topic_shares[a]);
    }
  }
  result.residual = whole > 0 ? std::sqrt(distance / whole) : 0;
  return result;
}

template AnchorResult<float> anchor_topics(SparseView<float>, const AnchorOptions&);
template AnchorResult<double> anchor_topics(SparseView<double>, const AnchorOptions&);

}  // namespace copse
