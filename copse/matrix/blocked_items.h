// Items that are read in blocks of neighbours, wherever they are: in a file that is larger than memory, for example.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/base/index.h"
#include "copse/matrix/sparse.h"

namespace copse {

// Facts that a read of all items tells by the way.
struct ItemFacts {
  double squared_norm = 0;            // of all
  double largest = 0;                 // entry
  bool has_lists = false;             // the lists below were asked for
  std::vector<std::int32_t> sizes;    // entries of each item
  std::vector<double> squared_norms;  // of each item, added up in order
  std::vector<std::int32_t> counts;   // how many items have each feature
};

template <class T>
class BlockedItems {
 public:
  virtual ~BlockedItems() = default;

  virtual Index rows() const = 0;
  // The first item of each block, and at the end the number of items.
  virtual std::span<const Index> first_items() const = 0;
  // The number of entries before each block, and at the end that of all.
  virtual std::span<const Index> first_entries() const = 0;

  // The items of a block in compressed columns, into arrays that may be used again. Called from several threads. Throws
  // InputError.
  virtual void read(Index block, SparseMatrix<T>& into) const = 0;
  // The block is read soon: its bytes may be fetched.
  virtual void expect(Index /*block*/) const {}
  // Null: nobody knows.
  virtual const ItemFacts* facts() const { return nullptr; }

  Index blocks() const { return static_cast<Index>(first_items().size()) - 1; }
  Index cols() const { return first_items().back(); }
  Index nonzeros() const { return first_entries().back(); }
};

}  // namespace copse
