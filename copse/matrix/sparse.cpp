#include "copse/matrix/sparse.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse {

template <class T>
SparseMatrix<T> transpose(SparseView<T> x) {
  if (x.cols > std::numeric_limits<RowIndex>::max())
    throw InvalidArgument("a matrix with 2^31 or more items cannot be transposed");
  // Each block of columns counts its entries per row; the running sums tell it where to write, so that blocks are
  // independent and the order of columns within a row is kept. 16 blocks bound the memory for the counts.
  const Index first_entry = x.offsets.front(), entries = x.offsets.back() - first_entry;
  const Index blocks = std::clamp<Index>(entries / 65536, 1, 16);
  const auto first_column = [&](Index b) {
    const Index entry = first_entry + entries * b / blocks;
    return b == blocks ? x.cols : std::lower_bound(x.offsets.begin(), x.offsets.end(), entry) - x.offsets.begin();
  };
  std::vector<Buffer<Index>> places(static_cast<std::size_t>(blocks));
  parallel_for(blocks, [&](Index b) {
    auto& counts = places[static_cast<std::size_t>(b)];
    counts.assign(static_cast<std::size_t>(x.rows), 0);
    const Index begin = x.offsets[first_column(b)], end = x.offsets[first_column(b + 1)];
    for (Index p = begin; p < end; ++p) ++counts[static_cast<std::size_t>(x.indices[p])];
  });

  SparseMatrix<T> result{.rows = x.cols, .cols = x.rows};
  result.offsets.resize(static_cast<std::size_t>(x.rows) + 1);
  Index total = 0;
  for (Index i = 0; i < x.rows; ++i) {
    result.offsets[i] = total;
    for (auto& counts : places) {
      const Index count = counts[i];
      counts[i] = total;
      total += count;
    }
  }
  result.offsets[x.rows] = total;
  result.indices.resize(static_cast<std::size_t>(total));
  result.values.resize(static_cast<std::size_t>(total));
  parallel_for(blocks, [&](Index b) {
    auto& next = places[static_cast<std::size_t>(b)];
    const Index end = first_column(b + 1);
    for (Index j = first_column(b); j < end; ++j) {
      for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p) {
        const Index place = next[static_cast<std::size_t>(x.indices[p])]++;
        result.indices[place] = static_cast<RowIndex>(j);
        result.values[place] = x.values[p];
      }
    }
  });
  return result;
}

template <class T>
SparseMatrix<T> select_columns(SparseView<T> x, std::span<const Index> columns) {
  SparseMatrix<T> result{.rows = x.rows, .cols = static_cast<Index>(columns.size())};
  result.offsets.resize(columns.size() + 1);
  result.offsets[0] = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    assert(0 <= columns[c] && columns[c] < x.cols);
    result.offsets[c + 1] = result.offsets[c] + x.offsets[columns[c] + 1] - x.offsets[columns[c]];
  }
  result.indices.resize(static_cast<std::size_t>(result.offsets.back()));
  result.values.resize(static_cast<std::size_t>(result.offsets.back()));
  parallel_blocks(result.cols, 1024, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      const Index from = x.offsets[columns[c]], to = x.offsets[columns[c] + 1];
      std::copy(x.indices.begin() + from, x.indices.begin() + to, result.indices.begin() + result.offsets[c]);
      std::copy(x.values.begin() + from, x.values.begin() + to, result.values.begin() + result.offsets[c]);
    }
  });
  return result;
}

template <class T>
std::vector<Index> drop_empty_rows(SparseMatrix<T>& x) {
  std::vector<RowIndex> numbers(static_cast<std::size_t>(x.rows), 0);
  for (const RowIndex i : x.indices) numbers[static_cast<std::size_t>(i)] = 1;
  std::vector<Index> kept;
  for (Index i = 0; i < x.rows; ++i) {
    if (numbers[static_cast<std::size_t>(i)] == 0) continue;
    numbers[static_cast<std::size_t>(i)] = static_cast<RowIndex>(kept.size());
    kept.push_back(i);
  }
  for (RowIndex& i : x.indices) i = numbers[static_cast<std::size_t>(i)];
  x.rows = static_cast<Index>(kept.size());
  return kept;
}

template SparseMatrix<float> transpose(SparseView<float>);
template SparseMatrix<double> transpose(SparseView<double>);
template SparseMatrix<float> select_columns(SparseView<float>, std::span<const Index>);
template SparseMatrix<double> select_columns(SparseView<double>, std::span<const Index>);
template std::vector<Index> drop_empty_rows(SparseMatrix<float>&);
template std::vector<Index> drop_empty_rows(SparseMatrix<double>&);

}  // namespace copse
