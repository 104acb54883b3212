#include "copse/kernels/shared_data.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace copse {
namespace {

// A sample with the features of all members' samples, also those that none of its own items has.
template <class T>
class WidenedData : public Data<T> {
 public:
  WidenedData(Sample<T> sample, Index rows)
      : Data<T>({.rows = rows, .cols = sample.data->cols(), .nonzeros = sample.data->nonzeros()}),
        sample_(std::move(sample)) {}

  void times(const Matrix<T>& h, Matrix<T>& out) const override {
    Matrix<T> product;
    sample_.data->times(h, product);
    out.reshape(this->rows(), h.cols());
    std::ranges::fill(out.values(), T(0));
    for (Index i = 0; i < product.rows(); ++i) std::ranges::copy(product.row(i), out.row(sample_.features[i]).begin());
  }
  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override {
    Matrix<T> rows;
    rows.reshape(static_cast<Index>(sample_.features.size()), w.cols());
    for (Index i = 0; i < rows.rows(); ++i) std::ranges::copy(w.row(sample_.features[i]), rows.row(i).begin());
    sample_.data->transpose_times(rows, out);
  }
  double squared_norm_over(int exponent) const override { return sample_.data->squared_norm_over(exponent); }

 private:
  Sample<T> sample_;
};

}  // namespace

template <class T>
SharedData<T>::SharedData(std::unique_ptr<Data<T>> own, const Team& team, std::vector<Index> row_starts)
    : Data<T>(Sizes{}),
      owned_(std::move(own)),
      own_(*owned_),
      team_(team),
      rank_(team.rank()),
      row_starts_(row_starts.empty() ? team.starts_of(own_.rows(), rows_in_step) : std::move(row_starts)),
      item_starts_(static_cast<std::size_t>(team.size() + 1), 0) {
  std::vector<double> counts(static_cast<std::size_t>(team.size() + 2), 0);
  counts[rank_] = static_cast<double>(own_.cols());
  counts[team.size()] = static_cast<double>(own_.nonzeros());
  counts[team.size() + 1] = own_.is_fetched() ? 1 : 0;
  team.sum(counts);
  for (int r = 0; r < team.size(); ++r) item_starts_[r + 1] = item_starts_[r] + static_cast<Index>(counts[r]);
  this->set_sizes({.rows = row_starts_[rank_ + 1] - row_starts_[rank_],
                   .cols = own_.cols(),
                   .nonzeros = own_.nonzeros(),
                   .is_fetched = counts[team.size() + 1] > 0,
                   .whole = Whole{own_.rows(), item_starts_.back(), static_cast<Index>(counts[team.size()]),
                                  row_starts_[rank_], item_starts_[rank_]}});
}

namespace {

// Data that somebody else keeps, as an owner would hold it.
template <class T>
class BorrowedData : public Data<T>, public SelectsItems<T> {
 public:
  explicit BorrowedData(const Data<T>& x) : Data<T>(x.sizes()), x_(x) {}
  void times(const Matrix<T>& h, Matrix<T>& out) const override { x_.times(h, out); }
  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override { x_.transpose_times(w, out); }
  void read_once(const Matrix<T>& w, const UpdateItems<T>& update, Matrix<T>& out) const override {
    x_.read_once(w, update, out);
  }
  double squared_norm_over(int exponent) const override { return x_.squared_norm_over(exponent); }
  Sample<T> select(std::span<const Index> items) const override { return select_items(x_, items); }

 private:
  const Data<T>& x_;
};

}  // namespace

template <class T>
SharedData<T>::SharedData(const Data<T>& own, const Team& team)
    : SharedData(std::make_unique<BorrowedData<T>>(own), team) {}

template <class T>
Matrix<T> SharedData<T>::gathered(const Matrix<T>& own, const std::vector<Index>& starts) const {
  const Index k = own.cols();
  Matrix<T> all;
  all.reshape(starts.back(), k);
  std::ranges::copy(own.values(), all.data() + starts[rank_] * k);
  std::vector<Index> numbers = starts;
  for (Index& start : numbers) start *= k;
  team_.share(all.values(), numbers);
  return all;
}

template <class T>
Matrix<T> SharedData<T>::all_items(const Matrix<T>& own) const {
  const Index k = own.cols();
  Matrix<T> all;
  if (rank_ == 0) all.reshape(item_starts_.back(), k);
  std::vector<Index> numbers = item_starts_;
  for (Index& start : numbers) start *= k;
  team_.collect(std::span<const T>(own.values()), numbers, all.values());
  return all;
}

template <class T>
void SharedData<T>::scatter_sum(const Matrix<T>& all, Matrix<T>& out) const {
  const Index k = all.cols();
  out.reshape(this->rows(), k);
  std::vector<Index> numbers = row_starts_;
  for (Index& start : numbers) start *= k;
  team_.sum_parts(std::span<const T>(all.values()), numbers, out.values());
}

template <class T>
void SharedData<T>::times(const Matrix<T>& h, Matrix<T>& out) const {
  Matrix<T> all;
  own_.times(h, all);
  scatter_sum(all, out);
}

template <class T>
void SharedData<T>::transpose_times(const Matrix<T>& w, Matrix<T>& out) const {
  own_.transpose_times(all_rows(w), out);
}

template <class T>
void SharedData<T>::read_once(const Matrix<T>& w, const UpdateItems<T>& update, Matrix<T>& out) const {
  Matrix<T> all;
  own_.read_once(all_rows(w), update, all);
  scatter_sum(all, out);
}

template <class T>
double SharedData<T>::squared_norm_over(int exponent) const {
  double square = own_.squared_norm_over(exponent);
  team_.sum({&square, 1});
  return square;
}

template <class T>
Sample<T> SharedData<T>::select(std::span<const Index> items) const {
  std::vector<Index> own;
  for (const Index item : items) {
    if (item >= item_starts_[rank_] && item < item_starts_[rank_ + 1]) own.push_back(item - item_starts_[rank_]);
  }
  Sample<T> sample = select_items<T>(own_, own);
  if (team_.any(sample.data == nullptr)) return {};
  // Features that occur in nobody's items are left out, as one alone would: random starts number the rows alike.
  std::vector<std::int32_t> occurs(static_cast<std::size_t>(own_.rows()), 0);
  for (const Index feature : sample.features) occurs[feature] = 1;
  team_.sum(std::span<std::int32_t>(occurs));
  std::vector<Index> number(occurs.size()), starts;
  Index count = 0;
  Sample<T> shared;
  for (Index i = 0; i < own_.rows(); ++i) {
    while (static_cast<int>(starts.size()) < team_.size() && row_starts_[starts.size()] <= i) starts.push_back(count);
    number[i] = count;
    if (occurs[i] == 0) continue;
    if (i >= row_starts_[rank_] && i < row_starts_[rank_ + 1]) shared.features.push_back(i - row_starts_[rank_]);
    ++count;
  }
  while (static_cast<int>(starts.size()) <= team_.size()) starts.push_back(count);
  for (Index& feature : sample.features) feature = number[feature];
  shared.data = std::make_unique<SharedData<T>>(std::make_unique<WidenedData<T>>(std::move(sample), count), team_,
                                                std::move(starts));
  return shared;
}

template class SharedData<float>;
template class SharedData<double>;

}  // namespace copse
