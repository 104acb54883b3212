// Entries in any order become the items of a .copse file, with bounded memory: what does not fit is sorted in parts,
// which lie on the disk beside the file and are merged.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "copse/io/copse_file.h"
#include "copse/io/triplets.h"

namespace copse {

template <class T>
class ExternalColumns {
 public:
  // Holds at most `entries` entries, and as much again while it sorts them. Throws OutputError, as all members do.
  ExternalColumns(const std::filesystem::path& path, Index features, Index items, Index entries);

  // Takes the entries and leaves nothing of them.
  void add(Triplets<T>& entries);
  // Writes the file. Entries of one place are added up in the order in which they came. Throws InputError, with `name`,
  // where a sum is too large.
  void commit(const std::string& name);

  Index entries() const { return entries_; }                         // of the file
  Index duplicates() const { return duplicates_; }                   // that went into others
  Index parts() const { return static_cast<Index>(parts_.size()); }  // that were sorted on the disk

 private:
  void sort_part();

  std::filesystem::path path_;
  Index features_, items_, most_;
  std::vector<Triplets<T>> held_;
  Index held_entries_ = 0;
  std::vector<std::unique_ptr<CopseFile>> parts_;
  Index entries_ = 0, duplicates_ = 0;
};

}  // namespace copse
