#include "copse/choose/null_data.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/kernels/small_eigen.h"

namespace copse {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr Index items_per_block = 32;

template <class T>
Rows dense_items(const Dataset<T>& data) {
  Rows items = Rows::Zero(data.items(), data.features());
  for (Index j = 0; j < data.items(); ++j)
    visit_nonzeros(data, j, [&](Index i, T value) { items(j, i) = static_cast<double>(value); });
  return items;
}

// [Kuang 2014, algorithm 3]. X_c = U S V' is the data with the mean of each feature taken away, Y = U'X_c = S V' the
// items in the principal components. New items are U Z + mu with Z uniform in the box of Y, and then every feature that
// has negative entries moves up.
template <class T>
class BoxNull : public NullData<T> {
 public:
  explicit BoxNull(const Dataset<T>& data) {
    Rows items = dense_items(data);
    const Index n = items.rows(), m = items.cols();
    mean_ = items.colwise().mean();
    items.rowwise() -= mean_;
    // The smaller Gram matrix has all singular values: m may be far above n, or n far above m.
    const bool few_items = n <= m;
    const Eigen::MatrixXd gram =
        few_items ? Eigen::MatrixXd(items * items.transpose()) : Eigen::MatrixXd(items.transpose() * items);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
    const Eigen::VectorXd& squares = solver.eigenvalues();  // ascending
    const Index size = squares.size();
    const double floor =
        std::max(0.0, squares(size - 1)) * static_cast<double>(size) * std::numeric_limits<double>::epsilon();
    Index rank = 0;
    while (rank < size && squares(size - 1 - rank) > floor) ++rank;
    const Eigen::MatrixXd vectors = solver.eigenvectors().rightCols(rank);
    const Eigen::VectorXd values = squares.tail(rank).cwiseSqrt();
    Eigen::MatrixXd coordinates;  // n x rank: row j is y_j
    if (few_items) {
      coordinates = vectors * values.asDiagonal();
      axes_ = (vectors * values.cwiseInverse().asDiagonal()).transpose() * items;
    } else {
      axes_ = vectors.transpose();
      coordinates = items * vectors;
    }
    low_ = coordinates.colwise().minCoeff();
    high_ = coordinates.colwise().maxCoeff();
    items_ = n;
  }

  Dataset<T> draw(std::uint64_t seed) const override {
    const Index m = axes_.cols(), rank = axes_.rows();
    Rows items(items_, m);
    parallel_blocks(items_, items_per_block, [&](Index begin, Index end) {
      Rows z(end - begin, rank);
      for (Index j = begin; j < end; ++j) {
        Random random(seed, static_cast<std::uint64_t>(j));
        for (Index r = 0; r < rank; ++r) z(j - begin, r) = low_(r) + (high_(r) - low_(r)) * random.uniform();
      }
      items.middleRows(begin, end - begin).noalias() = z * axes_;
      items.middleRows(begin, end - begin).rowwise() += mean_;
    });
    const Eigen::RowVectorXd shift = items.colwise().minCoeff().cwiseMin(0.0);
    Matrix<T> values(items_, m);
    for (Index j = 0; j < items_; ++j) {
      for (Index i = 0; i < m; ++i) values(j, i) = static_cast<T>(std::max(0.0, items(j, i) - shift(i)));
    }
    return {.values = std::move(values)};
  }

 private:
  Index items_ = 0;
  Eigen::RowVectorXd mean_;
  Rows axes_;  // rank x m: U'
  Eigen::RowVectorXd low_, high_;
};

template <class T>
class ShuffledNull : public NullData<T> {
 public:
  explicit ShuffledNull(const Dataset<T>& data) : dense_(!data.is_sparse()), features_(data.features()) {
    SparseMatrix<T> by_item{.rows = data.features(), .cols = data.items()};
    std::vector<double> norms;
    for (Index j = 0; j < data.items(); ++j) {
      double square = 0;
      visit_nonzeros(data, j, [&](Index i, T value) {
        by_item.indices.push_back(static_cast<RowIndex>(i));
        by_item.values.push_back(value);
        square += static_cast<double>(value) * static_cast<double>(value);
      });
      by_item.offsets.push_back(static_cast<Index>(by_item.values.size()));
      norms.push_back(std::sqrt(square));
    }
    norms_ = std::move(norms);
    for (Index j = 0; j < by_item.cols; ++j) entries_up_to_.push_back(by_item.offsets[j + 1]);
    entries_per_step_ = static_cast<Index>(
        std::bit_ceil(static_cast<std::uint64_t>(by_item.nonzeros() / std::max<Index>(1, by_item.cols) + 1)));
    for (Index entry = 0, item = 0; entry < by_item.nonzeros(); entry += entries_per_step_) {
      while (entries_up_to_[item] <= entry) ++item;
      steps_.push_back(item);
    }
    steps_.push_back(by_item.cols - 1);
    by_feature_ = transpose<T>(by_item);
    filled_items_ = static_cast<Index>(std::ranges::count_if(norms_, [](double norm) { return norm > 0; }));
  }

