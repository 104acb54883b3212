#include "copse/report/page.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "copse/base/error.h"
#include "copse/model/result_json.h"
#include "copse/report/page_template.h"
#include "copse/report/page_text.h"

namespace copse {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint16_t no_topic_number = std::numeric_limits<std::uint16_t>::max();
constexpr Index word_entries = 60'000;  // of all nodes together
constexpr Index reserve = 4'096;        // for the braces, keys and counts that are not measured one by one

// ---- text

Index dumped_size(const Json& json) { return static_cast<Index>(script_json(json).size()) + 1; }

Json rounded_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(rounded(*value)) : Json(nullptr);
}

// ---- checks

void require(bool fine, const std::string& sentence) {
  if (!fine) throw InvalidArgument(sentence);
}

void check(const Page& page) {
  const auto nodes = static_cast<Index>(page.nodes.size());
  const auto documents = static_cast<Index>(page.documents.size());
  require(nodes >= 1 && page.nodes[0].parent == -1, "The first node of a report page must be the root.");
  require(nodes < no_topic_number,
          "A report page holds at most 65,534 topics; these are " + std::to_string(nodes) + ".");
  require(page.labels.size() < no_topic_number && page.times.size() < no_topic_number,
          "A report page holds at most 65,534 classes and 65,534 periods.");
  for (Index n = 1; n < nodes; ++n) {
    const Index parent = page.nodes[n].parent;
    require(0 <= parent && parent < n, "Node " + std::to_string(n) + " of the report page has the parent " +
                                           std::to_string(parent) + "; a parent must come before its children.");
  }
  std::vector<bool> is_leaf(nodes, true);
  for (Index n = 1; n < nodes; ++n) is_leaf[page.nodes[n].parent] = false;
  for (const Topic& node : page.nodes) {
    for (const Ranked& best : node.representatives)
      require(0 <= best.number && best.number < documents,
              "The topic " + node.id + " of the report page names the document " + std::to_string(best.number) +
                  " of " + std::to_string(documents) + ".");
  }
  for (Index d = 0; d < documents; ++d) {
    const PageDocument& document = page.documents[d];
    for (const Index leaf : {document.leaf, document.second})
      require(leaf == -1 || (0 <= leaf && leaf < nodes && is_leaf[leaf]),
              "Document " + std::to_string(d) + " of the report page is in node " + std::to_string(leaf) +
                  ", which is no leaf.");
    require(-1 <= document.label && document.label < static_cast<Index>(page.labels.size()) && -1 <= document.time &&
                document.time < static_cast<Index>(page.times.size()),
            "Document " + std::to_string(d) + " of the report page has a class or a period that is not listed.");
  }
  for (const PageText& text : page.texts)
    require(0 <= text.document && text.document < documents, "The report page has the text of document " +
                                                                 std::to_string(text.document) + " of " +
                                                                 std::to_string(documents) + ".");
}

// ---- what is kept

// Keeps even parts of a sequence: those for which the credit, `share` of each cost, covers the cost. What is kept
// costs at most `share` of the whole.
class EvenSample {
 public:
  explicit EvenSample(double share) : share_(std::min(1.0, share)) {}
  bool keep(double cost) {
    credit_ += share_ * cost;
    if (credit_ < cost * (1 - 1e-9)) return false;
    credit_ -= cost;
    return true;
  }

 private:
  double share_;
  double credit_ = 0;
};

// The documents that are named by a topic or have a text, ascending.
std::vector<Index> named_documents(const Page& page) {
  std::vector<Index> named;
  for (const Topic& node : page.nodes) {
    for (const Ranked& best : node.representatives) named.push_back(best.number);
  }
  for (const PageText& text : page.texts) named.push_back(text.document);
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return named;
}

