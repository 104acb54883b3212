#include "copse/report/page.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "copse/base/error.h"

namespace copse {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A root with the leaf "1" and the inner node "2", which has the leaves "2.1" and "2.2".
Page small_page(Index documents = 7) {
  Page page{PageHead{.title = "Letters", .command = "copse tree letters", .settings = {{"seed", std::int64_t(1)}}}};
  page.nodes = {{.id = ""},
                {.id = "1", .parent = 0, .coherence = -1.5, .words = {{0, 2, "tree"}, {1, 1, "leaf"}}},
                {.id = "2", .parent = 0, .words = {{1, 3, "leaf"}}},
                {.id = "2.1", .parent = 2},
                {.id = "2.2", .name = "Second", .parent = 2}};
  page.shares = {0.5, 0.25};
  page.forms = {{"trees"}, {}};
  page.labels = {"a", "b"};
  page.times = {"2024", "2025", "2026"};
  for (Index d = 0; d < documents; ++d) {
    const Index leaf = std::vector<Index>{1, 3, 4}[d % 3];
    page.documents.push_back({.title = "Document " + std::to_string(d),
                              .leaf = leaf,
                              .second = leaf == 1 ? 3 : 1,
                              .weight = 0.75,
                              .second_weight = 0.25,
                              .label = d % 2,
                              .time = d % 3});
  }
  return page;
}

// The plain inverse of RFC 4648, for arrays of little-endian numbers of `width` bytes.
std::vector<Index> decoded(const Json& text, int width) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<int> bits;
  std::size_t padding = 0;
  for (const char c : text.get<std::string>()) {
    if (c == '=') ++padding;
    for (int b = 5; b >= 0; --b) bits.push_back(c == '=' ? 0 : static_cast<int>(digits.find(c)) >> b & 1);
  }
  bits.resize(bits.size() - 8 * padding);
  std::vector<Index> numbers;
  for (std::size_t start = 0; start < bits.size(); start += 8 * static_cast<std::size_t>(width)) {
    Index number = 0;
    for (int byte = width - 1; byte >= 0; --byte) {
      for (std::size_t b = 0; b < 8; ++b) number = number * 2 + bits[start + 8 * static_cast<std::size_t>(byte) + b];
    }
    numbers.push_back(number);
  }
  return numbers;
}

TEST(Page, SumsSizesClassesAndPeriodsAlongPaths) {
  Page page = small_page();  // leaves 1 3 4 1 3 4 1
  page.documents[6].outlier = true;
  page.documents[5].leaf = -1;
  const Json json = Json::parse(page_data(page));
  const Json& nodes = json["nodes"];
  EXPECT_EQ(nodes[0]["size"], 6);
  EXPECT_EQ(nodes[1]["size"], 3);  // an outlier belongs to its topic
  EXPECT_EQ(nodes[2]["size"], 3);
  EXPECT_EQ(nodes[4]["size"], 1);
  EXPECT_EQ(nodes[2]["labels"], Json({0, 2, 1, 1}));  // documents 2 and 4 of class a, 1 of class b
  EXPECT_EQ(nodes[2]["times"], Json({0, 2, 1}));
  EXPECT_EQ(nodes[0]["times"], Json({3, 2, 1}));
  EXPECT_EQ(json["documents"]["outliers"], 1);
  EXPECT_EQ(json["documents"]["unplaced"], 1);
  EXPECT_EQ(json["documents"]["total"], 7);
  EXPECT_EQ(json["items"], "document");
}

TEST(Page, WritesOneNumberPerDocument) {
  Page page = small_page();
  page.documents[1] = {.title = "x", .leaf = -1, .outlier = true, .near_duplicate = true};
  const Json documents = Json::parse(page_data(page))["documents"];
  EXPECT_THAT(decoded(documents["leaf"], 2), ElementsAre(1, 65535, 4, 1, 3, 4, 1));
  EXPECT_THAT(decoded(documents["second"], 2), ElementsAre(3, 65535, 1, 3, 1, 1, 3));
  EXPECT_THAT(decoded(documents["weight"], 1), ElementsAre(191, 0, 191, 191, 191, 191, 191));
  EXPECT_THAT(decoded(documents["flags"], 1), ElementsAre(0, 3, 0, 0, 0, 0, 0));
  EXPECT_THAT(decoded(documents["label"], 2), ElementsAre(0, 65535, 0, 1, 0, 1, 0));
  EXPECT_THAT(decoded(documents["time"], 2), ElementsAre(0, 65535, 2, 0, 1, 2, 0));
  EXPECT_EQ(documents["titles"].size(), 7u);
  EXPECT_TRUE(documents["titled"].is_null());
}