  Dataset<T> draw(std::uint64_t seed) const override {
    const auto n = static_cast<Index>(norms_.size());
    SparseMatrix<T> shuffled = by_feature_;
    parallel_blocks(features_, items_per_block, [&](Index begin, Index end) {
      std::vector<std::uint64_t> taken(static_cast<std::size_t>(n + 63) / 64);
      for (Index i = begin; i < end; ++i)
        place_feature(i, n, Random(seed, static_cast<std::uint64_t>(i)), taken, shuffled);
    });
    SparseMatrix<T> items = transpose<T>(shuffled);
    items.rows = features_;
    parallel_blocks(n, items_per_block, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        double square = 0;
        for (Index p = items.offsets[j]; p < items.offsets[j + 1]; ++p)
          square += static_cast<double>(items.values[p]) * static_cast<double>(items.values[p]);
        if (square == 0) continue;
        const double scale = norms_[j] / std::sqrt(square);
        for (Index p = items.offsets[j]; p < items.offsets[j + 1]; ++p)
          items.values[p] = static_cast<T>(items.values[p] * scale);
      }
    });
    if (!dense_) return {.values = std::move(items)};
    Matrix<T> values(n, features_);
    for (Index j = 0; j < n; ++j) {
      for (Index p = items.offsets[j]; p < items.offsets[j + 1]; ++p) values(j, items.indices[p]) = items.values[p];
    }
    return {.values = std::move(values)};
  }

 private:
  // The item that an entry of the data belongs to.
  Index item_of(Index entry) const {
    const auto step = steps_.begin() + entry / entries_per_step_;
    return std::upper_bound(entries_up_to_.begin() + step[0], entries_up_to_.begin() + step[1], entry) -
           entries_up_to_.begin();
  }

  // New items for the entries of feature i: each the item of an entry of the data drawn at random, at most once. When
  // half of the items are taken, drawing would go on for long: the rest go to items that are left, all alike.
  // `taken` has a bit for each item, 0 before and after.
  void place_feature(Index i, Index n, Random random, std::vector<std::uint64_t>& taken,
                     SparseMatrix<T>& shuffled) const {
    const Index begin = shuffled.offsets[i], count = shuffled.offsets[i + 1] - begin;
    if (count == 0) return;
    const auto is_taken = [&](Index item) { return (taken[item / 64] >> (item % 64) & 1) != 0; };
    Index chosen = 0;
    const auto take = [&](Index item) {
      taken[item / 64] |= std::uint64_t{1} << (item % 64);
      ++chosen;
    };
    while (chosen < count && 2 * chosen < filled_items_) {
      const Index item = item_of(random.below(entries_up_to_.back()));
      if (!is_taken(item)) take(item);
    }
    if (chosen < count) {
      std::vector<Index> left;
      for (Index j = 0; j < n; ++j) {
        if (norms_[j] > 0 && !is_taken(j)) left.push_back(j);
      }
      for (std::size_t e = 0; chosen < count && e < left.size(); ++e) {
        std::swap(left[e], left[e + static_cast<std::size_t>(random.below(static_cast<Index>(left.size() - e)))]);
        take(left[e]);
      }
    }
    Index next = begin;
    for (std::size_t word = 0; word < taken.size(); ++word) {
      for (; taken[word] != 0; taken[word] &= taken[word] - 1)
        shuffled.indices[next++] =
            static_cast<RowIndex>(64 * word + static_cast<std::size_t>(std::countr_zero(taken[word])));
    }
    T* values = shuffled.values.data() + begin;
    for (Index e = count; e > 1; --e) std::swap(values[e - 1], values[random.below(e)]);
  }

  bool dense_;
  Index features_;
  Index filled_items_ = 0;  // items with entries
  std::vector<double> norms_;
  std::vector<Index> entries_up_to_;  // running counts of entries by item
  Index entries_per_step_ = 1;
  std::vector<Index> steps_;  // the items of every entries_per_step_-th entry, and the last
  SparseMatrix<T> by_feature_;
};

}  // namespace

template <class T>
std::unique_ptr<NullData<T>> null_data(const Dataset<T>& data, Null kind) {
  if (data.items() == 0 || data.features() == 0) throw InvalidArgument("There is no data to imitate.");
  if (kind == Null::automatic) kind = data.is_sparse() ? Null::shuffled : Null::box;
  if (kind == Null::box) return std::make_unique<BoxNull<T>>(data);
  return std::make_unique<ShuffledNull<T>>(data);
}

template std::unique_ptr<NullData<float>> null_data(const Dataset<float>&, Null);
template std::unique_ptr<NullData<double>> null_data(const Dataset<double>&, Null);

}  // namespace copse