// All named documents and an even sample of the others, ascending.
std::vector<Index> documents_inside(const Page& page, const std::vector<Index>& named, Index limit) {
  const auto total = static_cast<Index>(page.documents.size());
  const auto others = total - static_cast<Index>(named.size());
  EvenSample sample(others > 0 ? double(limit - static_cast<Index>(named.size())) / double(others) : 1);
  std::vector<Index> inside;
  auto next = named.begin();
  for (Index d = 0; d < total; ++d) {
    const bool is_named = next != named.end() && *next == d;
    if (is_named) ++next;
    if (is_named || sample.keep(1)) inside.push_back(d);
  }
  return inside;
}

// The new position of every label, -1 for those beyond the `limit` commonest.
std::vector<Index> commonest_labels(const Page& page, Index limit) {
  std::vector<Index> counts(page.labels.size()), order(page.labels.size()), position(page.labels.size(), -1);
  for (const PageDocument& document : page.documents) {
    if (document.label >= 0) ++counts[document.label];
  }
  std::iota(order.begin(), order.end(), Index(0));
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return counts[a] > counts[b]; });
  order.resize(std::min<std::size_t>(order.size(), static_cast<std::size_t>(limit)));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<Index>(i);
  return position;
}

// ---- parts of the data

// Sizes, classes and periods of every node: sums over the documents below it.
struct Tallies {
  std::vector<Index> sizes;
  std::vector<std::unordered_map<Index, Index>> labels;
  std::vector<std::vector<Index>> times;
};

Tallies tallies_of(const Page& page, const std::vector<Index>& label_positions) {
  const std::size_t nodes = page.nodes.size();
  Tallies tallies{std::vector<Index>(nodes), std::vector<std::unordered_map<Index, Index>>(nodes),
                  std::vector<std::vector<Index>>(nodes, std::vector<Index>(page.times.size()))};
  for (const PageDocument& document : page.documents) {
    if (document.leaf < 0) continue;
    ++tallies.sizes[document.leaf];
    if (document.label >= 0 && label_positions[document.label] >= 0)
      ++tallies.labels[document.leaf][label_positions[document.label]];
    if (document.time >= 0) ++tallies.times[document.leaf][document.time];
  }
  for (std::size_t n = nodes; n-- > 1;) {
    const auto parent = static_cast<std::size_t>(page.nodes[n].parent);
    tallies.sizes[parent] += tallies.sizes[n];
    for (const auto& [label, count] : tallies.labels[n]) tallies.labels[parent][label] += count;
    for (std::size_t t = 0; t < page.times.size(); ++t) tallies.times[parent][t] += tallies.times[n][t];
  }
  return tallies;
}

// Commonest first, as label, count, label, count ...
Json json_of_labels(const std::unordered_map<Index, Index>& counts) {
  std::vector<std::pair<Index, Index>> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  Json list = Json::array();
  for (const auto& [label, count] : sorted) {
    list.push_back(label);
    list.push_back(count);
  }
  return list;
}

// Every word is written once; the nodes name it by its number.
class WordTable {
 public:
  explicit WordTable(const Page& page) : page_(page) {}
  Index number(const Ranked& word) {
    const auto [entry, is_new] = numbers_.try_emplace(word.name, static_cast<Index>(words_.size()));
    if (is_new) {
      const auto feature = static_cast<std::size_t>(word.number);
      words_.push_back(one_line(word.name));
      shares_.push_back(rounded(page_.shares.empty() ? 1 : page_.shares.at(feature)));
      if (!page_.forms.empty() && !page_.forms.at(feature).empty())
        forms_.push_back({entry->second, page_.forms[feature]});
    }
    return entry->second;
  }
  void write_to(Json& json) const {
    json["words"] = words_;
    json["shares"] = shares_;
    json["forms"] = forms_;
  }

 private:
  const Page& page_;
  std::unordered_map<std::string, Index> numbers_;
  Json words_ = Json::array(), shares_ = Json::array(), forms_ = Json::array();
};

