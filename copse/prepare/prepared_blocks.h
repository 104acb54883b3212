// Preparation of items that are read in blocks: what prepare() would do to them all, on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "copse/matrix/blocked_items.h"
#include "copse/prepare/prepare.h"

namespace copse {

// Learns totals, weights and norms in a few reads, and then hands out blocks of the kept items with the kept features,
// weighed and scaled. The values are those of prepare() up to the order of sums. Equal items are not looked for.
template <class T>
class PreparedBlocks : public BlockedItems<T> {
 public:
  // What else the last read may tell of the prepared items.
  struct LastRead {
    bool lists = false;                                                     // those of facts()
    std::function<void(Index block, const SparseView<T>& view)> also = {};  // is run for every block, several at once
  };
  // `from` must outlive it. Throws InvalidArgument for an entry that is negative or not a number, and where
  // options.drop_duplicates, library_size or select_features asks for what needs all items at once.
  PreparedBlocks(const BlockedItems<T>& from, const PrepareOptions& options, const LastRead& last = {});

  const PrepareReport& report() const { return report_; }
  // Items whose entries add up to less than options.min_item_total: their numbers, and their entries over all features,
  // not weighed.
  const std::vector<Index>& short_items() const { return short_items_; }
  SparseMatrix<T>& short_entries() { return short_entries_; }
  // After preparation.
  const ItemFacts* facts() const override { return &facts_; }
  double largest() const { return facts_.largest; }

  Index rows() const override { return rows_; }
  std::span<const Index> first_items() const override { return first_items_; }
  std::span<const Index> first_entries() const override { return first_entries_; }
  void read(Index block, SparseMatrix<T>& into) const override;
  void expect(Index block) const override { from_.expect(block); }

 private:
  // For each feature and for each item, the sum of what the terms say of the entries.
  struct Sums {
    std::vector<double> features, items;
  };
  template <class FeatureTerm, class ItemTerm>
  Sums sums(const FeatureTerm& of_feature, const ItemTerm& of_item) const;

  void collect_short_items(double least);
  void drop(const PrepareOptions& options);
  bool drop_once(const PrepareOptions& options);
  void number_kept();
  void multiply_features(std::vector<double> factors);
  void learn_weights(const PrepareOptions& options);
  void learn_scaling(const PrepareOptions& options);
  void learn_item_factors(const PrepareOptions& options);
  void count_entries(const PrepareOptions& options, const LastRead& last);

  const BlockedItems<T>& from_;
  PrepareReport report_;
  std::vector<char> kept_features_, kept_items_;  // of all
  std::vector<RowIndex> row_of_;                  // the new number of each feature, or -1
  Index rows_ = 0;
  std::vector<Index> first_items_, first_entries_;
  bool takes_logarithms_ = false;
  std::vector<T> logarithms_;                        // of whole numbers
  std::vector<std::vector<double>> feature_stages_;  // factors of the kept features, one after the other,
  std::vector<std::vector<double>> item_stages_;     // and of the kept items
  std::vector<Index> short_items_;
  SparseMatrix<T> short_entries_;
  ItemFacts facts_;
};

}  // namespace copse
