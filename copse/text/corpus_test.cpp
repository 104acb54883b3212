// Counts against a naive twin: cut, look up, count.
#include "copse/text/corpus.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"

namespace copse {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class InMemory final : public DocumentReader {
 public:
  explicit InMemory(std::vector<std::string> texts) : texts_(std::move(texts)) {}
  bool next(Document& document) override {
    if (place_ == texts_.size()) return false;
    document = {.id = std::to_string(place_ + 1), .text = texts_[place_], .label = {}, .time = {}, .title = {}};
    ++place_;
    return true;
  }
  const ReadReport& report() const override { return report_; }

 private:
  std::vector<std::string> texts_;
  std::size_t place_ = 0;
  ReadReport report_;
};

Corpus<double> corpus_of(const std::vector<std::string>& texts, const TextOptions& options) {
  InMemory reader(texts);
  return read_corpus<double>(reader, options);
}

TextOptions plain() {
  TextOptions options;
  options.stop_words = {"none"};
  options.min_count = 1;
  options.min_words = 0;
  return options;
}

double at(const Corpus<double>& corpus, const std::string& key, Index document) {
  const auto& keys = corpus.vocabulary.keys;
  const auto found = std::find(keys.begin(), keys.end(), key);
  if (found == keys.end()) return -1;
  const auto& x = corpus.counts;
  for (Index p = x.offsets[document]; p < x.offsets[document + 1]; ++p) {
    if (x.indices[p] == found - keys.begin()) return x.values[p];
  }
  return 0;
}

TEST(Corpus, CountsTheWordsOfEachDocument) {
  const auto corpus = corpus_of({"The cat sat. The CAT!", "", "a dog sat"}, plain());
  EXPECT_THAT(corpus.vocabulary.keys, ElementsAre("cat", "dog", "sat", "the"));
  EXPECT_EQ(corpus.counts.cols, 3);
  EXPECT_EQ(at(corpus, "cat", 0), 2);
  EXPECT_EQ(at(corpus, "the", 0), 2);
  EXPECT_EQ(at(corpus, "dog", 2), 1);
  EXPECT_EQ(corpus.counts.offsets[1], corpus.counts.offsets[2]);
  EXPECT_EQ(corpus.words, 7);
}

}  // namespace
}  // namespace copse