// The part of the data that does not grow with the number of documents; representatives are still numbers of
// documents.
Json json_of_topics(const Page& page, const PageLimits& limits, const std::vector<Index>& label_positions) {
  Json json = json_of(page);
  json["items"] = page.items;
  json["labels"] = Json::array();
  for (std::size_t i = 0; i < page.labels.size(); ++i) {
    if (label_positions[i] >= 0) json["labels"].push_back(one_line(page.labels[i]));
  }
  json["labels_given"] = page.labels.size();
  json["times"] = page.times;

  const Tallies tallies = tallies_of(page, label_positions);
  const Index words_each =
      std::min(limits.words, std::max<Index>(10, word_entries / static_cast<Index>(page.nodes.size())));
  WordTable table(page);
  json["nodes"] = Json::array();
  for (std::size_t n = 0; n < page.nodes.size(); ++n) {
    const Topic& node = page.nodes[n];
    Json entry = {{"id", node.id},
                  {"parent", node.parent},
                  {"name", one_line(node.name)},
                  {"label", one_line(node.label)},
                  {"score", rounded_or_null(node.score)},
                  {"coherence", rounded_or_null(node.coherence)},
                  {"stability", rounded_or_null(node.stability)},
                  {"size", tallies.sizes[n]}};
    Json words = Json::array(), weights = Json::array();
    for (const Ranked& word : node.words) {
      if (static_cast<Index>(words.size()) == words_each) break;
      words.push_back(table.number(word));
      weights.push_back(rounded(word.weight));
    }
    entry["words"] = std::move(words);
    entry["weights"] = std::move(weights);
    if (!page.labels.empty()) entry["labels"] = json_of_labels(tallies.labels[n]);
    if (!page.times.empty()) entry["times"] = tallies.times[n];
    entry["documents"] = Json::array();
    for (const Ranked& best : node.representatives) entry["documents"].push_back(best.number);
    json["nodes"].push_back(std::move(entry));
  }
  table.write_to(json);
  return json;
}

Json json_of_counts(const Page& page) {
  Index outliers = 0, unplaced = 0, duplicates = 0;
  for (const PageDocument& document : page.documents) {
    unplaced += document.leaf < 0;
    outliers += document.leaf >= 0 && document.outlier;
    duplicates += document.near_duplicate;
  }
  return {{"total", page.documents.size()},
          {"outliers", outliers},
          {"unplaced", unplaced},
          {"near_duplicates", duplicates}};
}

std::uint16_t position_or_none(Index position) {
  return position < 0 ? no_topic_number : static_cast<std::uint16_t>(position);
}

std::uint8_t shade_of(double share) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0)));
}

bool has_stability(const Page& page) {
  return std::ranges::any_of(page.documents, [](const PageDocument& document) { return document.stability >= 0; });
}

// One number per document that is inside, in typed arrays.
void write_points(Json& json, const Page& page, const std::vector<Index>& inside,
                  const std::vector<Index>& label_positions) {
  std::vector<std::uint16_t> leaf, second, label, time;
  std::vector<std::uint8_t> weight, second_weight, flags, stability;
  for (const Index d : inside) {
    const PageDocument& document = page.documents[d];
    leaf.push_back(position_or_none(document.leaf));
    second.push_back(position_or_none(document.second));
    weight.push_back(shade_of(document.weight));
    second_weight.push_back(shade_of(document.second_weight));
    label.push_back(position_or_none(document.label < 0 ? -1 : label_positions[document.label]));
    time.push_back(position_or_none(document.time));
    stability.push_back(document.stability < 0 ? 255
                                               : static_cast<std::uint8_t>(std::lround(200 * document.stability)));
    flags.push_back(static_cast<std::uint8_t>((document.outlier ? 1 : 0) | (document.near_duplicate ? 2 : 0)));
  }
  json["inside"] = inside.size();
  json["leaf"] = base64(leaf);
  json["second"] = base64(second);
  json["weight"] = base64(weight);
  json["second_weight"] = base64(second_weight);
  json["flags"] = base64(flags);
  if (!page.labels.empty()) json["label"] = base64(label);
  if (!page.times.empty()) json["time"] = base64(time);
  if (has_stability(page)) json["stability"] = base64(stability);
}

