// Words against ICU's own break iterator over the whole folded text.
#include "copse/text/words.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "copse/base/random.h"
#include "copse/text/documents.h"
#include "tests/support/icu_words.h"

namespace copse {
namespace {

using naive::unicode_words;
using testing::ElementsAre;

std::vector<std::string> found(WordFinder& finder, const std::string& text) {
  finder.clear();
  finder.add_unicode_words(text);
  std::vector<std::string> words;
  for (const Word& word : finder.words())
    words.push_back(finder.characters().substr(word.begin, word.end - word.begin));
  return words;
}

// A sentence or two per script, with the marks that divide words and those that do not.
const std::vector<std::string> samples = {
    "The quick (\"brown\") fox can't jump 32.3 feet, right? Mail me@example.org: a_b 1,234.5 3:30 e.g. U.S.A. x-ray",
    "Die Straße führt über die Brücke; DAS GEFÄSS, 1.000,50 € – „schön“, daß es so ist. Donaudampfschifffahrt",
    "L'été dernier, j'ai mangé aujourd’hui l’œuf à 12h30 : « garçon » n'est-ce pas ? Cœur naïf",
    "¿Dónde está el niño? ¡Mañana! Él comió piña. Ελληνικά: ΟΔΥΣΣΕΥΣ, άνθρωπος; Москва — столица России, её жители.",
    "مرحبا بالعالم، كيف حالك؟ ١٢٣٫٤ كِتَابٌ لا",
    "שלום עולם! צה\"ל ג'ירפה א״ב תשפ״ד 12%",
    "नमस्ते दुनिया। हिन्दी में क्षत्रिय १२३",
    "ภาษาไทยไม่มีการเว้นวรรคระหว่างคำ สวัสดีครับ",
    "ຂ້ອຍຮັກພາສາລາວ ខ្ញុំស្រឡាញ់ភាសាខ្មែរ",
    "我们在北京大学学习机器学习和自然语言处理。价格是３５元。",
    "東京都に住んでいる人々はコンピューターを使います。ｶﾀｶﾅ ひらがな 2023年10月",
    "한국어 문서를 군집화합니다. 안녕하세요!",
    "emoji 👩‍👩‍👧‍👦 flags 🇩🇪🇫🇷 ❤️ family, skin 👍🏽 end",
    "ﬁne ﬂow ½ cup, x² and ™ © ① Ⅷ ㎏ ｆｕｌｌ ﷺ",
    "soft\xC2\xADhyphen zero\xE2\x80\x8Bwidth no\xE2\x80\xAF"
    "break\xC2\xA0space \xCC\x81"
    "alone a\xCC\x81 e\xCC\x81galite\xCC\x81 \xEF\xBB\xBF"
    "mark",
    "",
    " ",
    "\n\n\t",
    "_",
    "__",
    "a",
    "'",
    "it''s",
    "a.b.c..d",
    "--",
    "\xE2\x80\x99tis rock \xE2\x80\x99n\xE2\x80\x99 roll"};

TEST(WordFinder, FindsTheWordsOfIcuInManyScripts) {
  WordFinder finder;
  std::string all;
  for (const std::string& sample : samples) {
    EXPECT_EQ(found(finder, sample), unicode_words(sample)) << sample;
    all += sample + (all.size() % 3 == 0 ? "\n" : " ");
  }
  EXPECT_EQ(found(finder, all), unicode_words(all));
}

TEST(WordFinder, FindsTheWordsOfIcuInAllShortAsciiTexts) {
  // One of each class that ICU may tell apart, and all ASCII characters between letters and digits.
  const std::string letters = "aZ1_'.,:;@\"- \n\x7f#";
  WordFinder finder;
  std::string text(4, ' ');
  for (const char a : letters) {
    for (const char b : letters) {
      for (const char c : letters) {
        for (const char d : letters) {
          text[0] = a, text[1] = b, text[2] = c, text[3] = d;
          ASSERT_EQ(found(finder, text), unicode_words(text)) << text;
        }
      }
    }
  }
  for (int c = 0; c < 128; ++c) {
    for (const char* frame : {"a?b", "1?2", "a?1", "1?a", "?a", "a?", "_?_", "a??b"}) {
      std::string framed = frame;
      std::replace(framed.begin(), framed.end(), '?', static_cast<char>(c));
      ASSERT_EQ(found(finder, framed), unicode_words(framed)) << c << " in " << frame;
    }
  }
}

TEST(WordFinder, FindsTheWordsOfIcuInRandomMixtures) {
  const std::vector<std::string> pieces = {"a",
                                           "B",
                                           "7",
                                           "_",
                                           " ",
                                           "\n",
                                           "'",
                                           ".",
                                           ",",
                                           "-",
                                           ":",
                                           "@",
                                           "ß",
                                           "é",
                                           "e\xCC\x81",
                                           "\xCC\x81",
                                           "\xE2\x80\x8D",
                                           "\xC2\xAD",
                                           "中",
                                           "文",
                                           "カ",
                                           "ー",
                                           "ひ",
                                           "ไ",
                                           "ท",
                                           "ย",
                                           "א",
                                           "\"",
                                           "״",
                                           "ع",
                                           "ـ",
                                           "한",
                                           "글",
                                           "🇩🇪",
                                           "😀",
                                           "\xE2\x80\x99",
                                           "·",
                                           "：",
                                           "．",
                                           "१",
                                           "क",
                                           "्",
                                           "ष",
                                           "\xC2\xA0",
                                           "\xE2\x80\xA8",
                                           "ﬁ",
                                           "²",
                                           "Σ",
                                           "İ",
                                           "ŉ",
                                           "\r\n",
                                           "\t"};
  Random random(5);
  WordFinder finder;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const Index length = random.below(12);
    for (Index i = 0; i < length; ++i) text += pieces[random.below(static_cast<Index>(pieces.size()))];
    ASSERT_EQ(found(finder, text), unicode_words(text)) << text;
  }
}

TEST(WordFinder, FindsTheWordsOfIcuInRealText) {
  const char* folder = std::getenv("COPSE_DATA");
  if (folder == nullptr) GTEST_SKIP() << "COPSE_DATA names no folder with data";
  WordFinder finder;
  for (const char* name : {"20newsgroups", "arxiv_abstracts", "reuters21578"}) {
    const DocumentSource source(std::filesystem::path(folder) / name / "documents.jsonl.gz");
    const auto reader = source.open();
    Document document;
    for (int i = 0; i < 1500 && reader->next(document); ++i)
      ASSERT_EQ(found(finder, document.text), unicode_words(document.text)) << name << " " << document.id;
  }
}

TEST(WordFinder, KnowsNeighbours) {
  WordFinder finder;
  finder.add_unicode_words("new york, time-table naïve café. End");
  std::vector<bool> adjacent;
  for (const Word& word : finder.words()) adjacent.push_back(word.adjacent);
  EXPECT_THAT(adjacent, ElementsAre(false, true, false, true, true, true, false));
}

TEST(WordFinder, FindsRunsOfWordCharacters) {
  WordFinder finder;
  finder.add_character_runs("Don't_stop x² ΣΊΣΥΦΟΣ naïve-Ünï 3.5");
  std::vector<std::string> words;
  for (const Word& word : finder.words())
    words.push_back(finder.characters().substr(word.begin, word.end - word.begin));
  EXPECT_THAT(words, ElementsAre("don", "t_stop", "x²", "σίσυφος", "naïve", "ünï", "3", "5"));
}

}  // namespace
}  // namespace copse
