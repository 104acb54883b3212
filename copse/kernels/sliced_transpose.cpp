#include "copse/kernels/sliced_transpose.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index most_rows_per_band = 65536;  // 16 bits number them while the entries are sorted
constexpr Index sliced_transpose_rows_per_block = 16384;

}  // namespace

// Some items of a slice: what one thread reads at a time while X' is made.
template <class T>
struct SlicedTranspose<T>::Run {
  Index slice;
  Index first_item, end_item;
  Buffer<Index> row_counts = {};   // its entries by row of X
  std::vector<Index> starts = {};  // where its entries go, by band
};

template <class T>
SlicedTranspose<T>::SlicedTranspose(SparseView<T> x, const SliceOptions& options) {
  if (x.nonzeros() >= std::max<Index>(1, options.least_entries) && x.cols <= std::numeric_limits<RowIndex>::max()) {
    const Index by_items = (x.cols + options.items_per_slice - 1) / options.items_per_slice;
    const Index by_entries = x.nonzeros() / (options.entries_per_slice * x.rows);
    const Index slices = std::max<Index>(1, std::min(by_items, by_entries));
    for (Index s = 0; s <= slices; ++s) first_items_.push_back(x.cols * s / slices);
    std::vector<Run> runs = count_rows(x);
    cut_rows(x, options, runs);
    if (!bands_.empty()) {
      cut_slices(runs);
      Buffer<std::uint16_t> rows(static_cast<std::size_t>(x.nonzeros()));
      fill_regions(x, runs, rows);
      sort_regions(rows);
      return;
    }
  }
  cells_ = transpose(x);
}

// About 16 runs, and no more counters than entries.
template <class T>
std::vector<typename SlicedTranspose<T>::Run> SlicedTranspose<T>::count_rows(SparseView<T> x) const {
  const Index slices = static_cast<Index>(first_items_.size()) - 1;
  const Index most = std::clamp<Index>(x.nonzeros() / std::max<Index>(1, x.rows), 1, 16);
  const Index parts = (most + slices - 1) / slices;
  std::vector<Run> runs;
  for (Index s = 0; s < slices; ++s) {
    const Index first = first_items_[s], items = first_items_[s + 1] - first;
    for (Index part = 0; part < parts; ++part)
      runs.push_back({s, first + items * part / parts, first + items * (part + 1) / parts});
  }
  parallel_for(static_cast<Index>(runs.size()), [&](Index r) {
    Run& run = runs[static_cast<std::size_t>(r)];
    run.row_counts.assign(static_cast<std::size_t>(x.rows), 0);
    const Index end = x.offsets[run.end_item];
    for (Index p = x.offsets[run.first_item]; p < end; ++p) ++run.row_counts[static_cast<std::size_t>(x.indices[p])];
  });
  return runs;
}

template <class T>
void SlicedTranspose<T>::cut_rows(SparseView<T> x, const SliceOptions& options, const std::vector<Run>& runs) {
  std::vector<Index> counts(static_cast<std::size_t>(x.rows));
  for (const Run& run : runs)
    std::transform(counts.begin(), counts.end(), run.row_counts.begin(), counts.begin(), std::plus<>());
  // A row that has very many of the entries would keep one thread busy while others wait, and its items are so near to
  // each other that there is nothing to gain.
  if (*std::max_element(counts.begin(), counts.end()) > x.nonzeros() / 16) return;

  order_.resize(static_cast<std::size_t>(x.rows));
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](RowIndex a, RowIndex b) { return counts[a] > counts[b]; });
  const Index entries_per_band = std::max<Index>(1, x.nonzeros() / options.bands);
  for (Index row = 0; row < x.rows;) {
    const Index first = row;
    Index entries = 0;
    while (row < x.rows && row - first < most_rows_per_band && entries < entries_per_band)
      entries += counts[order_[row++]];
    const Index pieces = std::max<Index>(1, entries / ((row - first) * options.entries_per_piece));
    const Index items = std::max(options.items_per_piece, (x.cols + pieces - 1) / pieces);
    bands_.push_back({first, row - first, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(items - 1)))});
  }
}

