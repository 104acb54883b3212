#include "copse/engines/disk/file_items.h"

#include <utility>

namespace copse {

template <class T>
FileItems<T>::FileItems(std::shared_ptr<const ItemBlocks> file) : file_(std::move(file)) {
  for (Index b = 0; b <= file_->blocks(); ++b) {
    first_items_.push_back(file_->first_item(b));
    first_entries_.push_back(file_->first_entry(b));
  }
}

template <class T>
void FileItems<T>::read(Index block, SparseMatrix<T>& into) const {
  into.rows = file_->features();
  into.cols = file_->items_in(block);
  into.offsets.resize(static_cast<std::size_t>(into.cols) + 1);
  into.indices.resize(static_cast<std::size_t>(file_->entries_in(block)));
  into.values.resize(into.indices.size());
  file_->read(block, into.offsets.data(), into.indices.data(), into.values.data());
  into.indices.resize(static_cast<std::size_t>(into.offsets.back()));
  into.values.resize(into.indices.size());
}

template <class T>
double FileItems<T>::block_bytes() const {
  return static_cast<double>(file_->most_entries()) * (sizeof(RowIndex) + sizeof(T)) +
         static_cast<double>(file_->most_items()) * sizeof(Index);
}

template class FileItems<float>;
template class FileItems<double>;

}  // namespace copse
