// A log of splits that is damaged, by values under right checksums or by bytes, is taken up or left aside; the tree
// that a run makes of it is a tree.
#include <map>
#include <optional>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/generate/corpus.h"
#include "copse/model/split_log.h"
#include "copse/tree/packed.h"
#include "tests/fuzz/fuzz_folder.h"

namespace copse::fuzz {
namespace {

struct Remember : SplitMemory<float> {
  bool recall(std::uint64_t, Rank2Result<float>&) override { return false; }
  void record(std::uint64_t key, const Rank2Result<float>& result) override { all[key] = result; }
  std::map<std::uint64_t, Rank2Result<float>> all;
};

struct Base {
  Base()
      : data(generate_corpus<float>({.documents = 60, .terms = 120, .k = 3, .terms_per_document = 8, .seed = 1}).data),
        mark(fingerprint(data, options)) {
    build_tree(*tree_data(data), options, &splits);
  }
  Folder folder;
  TreeOptions options{.leaves = 4};
  Dataset<float> data;
  std::uint64_t mark;
  Remember splits;
};

void damage(Bytes& bytes, Rank2Result<float>& result) {
  const auto resize = [&](Matrix<float>& matrix) { matrix = Matrix<float>(static_cast<Index>(bytes.below(150)), 2); };
  const auto change = [&](Matrix<float>& matrix) {
    if (!matrix.values().empty()) matrix.data()[bytes.below(matrix.values().size())] = hostile<float>(bytes, 0);
  };
  switch (bytes.byte() % 6) {
    case 0:
      return resize(result.w);
    case 1:
      return resize(result.h);
    case 2:
      return change(result.w);
    case 3:
      return change(result.h);
    case 4:
      result.iterations = hostile<int>(bytes, 0);
      result.stop_reason = static_cast<StopReason>(bytes.byte());
      return;
    default:
      result.inner = hostile<double>(bytes, 0);
      result.fitted = hostile<double>(bytes, 0);
      result.entries_read = hostile<double>(bytes, 0);
  }
}

}  // namespace
}  // namespace copse::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace copse;
  using namespace copse::fuzz;
  static const Base base;
  Bytes bytes(data, size);
  const auto path = base.folder.path() / "log";
  const Index features = base.data.features(), items = base.data.items();
  {
    SplitLog<float> log(path, base.mark, 1000, 1000, false);
    for (auto [key, result] : base.splits.all) {
      if (bytes.byte() % 3 == 1) damage(bytes, result);
      log.record(key, result);
    }
  }
  if (bytes.byte() % 4 == 1) {
    std::string log = read_file(path);
    for (std::size_t left = bytes.byte() % 8; left-- > 0;) log[bytes.below(log.size())] ^= char(bytes.byte());
    if (bytes.byte() % 4 == 1) log.resize(bytes.below(log.size()));
    write_file(path, log);
  }
  with_threads(1, nullptr, [&] {
    std::optional<SplitLog<float>> log;
    try {
      log.emplace(path, base.mark, features, items, true);
    } catch (const InputError&) {  // its first bytes are those of another run
      return;
    }
    const Tree tree = build_tree(*tree_data(base.data), base.options, &*log);
    try {
      unpack(pack(tree));
    } catch (const InputError&) {  // sums that overflowed; whoever reads the result hears of it
    }
  });
  return 0;
}