template <class T>
void SlicedTranspose<T>::cut_slices(std::vector<Run>& runs) {
  parallel_for(static_cast<Index>(runs.size()), [&](Index r) {
    Run& run = runs[static_cast<std::size_t>(r)];
    for (const Band& band : bands_) {
      Index entries = 0;
      for (Index i = 0; i < band.rows; ++i) entries += run.row_counts[order_[band.first_row + i]];
      run.starts.push_back(entries);
    }
    run.row_counts = {};
  });
  Index entries = 0, cells = 0;
  for (std::size_t s = 0, begin = 0, end = 0; s + 1 < first_items_.size(); ++s, begin = end) {
    while (end < runs.size() && runs[end].slice == static_cast<Index>(s)) ++end;
    for (std::size_t b = 0; b < bands_.size(); ++b) {
      const Index pieces = ((first_items_[s + 1] - first_items_[s] - 1) >> bands_[b].shift) + 1;
      Region region{.first_entry = entries, .entries = 0, .first_cell = cells, .pieces = pieces};
      for (std::size_t r = begin; r < end; ++r) entries += std::exchange(runs[r].starts[b], entries);
      region.entries = entries - region.first_entry;
      cells += pieces * bands_[b].rows;
      regions_.push_back(region);
    }
  }
  cells_ = {.rows = first_items_.back(), .cols = cells};
  cells_.offsets.resize(static_cast<std::size_t>(cells) + 1);
  cells_.offsets[cells] = entries;
  cells_.indices.resize(static_cast<std::size_t>(entries));
  cells_.values.resize(static_cast<std::size_t>(entries));
}

// Entries come in the order of their items. `rows` becomes the row of each within its band.
template <class T>
void SlicedTranspose<T>::fill_regions(SparseView<T> x, std::vector<Run>& runs, Buffer<std::uint16_t>& rows) {
  struct Place {
    std::int32_t band, row;
  };
  std::vector<Place> places(order_.size());
  for (std::size_t b = 0; b < bands_.size(); ++b) {
    for (Index i = 0; i < bands_[b].rows; ++i)
      places[order_[bands_[b].first_row + i]] = {static_cast<std::int32_t>(b), static_cast<std::int32_t>(i)};
  }
  parallel_for(static_cast<Index>(runs.size()), [&](Index r) {
    Run& run = runs[static_cast<std::size_t>(r)];
    for (Index j = run.first_item; j < run.end_item; ++j) {
      for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p) {
        const Place place = places[static_cast<std::size_t>(x.indices[p])];
        const Index to = run.starts[place.band]++;
        cells_.indices[to] = static_cast<RowIndex>(j);
        cells_.values[to] = x.values[p];
        rows[to] = static_cast<std::uint16_t>(place.row);
      }
    }
  });
}

// Counting sort of each region by piece and row, which keeps the order of items.
template <class T>
void SlicedTranspose<T>::sort_regions(const Buffer<std::uint16_t>& rows) {
  parallel_for(static_cast<Index>(regions_.size()), [&](Index g) {
    const Region& region = regions_[static_cast<std::size_t>(g)];
    const Band& band = bands_[static_cast<std::size_t>(g) % bands_.size()];
    const Index first_item = first_items_[static_cast<std::size_t>(g) / bands_.size()];
    const auto first = cells_.indices.begin() + region.first_entry;
    const auto first_value = cells_.values.begin() + region.first_entry;
    const Buffer<RowIndex> items(first, first + region.entries);
    const Buffer<T> values(first_value, first_value + region.entries);
    const auto cell = [&](Index e) {
      return ((items[e] - first_item) >> band.shift) * band.rows + rows[region.first_entry + e];
    };
    std::vector<Index> next(static_cast<std::size_t>(region.pieces * band.rows));
    for (Index e = 0; e < region.entries; ++e) ++next[cell(e)];
    std::exclusive_scan(next.begin(), next.end(), next.begin(), region.first_entry);
    std::copy(next.begin(), next.end(), cells_.offsets.begin() + region.first_cell);
    for (Index e = 0; e < region.entries; ++e) {
      const Index to = next[cell(e)]++;
      cells_.indices[to] = items[e];
      cells_.values[to] = values[e];
    }
  });
}

template <class T>
void SlicedTranspose<T>::times(const Matrix<T>& h, Matrix<T>& out, Sums order_of_sums) const {
  assert(h.rows() == cells_.rows);
  if (bands_.empty()) return transpose_times<T>(cells_, h, out, order_of_sums);
  const Index k = h.cols();
  Matrix<T> sums(static_cast<Index>(order_.size()), k);  // rows as in order_
  for (std::size_t s = 0; s + 1 < first_items_.size(); ++s) {
    parallel_for(static_cast<Index>(bands_.size()), [&](Index b) {
      const Band& band = bands_[static_cast<std::size_t>(b)];
      const Region& region = regions_[s * bands_.size() + static_cast<std::size_t>(b)];
      for (Index piece = 0; piece < region.pieces; ++piece)
        add_transpose_times<T>(cells_, region.first_cell + piece * band.rows, band.rows, h, sums, band.first_row,
                               order_of_sums);
    });
  }
  out.reshape(sums.rows(), k);
  parallel_blocks(sums.rows(), sliced_transpose_rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto row = sums.row(i);
      std::copy(row.begin(), row.end(), out.row(order_[i]).begin());
    }
  });
}

template class SlicedTranspose<float>;
template class SlicedTranspose<double>;

}  // namespace copse
