// Counts against a naive twin: cut, look up, count.
#include "copse/text/corpus.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/text/spilled_corpus.h"

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

// Documents of random words of two languages; word i has a frequency of about 1 / (i + 1).
std::vector<std::string> random_texts(Index documents, Index longest) {
  Random random(11);
  std::vector<std::string> texts;
  for (Index d = 0; d < documents; ++d) {
    std::string text;
    const Index length = random.below(longest + 1);
    for (Index i = 0; i < length; ++i) {
      const Index rank = random.below(1 + random.below(400));
      text += (rank % 7 == 0 ? "Wört" : "word") + std::to_string(rank) + (random.below(9) == 0 ? ". " : " ");
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(Corpus, EqualsTheNaiveCounts) {
  const auto texts = random_texts(3000, 60);
  TextOptions options = plain();
  options.min_count = 5;
  options.max_share = 0.2;
  options.max_terms = 150;
  const auto corpus = corpus_of(texts, options);

  Tokenizer tokenizer;
  std::map<std::string, Index> totals, holders;
  std::vector<std::map<std::string, Index>> counts;
  for (const std::string& text : texts) {
    auto& document = counts.emplace_back();
    for (const Token& token : tokenizer.tokenize(text)) ++document[std::string(token.word)];
    for (const auto& [word, count] : document) {
      totals[word] += count;
      ++holders[word];
    }
  }
  std::vector<std::pair<Index, std::string>> kept;
  for (const auto& [word, total] : totals) {
    if (total >= 5 && static_cast<double>(holders[word]) <= 0.2 * 3000) kept.emplace_back(-total, word);
  }
  std::sort(kept.begin(), kept.end());
  ASSERT_GT(kept.size(), 150u);
  kept.resize(150);
  std::set<std::string> terms;
  for (const auto& [total, word] : kept) terms.insert(word);
  ASSERT_EQ(corpus.vocabulary.keys, std::vector<std::string>(terms.begin(), terms.end()));
  EXPECT_EQ(corpus.vocabulary.names, corpus.vocabulary.keys);
  for (Index d = 0; d < 3000; ++d) {
    std::map<std::string, Index> expected;
    for (const auto& [word, count] : counts[static_cast<std::size_t>(d)]) {
      if (terms.contains(word)) expected[word] = count;
    }
    std::map<std::string, Index> found;
    for (Index p = corpus.counts.offsets[d]; p < corpus.counts.offsets[d + 1]; ++p)
      found[corpus.vocabulary.keys[static_cast<std::size_t>(corpus.counts.indices[p])]] =
          static_cast<Index>(corpus.counts.values[p]);
    ASSERT_EQ(found, expected) << d;
  }
}

TEST(Corpus, CountsALongDocumentLikeAnyOther) {
  // "new york" falls on both sides of a cut and is still one term.
  std::string text;
  for (int i = 0; i < 300000; ++i) text += "new york word" + std::to_string(i % 997) + " ";
  TextOptions options = plain();
  options.bigrams = true;
  const auto corpus = corpus_of({"new york here", text, "last word1"}, options);
  EXPECT_EQ(at(corpus, "new york", 1), 300000);
  EXPECT_EQ(at(corpus, "word1", 1), 301);
  EXPECT_EQ(at(corpus, "new york", 0), 1);
  EXPECT_EQ(at(corpus, "last", 2), 1);
  EXPECT_EQ(at(corpus, "new", 1), -1);
}

TEST(Corpus, IsTheSameForAnyNumberOfThreads) {
  // More than one group of documents, so that reading and cutting overlap.
  const auto texts = random_texts(40000, 60);
  TextOptions options = plain();
  options.bigrams = true;
  options.bigram_strength = 0;
  options.stemmer = "english";
  const auto run = [&](int threads) {
    Corpus<double> corpus;
    with_threads(threads, nullptr, [&] { corpus = corpus_of(texts, options); });
    return corpus;
  };
  const auto one = run(1), many = run(7);
  EXPECT_EQ(one.counts, many.counts);
  EXPECT_EQ(one.vocabulary.keys, many.vocabulary.keys);
  EXPECT_EQ(one.vocabulary.names, many.vocabulary.names);
  EXPECT_EQ(one.ids, many.ids);
}

TEST(Corpus, AVocabularyCountsNewTextAsItCountedItsOwn) {
  auto texts = random_texts(500, 40);
  for (std::size_t i = 0; i < texts.size(); i += 3) texts[i] += " machine learning of the machines in New York having";
  TextOptions options;
  options.stop_words = {"auto"};
  options.stemmer = "english";
  options.bigrams = true;
  options.bigram_count = 5;
  options.max_terms = 200;
  const auto corpus = corpus_of(texts, options);
  const Vocabulary stored = parse_vocabulary(to_json(corpus.vocabulary), "stored");
  EXPECT_EQ(stored.keys, corpus.vocabulary.keys);
  EXPECT_EQ(stored.names, corpus.vocabulary.names);
  EXPECT_THAT(stored.keys, testing::Contains("machin learn"));
  InMemory again(texts);
  const auto second = read_corpus<double>(again, stored);
  EXPECT_EQ(second.counts, corpus.counts);
  // Another order and other company do not change what is counted.
  InMemory alone({"unseen words only", texts[3]});
  const auto third = read_corpus<double>(alone, stored);
  for (const std::string& key : stored.keys) EXPECT_EQ(at(third, key, 1), at(corpus, key, 3)) << key;
  EXPECT_EQ(third.counts.offsets[1], 0);
}

TEST(Corpus, StemsAreShownByTheirCommonestForm) {
  TextOptions options = plain();
  options.stemmer = "english";
  const auto corpus = corpus_of({"clusters clustering clusters", "clustered cluster clusters topics"}, options);
  EXPECT_THAT(corpus.vocabulary.keys, ElementsAre("cluster", "topic"));
  EXPECT_THAT(corpus.vocabulary.names, ElementsAre("clusters", "topics"));
  EXPECT_EQ(at(corpus, "cluster", 1), 3);
}

TEST(Corpus, BigramsAreWordsThatBelongTogether) {
  std::vector<std::string> texts;
  Random random(3);
  const auto noise = [&] { return "noise" + std::string(1, static_cast<char>('a' + random.below(20))); };
  for (int d = 0; d < 200; ++d)
    texts.push_back(noise() + " san francisco " + noise() + " " + noise() + ". san " + noise() + " " + noise());
  TextOptions options = plain();
  options.bigrams = true;
  const auto corpus = corpus_of(texts, options);
  Index pairs = 0;
  for (const std::string& key : corpus.vocabulary.keys) pairs += key.find(' ') != std::string::npos;
  EXPECT_EQ(pairs, 1);
  EXPECT_EQ(at(corpus, "san francisco", 0), 1);
  EXPECT_EQ(at(corpus, "san", 0), 1);
  EXPECT_EQ(at(corpus, "francisco", 0), -1);  // never alone
}

TEST(Corpus, StopWordsAreThoseOfTheLanguagesInTheText) {
  const std::string english = "the house of the people and all that is in it was not what they had";
  const std::string german = "das haus der leute und alles was darin ist war nicht das was sie hatten";
  TextOptions options = plain();
  options.stop_words = {"auto"};
  EXPECT_THAT(corpus_of({english, english}, options).vocabulary.options.stop_words, ElementsAre("english"));
  const auto both = corpus_of({english, german}, options);
  EXPECT_THAT(both.vocabulary.options.stop_words, UnorderedElementsAre("english", "german"));
  EXPECT_THAT(both.vocabulary.keys, testing::IsSupersetOf({"house", "haus", "leute"}));
  EXPECT_EQ(at(both, "the", 0), -1);
  EXPECT_EQ(at(both, "nicht", 1), -1);
  EXPECT_THAT(corpus_of({"北京大学 机器 学习"}, options).vocabulary.options.stop_words, IsEmpty());
  options.more_stop_words = {"House"};
  EXPECT_EQ(at(corpus_of({english, english}, options), "house", 0), -1);
  options.stemmer = "auto";
  EXPECT_EQ(corpus_of({german, german}, options).vocabulary.options.stemmer, "german");
}

TEST(Corpus, EmptyDocumentsAreColumnsToo) {
  const auto corpus = corpus_of({"one two three", "one two", "", "three three three"}, plain());
  EXPECT_EQ(corpus.counts.cols, 4);
  EXPECT_EQ(corpus.counts.offsets[2], corpus.counts.offsets[3]);
}

TEST(Corpus, DegenerateTextIsCountedOrRefusedWithASentence) {
  EXPECT_EQ(corpus_of({"only one document"}, plain()).counts.cols, 1);
  const auto equal = corpus_of(std::vector<std::string>(5000, "all documents are equal"), plain());
  EXPECT_EQ(equal.counts.cols, 5000);
  EXPECT_EQ(equal.counts.nonzeros(), 20000);
  const auto sentence = [](const std::vector<std::string>& texts) -> std::string {
    try {
      corpus_of(texts, {});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(sentence({}), "there are no documents to read.");
  EXPECT_EQ(sentence({"", "", ""}), "no word is left to count: the 3 documents have no words.");
  EXPECT_THAT(sentence({"zebras graze quietly"}),
              HasSubstr("the document has 3 words, which are rarer than the least count of 3"));
}

TEST(Corpus, SaysWhenTheStopListIsTheReasonThatNothingIsLeft) {
  const auto sentence = [](const std::vector<std::string>& texts, const TextOptions& options) -> std::string {
    try {
      corpus_of(texts, options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  TextOptions english;
  english.stop_words = {"english"};
  EXPECT_EQ(
      sentence({"the of and", "and this is that"}, english),
      "no word is left to count: the 2 documents have 7 words, all of them on the stop list (english); `language` "
      "none would leave no language's words out.");
  EXPECT_THAT(
      sentence({"the of and zebra"}, english),
      HasSubstr("4 words, 3 of them on the stop list (english), and the others are rarer than the least count"));
  TextOptions own;
  own.stop_words = {"none"};
  own.more_stop_words = {"zebra"};
  EXPECT_THAT(sentence({"zebra zebra zebra"}, own), HasSubstr("3 words, all of them on the stop list (`stop_words`)"));
}

TEST(Corpus, RefusesWrongOptions) {
  const auto refuses = [](const auto& change) {
    TextOptions options;
    change(options);
    EXPECT_THROW(corpus_of({"text"}, options), InvalidArgument);
  };
  refuses([](TextOptions& o) { o.min_count = 0; });
  refuses([](TextOptions& o) { o.max_share = 0; });
  refuses([](TextOptions& o) { o.tokens.min_length = 0; });
  refuses([](TextOptions& o) { o.tokens.max_length = 1; });
  refuses([](TextOptions& o) { o.stop_words = {"klingon"}; });
  refuses([](TextOptions& o) { o.stemmer = "klingon"; });
}

TEST(Vocabulary, RefusesWhatIsNone) {
  for (const char* text : {"", "{}", "[]", "{\"options\": {}, \"keys\": [], \"names\": []}"})
    EXPECT_THROW(parse_vocabulary(text, "x"), InputError) << text;
  Vocabulary vocabulary{.keys = {"a", "b"}, .names = {"A"}};
  EXPECT_THROW(parse_vocabulary(to_json(vocabulary), "x"), InputError);
  vocabulary = {.keys = {"b", "a"}, .names = {"B", "A"}};
  EXPECT_THROW(parse_vocabulary(to_json(vocabulary), "x"), InputError);
}

// Texts and counts that went to scratch files are the same, one by one and together, with and without pairs of words.
TEST(Corpus, SpillsToTheDisk) {
  Random random(8);
  std::vector<std::string> texts;
  for (int d = 0; d < 5000; ++d) {  // several batches
    std::string text = d % 97 == 0 ? "" : "new york";
    for (Index w = d % 41; w > 0; --w) text += " word" + std::to_string(random.below(300) * random.below(300) / 300);
    texts.push_back(text);
  }
  for (const bool bigrams : {false, true}) {
    TextOptions options = plain();
    options.bigrams = bigrams;
    const auto expected = corpus_of(texts, options);
    for (const double tokens : {0.0, 20e3, 1e9}) {
      for (const bool counts : {false, true}) {
        TextSpill spill{.token_bytes = tokens};
        spill.counts = [&](Index terms, Index documents, Index entries, double bytes) {
          EXPECT_EQ(terms, expected.counts.rows);
          EXPECT_EQ(documents, 5000);
          EXPECT_EQ(entries, expected.counts.nonzeros());
          EXPECT_EQ(bytes == 0, tokens < 1e9);
          return counts;
        };
        InMemory reader(texts);
        const SpilledCorpus<double> found = read_large_corpus<double>(reader, options, {}, spill);
        EXPECT_EQ(found.corpus.vocabulary.keys, expected.vocabulary.keys);
        EXPECT_EQ(found.corpus.ids, expected.ids);
        ASSERT_EQ(found.file != nullptr, counts);
        SparseMatrix<double> x = found.corpus.counts;
        if (counts) {
          x = {.rows = found.file->features(), .cols = 0};
          for (Index b = 0; b < found.file->blocks(); ++b) {
            ItemBlock<double> block;
            found.file->read(b, block);
            for (Index j = 1; j <= block.items; ++j)
              x.offsets.push_back(x.offsets.back() + block.offsets[j] - block.offsets[j - 1]);
            x.indices.insert(x.indices.end(), block.indices.begin(), block.indices.end());
            x.values.insert(x.values.end(), block.values.begin(), block.values.end());
          }
        }
        EXPECT_EQ(x.offsets, expected.counts.offsets);
        EXPECT_EQ(x.indices, expected.counts.indices);
        EXPECT_EQ(x.values, expected.counts.values);
      }
    }
  }
}

}  // namespace
}  // namespace copse
