// Data whose items are spread over a team: everyone holds some neighbouring items with all features.
#pragma once

#include <memory>
#include <vector>

#include "copse/base/team.h"
#include "copse/matrix/more_of_data.h"

namespace copse {

// Rows of W are spread as well: rows() and cols() count one's own. An iteration sends W once (all-gather) and X H' once
// (reduce-scatter), and a few k x k sums; H never moves. Items and rows are numbered through all ranks in their order.
template <class T>
class SharedData : public Data<T>, public SelectsItems<T> {
 public:
  // `own` has all features and one's own items. Both must outlive it. Rows are spread in equal parts, unless
  // `row_starts` says where the rows of each member begin.
  SharedData(const Data<T>& own, const Team& team);
  SharedData(std::unique_ptr<Data<T>> own, const Team& team, std::vector<Index> row_starts = {});

  void times(const Matrix<T>& h, Matrix<T>& out) const override;
  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override;
  void read_once(const Matrix<T>& w, const UpdateItems<T>& update, Matrix<T>& out) const override;
  double squared_norm_over(int exponent) const override;
  void sum(std::span<double> values) const override { team_.sum(values); }
  Sample<T> select(std::span<const Index> items) const override;

  std::span<const Index> row_starts() const { return row_starts_; }    // of each rank, and their number
  std::span<const Index> item_starts() const { return item_starts_; }  // likewise

  // All rows of a matrix whose own rows each one has.
  Matrix<T> all_rows(const Matrix<T>& own) const { return gathered(own, row_starts_); }
  // All items, for the first; nothing for the others.
  Matrix<T> all_items(const Matrix<T>& own) const;

 private:
  Matrix<T> gathered(const Matrix<T>& own, const std::vector<Index>& starts) const;
  void scatter_sum(const Matrix<T>& all, Matrix<T>& out) const;

  const std::unique_ptr<Data<T>> owned_;
  const Data<T>& own_;
  const Team& team_;
  const int rank_;
  std::vector<Index> row_starts_, item_starts_;
};

// The same with all rows of W on everyone: for what needs X H' whole, and for items that are fitted one by one. cols()
// counts one's own items; select() takes their numbers among these.
template <class T>
class ReplicatedData : public Data<T>, public SelectsItems<T> {
 public:
  ReplicatedData(const Data<T>& own, const Team& team)
      : Data<T>({.rows = own.rows(), .cols = own.cols(), .nonzeros = own.nonzeros()}), own_(own), team_(team) {}

  void times(const Matrix<T>& h, Matrix<T>& out) const override {
    own_.times(h, out);
    team_.sum(out.values());
  }
  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override { own_.transpose_times(w, out); }
  double squared_norm_over(int exponent) const override {
    double square = own_.squared_norm_over(exponent);
    team_.sum({&square, 1});
    return square;
  }
  void sum(std::span<double> values) const override { team_.sum(values); }
  Sample<T> select(std::span<const Index> items) const override { return select_items(own_, items); }

 private:
  const Data<T>& own_;
  const Team& team_;
};

}  // namespace copse
