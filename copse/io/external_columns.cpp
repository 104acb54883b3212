#include "copse/io/external_columns.h"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse {
namespace {

// One part from front to back.
template <class T>
class Cursor {
 public:
  explicit Cursor(const CopseFile& file) : file_(file) {}

  // The entries of the next item.
  std::pair<std::span<const RowIndex>, std::span<const T>> next() {
    if (item_ == block_.items) {
      file_.read(next_block_++, block_);
      item_ = 0;
    }
    const auto begin = static_cast<std::size_t>(block_.offsets[static_cast<std::size_t>(item_)]),
               end = static_cast<std::size_t>(block_.offsets[static_cast<std::size_t>(++item_)]);
    return {std::span(block_.indices).subspan(begin, end - begin),
            std::span(block_.values).subspan(begin, end - begin)};
  }

 private:
  const CopseFile& file_;
  ItemBlock<T> block_;
  Index next_block_ = 0, item_ = 0;
};

}  // namespace

template <class T>
ExternalColumns<T>::ExternalColumns(const std::filesystem::path& path, Index features, Index items, Index entries)
    : path_(path), features_(features), items_(items), most_(std::max<Index>(1, entries)) {}

template <class T>
void ExternalColumns<T>::add(Triplets<T>& entries) {
  held_entries_ += static_cast<Index>(entries.values.size());
  held_.push_back(std::move(entries));
  entries = {};
  if (held_entries_ >= most_) sort_part();
}

template <class T>
void ExternalColumns<T>::sort_part() {
  Index duplicates = 0;
  const SparseMatrix<T> x = compress(features_, items_, held_, duplicates);
  duplicates_ += duplicates;
  held_.clear();
  held_entries_ = 0;
  const std::filesystem::path place =
      path_.parent_path() / ("." + path_.filename().string() + ".part-" + std::to_string(::getpid()));
  CopseWriter writer(place, {.features = features_, .block_entries = 1 << 16});
  writer.add<T>(x);
  writer.commit();
  parts_.push_back(std::make_unique<CopseFile>(place));
  std::filesystem::remove(place);  // it stays open; nothing is left behind
}

template <class T>
void ExternalColumns<T>::commit(const std::string& name) {
  CopseWriter writer(path_, {.features = features_});
  const auto add = [&](const SparseMatrix<T>& x) {
    for (const T value : x.values) {
      if (value > std::numeric_limits<T>::max())
        fail(name, "duplicate entries add up to more than this precision holds.");
    }
    writer.add<T>(x);
  };
  if (parts_.empty()) {
    Index duplicates = 0;
    add(compress(features_, items_, held_, duplicates));
    duplicates_ += duplicates;
  } else {
    if (held_entries_ > 0) sort_part();
    std::vector<Cursor<T>> cursors;
    for (const auto& part : parts_) cursors.emplace_back(*part);
    SparseMatrix<T> some{.rows = features_};
    const auto flush = [&] {
      some.cols = static_cast<Index>(some.offsets.size()) - 1;
      add(some);
      some = {.rows = features_};
    };
    std::vector<std::pair<RowIndex, T>> joined;
    for (Index j = 0; j < items_; ++j) {
      joined.clear();
      for (Cursor<T>& cursor : cursors) {
        const auto [rows, values] = cursor.next();
        for (std::size_t p = 0; p < rows.size(); ++p) joined.emplace_back(rows[p], values[p]);
      }
      std::stable_sort(joined.begin(), joined.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      const Index begin = some.offsets.back();
      for (const auto& [row, value] : joined) {
        if (static_cast<Index>(some.indices.size()) > begin && some.indices.back() == row) {
          some.values.back() += value;
          ++duplicates_;
        } else {
          some.indices.push_back(row);
          some.values.push_back(value);
        }
      }
      some.offsets.push_back(static_cast<Index>(some.indices.size()));
      if (some.nonzeros() >= 1 << 16 || some.offsets.size() > 1 << 16) {
        check_cancelled();
        flush();
      }
    }
    if (some.offsets.size() > 1) flush();
  }
  writer.commit();
  entries_ = writer.entries();
}

template class ExternalColumns<float>;
template class ExternalColumns<double>;

}  // namespace copse
