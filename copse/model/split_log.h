// The finished factorizations of a tree in a file, so that a run that was killed continues where it was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "copse/matrix/sparse.h"
#include "copse/model/record_log.h"
#include "copse/tree/tree.h"

namespace copse {

// A factorization that cannot be written ends the log, not the run.
template <class T>
class SplitLog : public SplitMemory<T> {
 public:
  // `fingerprint` stands for the data, of `features` x `items`, and the options. With `resume` the records of an
  // earlier run are used; throws InputError if it was another run.
  SplitLog(const std::filesystem::path& path, std::uint64_t fingerprint, Index features, Index items, bool resume);

  bool recall(std::uint64_t key, Rank2Result<T>& result) override;
  void record(std::uint64_t key, const Rank2Result<T>& result) override;

  Index recalled() const { return recalled_; }
  // Why finished factorizations are no longer noted; empty while they are.
  const std::string& failure() const { return failure_; }

 private:
  // False if the record is none of this data.
  bool unpack(std::string_view record, std::uint64_t& key, Rank2Result<T>& result) const;

  Index features_, items_;
  std::optional<RecordLog> log_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::int64_t> places_;
  Index recalled_ = 0;
  std::string failure_;
};

// Stands for the data, entry by entry, and the options: two runs with the same number have the same factorizations
// under the same keys.
template <class T>
std::uint64_t fingerprint(const Dataset<T>& data, const TreeOptions& options);
// The same for items that are read in blocks, from the numbers of all blocks; theirs is another one.
std::uint64_t fingerprint(Index features, std::span<const std::uint64_t> blocks, const TreeOptions& options);
template <class T>
std::uint64_t fingerprint(const SparseView<T>& items);

}  // namespace copse