TEST(Page, WritesStabilityWhereItWasMeasured) {
  Page page = small_page();
  EXPECT_FALSE(Json::parse(page_data(page))["documents"].contains("stability"));
  page.nodes[1].stability = 0.25;
  page.nodes[1].label = "two\nwords";
  page.documents[0].stability = 1;
  page.documents[2].stability = 0;
  const Json json = Json::parse(page_data(page));
  EXPECT_THAT(decoded(json["documents"]["stability"], 1), ElementsAre(200, 255, 0, 255, 255, 255, 255));
  EXPECT_EQ(json["nodes"][1]["stability"], 0.25);
  EXPECT_TRUE(json["nodes"][2]["stability"].is_null());
  EXPECT_EQ(json["nodes"][1]["label"], "two words");
}

TEST(Page, WritesEveryWordOnce) {
  const Json json = Json::parse(page_data(small_page()));
  EXPECT_EQ(json["words"], Json({"tree", "leaf"}));
  EXPECT_EQ(json["shares"], Json({0.5, 0.25}));
  EXPECT_EQ(json["forms"], Json::parse(R"([[0, ["trees"]]])"));
  EXPECT_EQ(json["nodes"][1]["words"], Json({0, 1}));
  EXPECT_EQ(json["nodes"][1]["weights"], Json({2, 1}));
  EXPECT_EQ(json["nodes"][2]["words"], Json({1}));
  EXPECT_EQ(json["nodes"][1]["coherence"], -1.5);
  EXPECT_TRUE(json["nodes"][2]["coherence"].is_null());
}

TEST(Page, LeavesOutLabelsAndTimesThatAreNotKnown) {
  Page page = small_page();
  page.labels.clear();
  page.times.clear();
  for (PageDocument& document : page.documents) document.label = document.time = -1;
  const Json json = Json::parse(page_data(page));
  EXPECT_FALSE(json["documents"].contains("label"));
  EXPECT_FALSE(json["documents"].contains("time"));
  EXPECT_FALSE(json["nodes"][0].contains("times"));
}

TEST(Page, NoTextCanEndTheScriptAroundIt) {
  const std::string hostile = "</script><script>alert(1)</script><!-- \xFF \xE2\x80\xA8 \"\\";
  Page page = small_page();
  page.title = page.command = page.documents[0].title = page.labels[0] = page.times[0] = hostile;
  page.nodes[1].name = page.nodes[1].words[0].name = hostile;
  page.forms[0] = page.notes = {hostile};
  page.settings = {{hostile, hostile}};
  page.facts = {{hostile, hostile}};
  page.texts = {{0, hostile}};
  const std::string data = page_data(page);
  EXPECT_EQ(data.find('<'), std::string::npos);
  EXPECT_EQ(Json::parse(data)["texts"][0][1], "</script><script>alert(1)</script><!-- \uFFFD \u2028 \"\\");
}