// Bytes of a document in write_points, as base64.
double point_size(const Page& page) {
  return (7 + (has_stability(page) ? 1 : 0) + (page.labels.empty() ? 0 : 2) + (page.times.empty() ? 0 : 2)) * 4 / 3.;
}

// Texts as position and text, as many as the budget holds.
Json json_of_texts(const Page& page, const PageLimits& limits, const std::vector<Index>& position, Index budget) {
  Json texts = Json::array();
  for (const PageText& text : page.texts) {
    if (static_cast<Index>(texts.size()) == limits.texts) break;
    Json entry = {position[text.document], shortened(text.text, limits.text_bytes)};
    budget -= dumped_size(entry);
    if (budget < 0) break;
    texts.push_back(std::move(entry));
  }
  return texts;
}

// Titles of all documents inside, or of the named ones and an even sample of the others.
void write_titles(Json& json, const Page& page, const PageLimits& limits, const std::vector<Index>& inside,
                  const std::vector<Index>& named, Index budget) {
  std::vector<Index> costs;
  Index total = 0, of_named = 0;
  for (const Index d : inside) {
    costs.push_back(dumped_size(shortened(one_line(page.documents[d].title), limits.title_bytes)));
    total += costs.back();
    if (std::binary_search(named.begin(), named.end(), d)) of_named += costs.back();
  }
  const bool all = total <= budget;
  if (!all) budget -= static_cast<Index>(inside.size() / 8 * 4 / 3 + 8);  // one bit per document says which
  EvenSample named_sample(all ? 1 : double(budget) / double(std::max<Index>(1, of_named)));
  EvenSample sample(all ? 1
                        : double(std::max<Index>(0, budget - of_named)) / double(std::max<Index>(1, total - of_named)));
  Json titles = Json::array();
  std::vector<std::uint8_t> kept((inside.size() + 7) / 8);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const bool is_named = std::binary_search(named.begin(), named.end(), inside[i]);
    if (!(is_named ? named_sample : sample).keep(double(costs[i]))) continue;
    titles.push_back(shortened(one_line(page.documents[inside[i]].title), limits.title_bytes));
    kept[i / 8] = static_cast<std::uint8_t>(kept[i / 8] | 1u << (i % 8));
  }
  json["titles"] = std::move(titles);
  json["titled"] = all ? Json(nullptr) : Json(base64(kept));
}

}  // namespace

bool page_is_built() { return !page_template().empty(); }

std::string page_data(const Page& page, const PageLimits& limits) {
  check(page);
  const std::vector<Index> label_positions = commonest_labels(page, limits.labels);
  Json json = json_of_topics(page, limits, label_positions);
  Index budget = limits.bytes - static_cast<Index>(page_template().size()) - dumped_size(json) - reserve;
  const std::vector<Index> named = named_documents(page);
  const auto affordable = static_cast<Index>(double(std::max<Index>(0, budget)) * 0.5 / point_size(page));
  require(budget > 0 && static_cast<Index>(named.size()) <= affordable,
          "The topics of this report alone need more than the " + std::to_string(limits.bytes) +
              " bytes that its page may have; a larger limit or fewer topics will do.");
  const std::vector<Index> inside = documents_inside(page, named, std::min(limits.documents, affordable));

  std::vector<Index> position(page.documents.size(), -1);
  for (std::size_t i = 0; i < inside.size(); ++i) position[inside[i]] = static_cast<Index>(i);
  for (Json& node : json["nodes"]) {
    for (Json& document : node["documents"]) document = position[document.get<Index>()];
  }
  Json documents = json_of_counts(page);
  write_points(documents, page, inside, label_positions);
  budget -= static_cast<Index>(std::ceil(double(inside.size()) * point_size(page)));
  json["texts_given"] = page.texts.size();
  json["texts"] = json_of_texts(page, limits, position, budget / 2);
  write_titles(documents, page, limits, inside, named, budget - dumped_size(json["texts"]));
  json["documents"] = std::move(documents);
  return script_json(json);
}

std::string page_html(const Page& page, const PageLimits& limits) { return page_around(page_data(page, limits)); }

}  // namespace copse