TEST(Page, KeepsTheSizeAndTheNamedDocuments) {
  Page page = small_page(30'000);
  page.nodes[1].representatives = {{29'999, 2}, {3, 1}};
  for (Index d = 0; d < 900; d += 3) page.texts.push_back({d, std::string(5'000, '<')});
  for (const Index bytes : {300'000, 700'000, 2'000'000}) {
    const PageLimits limits{.bytes = bytes};
    Index size = 0;
    if (page_is_built()) {
      size = static_cast<Index>(page_html(page, {.bytes = bytes + 500'000}).size()) - 500'000;
    } else {
      size = static_cast<Index>(page_data(page, limits).size());
    }
    EXPECT_LE(size, bytes);
    EXPECT_GT(size, bytes / 2);  // the room is used
  }
  const Json json = Json::parse(page_data(page, {.bytes = 1'000'000, .documents = 5'000}));
  const Json& documents = json["documents"];
  EXPECT_EQ(documents["inside"], 5'000);
  EXPECT_EQ(decoded(documents["leaf"], 2).size(), 5'000u);
  EXPECT_EQ(json["nodes"][1]["documents"][0], 4'999);  // the last of all documents is the last inside
  const std::string kept = documents["titles"].back();
  EXPECT_EQ(kept, "Document 29999");
}

TEST(Page, TitlesThatDoNotFitAreSampledEvenly) {
  const Page page = small_page(30'000);
  PageLimits limits{.bytes = 900'000 + (page_is_built() ? static_cast<Index>(page_html(small_page()).size()) : 0)};
  const Json documents = Json::parse(page_data(page, limits))["documents"];
  const std::vector<Index> bits = decoded(documents["titled"], 1);
  ASSERT_EQ(documents["inside"], 30'000);
  std::size_t kept = 0, in_first_half = 0;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 30'000; ++i) {
    if (!(bits[i / 8] >> (i % 8) & 1)) continue;
    ++kept;
    in_first_half += i < 15'000;
    names.push_back("Document " + std::to_string(i));
  }
  EXPECT_EQ(documents["titles"], Json(names));
  EXPECT_LT(kept, 30'000u);
  EXPECT_GT(kept, 10'000u);
  EXPECT_NEAR(double(in_first_half) / double(kept), 0.5, 0.02);
}

TEST(Page, CutsTextsBetweenCharacters) {
  Page page = small_page();
  page.texts = {{0, "ab\u00e9\u00e9\u00e9\u00e9"}};
  const Json json = Json::parse(page_data(page, {.text_bytes = 8}));
  EXPECT_EQ(json["texts"][0][1], "ab\u00e9\u2026");
}

TEST(Page, KeepsTheCommonestClasses) {
  Page page = small_page(9);
  page.labels = {"rare", "common", "never", "often"};
  for (std::size_t d = 0; d < 9; ++d) page.documents[d].label = d == 0 ? 0 : d < 6 ? 1 : 3;
  const Json json = Json::parse(page_data(page, {.labels = 2}));
  EXPECT_EQ(json["labels"], Json({"common", "often"}));
  EXPECT_EQ(json["labels_given"], 4);
  EXPECT_THAT(decoded(json["documents"]["label"], 2), ElementsAre(65535, 0, 0, 0, 0, 0, 1, 1, 1));
}

TEST(Page, RefusesPositionsThatDoNotExist) {
  const auto refused = [](auto change) {
    Page page = small_page();
    change(page);
    EXPECT_THROW(page_data(page), InvalidArgument);
  };
  refused([](Page& page) { page.nodes.clear(); });
  refused([](Page& page) { page.nodes[1].parent = 3; });
  refused([](Page& page) { page.nodes[1].representatives = {{7, 1}}; });
  refused([](Page& page) { page.documents[0].leaf = 2; });  // not a leaf
  refused([](Page& page) { page.documents[0].second = 5; });
  refused([](Page& page) { page.documents[0].label = 2; });
  refused([](Page& page) { page.documents[0].time = -2; });
  refused([](Page& page) { page.texts = {{-1, ""}}; });
  EXPECT_THROW(page_data(small_page(), {.bytes = 1'000}), InvalidArgument);
}

TEST(Page, PutsTheDataIntoThePage) {
  const Page page = small_page();
  if (!page_is_built()) {
    EXPECT_THROW(page_html(page), InvalidArgument);
    GTEST_SKIP() << "this build holds no page";
  }
  const std::string html = page_html(page), data = page_data(page);
  EXPECT_THAT(html, ::testing::StartsWith("<!doctype html>"));
  EXPECT_THAT(html, HasSubstr("<script type=\"application/json\" id=\"data\">" + data + "</script>"));
  EXPECT_EQ(html.find("@copse-data@"), std::string::npos);
}

TEST(Page, ADocumentlessPageIsAPage) {
  Page page;
  page.nodes = {{.id = ""}};
  const Json json = Json::parse(page_data(page));
  EXPECT_EQ(json["documents"]["total"], 0);
  EXPECT_EQ(json["nodes"][0]["size"], 0);
}

}  // namespace
}  // namespace copse
