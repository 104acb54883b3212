#include "copse/describe/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <unordered_map>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/options/wording.h"
#include "copse/tree/ids.h"

namespace copse {
namespace {

constexpr std::size_t most_terms = 3;
constexpr std::size_t spare_terms = 8;  // what else may make a name different from another
constexpr double smoothing = 2;         // items of the parent's kind
constexpr double phrase_share = 0.5;    // least score of a phrase against that of its word
constexpr double least_share = 0.1;     // of the first term's score, for a third
constexpr std::size_t prompt_terms = 15;
constexpr std::size_t prompt_documents = 3;
constexpr std::size_t prompt_bytes = 200;  // of each document

// The items of every node as one range of a list: leaves in the order of the tree, so that a node's are side by side.
struct ItemRanges {
  std::vector<Index> items;  // kept ones
  std::vector<Index> begin, end;

  ItemRanges(const TopicView& view, const ModelItems& model) {
    const std::size_t nodes = view.nodes.size();
    std::vector<Index> own(nodes, 0);
    const std::vector<Index> numbers = model.kept_numbers();
    const auto leaf_of = [&](std::size_t i) { return numbers[i] < 0 ? Index(-1) : view.items[i].node; };
    for (std::size_t i = 0; i < view.items.size(); ++i) {
      if (leaf_of(i) >= 0) ++own[leaf_of(i)];
    }
    // Sizes of subtrees, then where each begins: its own items first, then its children's.
    std::vector<Index> all = own;
    for (std::size_t n = nodes; n-- > 1;) all[view.nodes[n].parent] += all[n];
    begin.assign(nodes, 0);
    end.assign(nodes, 0);
    std::vector<Index> next(nodes, 0);
    for (std::size_t n = 0; n < nodes; ++n) {
      if (n > 0) begin[n] = std::exchange(next[view.nodes[n].parent], next[view.nodes[n].parent] + all[n]);
      next[n] = begin[n] + own[n];
      end[n] = begin[n] + all[n];
    }
    items.resize(static_cast<std::size_t>(nodes > 0 ? all[0] : 0));
    std::vector<Index> place = begin;
    for (std::size_t i = 0; i < view.items.size(); ++i) {
      if (leaf_of(i) >= 0) items[place[leaf_of(i)]++] = numbers[i];
    }
  }

  double size(Index node) const { return static_cast<double>(end[node] - begin[node]); }
};

// The node that a reader sees above this one.
Index above(const TopicView& view, std::size_t node) {
  const auto& shown = view.outline.parent;
  return node < shown.size() && shown[node] >= 0 ? shown[node] : view.nodes[node].parent;
}

using Held = std::unordered_map<Index, double>;

// How many items of each node hold each of its terms and its children's terms; in dense data, the sums of the entries.
std::vector<Held> terms_held(const TopicView& view, const AnyDataset& data, const ItemRanges& ranges) {
  std::vector<Held> held(view.nodes.size());
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    for (const Ranked& word : view.nodes[n].words) {
      held[n].emplace(word.number, 0);
      if (n > 0) held[above(view, n)].emplace(word.number, 0);
    }
  }
  const bool counts = data.is_sparse();
  parallel_for(static_cast<Index>(view.nodes.size()), [&](Index n) {
    std::vector<std::int32_t> slot(static_cast<std::size_t>(data.features()), -1);
    std::vector<double> sums;
    for (const auto& [feature, sum] : held[n]) {
      slot[feature] = static_cast<std::int32_t>(sums.size());
      sums.push_back(0);
    }
    data.visit([&](const auto& entries) {
      for (Index e = ranges.begin[n]; e < ranges.end[n]; ++e) {
        visit_nonzeros(entries, ranges.items[e], [&](Index feature, auto value) {
          if (slot[feature] >= 0) sums[slot[feature]] += counts ? 1.0 : static_cast<double>(value);
        });
      }
    });
    for (auto& [feature, sum] : held[n]) sum = sums[slot[feature]];
  });
  return held;
}

struct Term {
  std::string name;
  double score = 0;
};

bool is_phrase(const std::string& term) { return term.find(' ') != std::string::npos; }

bool holds(const std::string& phrase, const std::string& word) {
  const std::vector<std::string> words = split(phrase, ' ');
  return std::ranges::find(words, word) != words.end();
}

// The terms of a topic, best first.
std::vector<Term> scored_terms(const Topic& node, const Held& here, const Held& above, double size, double size_above,
                               const std::vector<std::string>& names) {
  std::vector<Term> terms;
  for (const auto& [feature, weight, name] : node.words) {
    const double share_above = above.at(feature) / std::max(1.0, size_above);
    const double share = (here.at(feature) + smoothing * share_above) / (size + smoothing);
    terms.push_back({names[feature], share_above > 0 ? weight * std::log(share / share_above) : 0});
  }
  // Nothing tells it from its parent: its best words.
  if (std::ranges::none_of(terms, [](const Term& term) { return term.score > 0; })) {
    for (std::size_t r = 0; r < terms.size(); ++r) terms[r].score = node.words[r].weight;
  }
  std::erase_if(terms, [](const Term& term) { return !(term.score > 0); });
  std::ranges::stable_sort(terms, std::greater(), &Term::score);
  return terms;
}

// The first terms that have no word in common. A word gives way to its best phrase.
std::vector<Term> distinct_terms(const std::vector<Term>& terms) {
  std::vector<Term> chosen;
  for (const Term& term : terms) {
    if (chosen.size() == spare_terms) break;
    const Term* best = &term;
    if (!is_phrase(term.name)) {
      const auto phrase = std::ranges::find_if(terms, [&](const Term& other) {
        return other.score >= phrase_share * term.score && is_phrase(other.name) && holds(other.name, term.name);
      });
      if (phrase != terms.end()) best = &*phrase;
    }
    if (std::ranges::none_of(chosen, [&](const Term& other) { return are_forms(other.name, best->name); }))
      chosen.push_back({best->name, term.score});
  }
  return chosen;
}

// The terms of a name in a fixed order.
std::vector<std::string> terms_of(const std::string& name) {
  std::vector<std::string> terms = split(name, ',');
  for (std::string& term : terms) term.erase(0, term.find_first_not_of(' '));
  std::ranges::sort(terms);
  return terms;
}

// Two or three of the terms, or more, that are no other topic's name. The third must not be much weaker than the first.
std::string new_name(const std::vector<Term>& terms, const std::string& id, std::set<std::vector<std::string>>& taken) {
  if (terms.empty()) return "";
  std::vector<std::string> names;
  for (const Term& term : terms) names.push_back(term.name);
  const auto take = [&](const std::vector<std::string>& parts, std::string& name) {
    name = joined(parts, ", ");
    return taken.insert(terms_of(name)).second;
  };
  const bool third = names.size() >= most_terms && terms[most_terms - 1].score >= least_share * terms.front().score;
  std::string name;
  for (std::size_t count = std::min(third ? most_terms : most_terms - 1, names.size()); count <= names.size();
       ++count) {
    std::vector<std::string> parts(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count));
    if (take(parts, name)) return name;
    // Another last term says most of the same.
    for (std::size_t other = count; other < names.size(); ++other) {
      parts.back() = names[other];
      if (take(parts, name)) return name;
    }
  }
  return fmt::format("{} ({})", joined(names, ", "), id);
}

// Bytes at which the next character begins; `at` is the beginning of one.
std::size_t after(const std::string& text, std::size_t at) {
  do {
    ++at;
  } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}

Index characters(const std::string& text, std::size_t at) {
  Index count = 0;
  for (; at < text.size(); at = after(text, at)) ++count;
  return count;
}

bool are_forms_of_one_word(const std::string& a, const std::string& b) {
  if (a == b) return true;
  std::size_t at = 0;
  Index common = 0;
  while (at < a.size() && at < b.size()) {
    const std::size_t next = after(a, at);
    if (next != after(b, at) || a.compare(at, next - at, b, at, next - at) != 0) break;
    at = next;
    ++common;
  }
  const auto is_ending = [&](const std::string& word) {
    return characters(word, at) <= 3 && word.find_first_of("0123456789", at) == std::string::npos;
  };
  const bool plural = common >= 3 && ((at == a.size() && b.compare(at, std::string::npos, "s") == 0) ||
                                      (at == b.size() && a.compare(at, std::string::npos, "s") == 0));
  return plural || (common >= 4 && is_ending(a) && is_ending(b));
}

// All that a reader sees but for the root, each before those below it.
std::vector<Index> shown_nodes(const TopicView& view) {
  std::vector<Index> shown, stack{0};
  while (!stack.empty()) {
    const Index n = stack.back();
    stack.pop_back();
    if (n > 0) shown.push_back(n);
    stack.insert(stack.end(), view.outline.children[n].rbegin(), view.outline.children[n].rend());
  }
  return shown;
}

// The first bytes of a text as one line, never cut inside a character.
std::string first_line(const std::string& text) {
  std::string line;
  for (std::size_t at = 0; at < text.size() && line.size() < prompt_bytes;) {
    const std::size_t next = after(text, at);
    const bool space = static_cast<unsigned char>(text[at]) <= ' ' || text[at] == 0x7f;
    if (!space) line.append(text, at, next - at);
    if (space && !line.empty() && line.back() != ' ') line.push_back(' ');
    at = next;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

bool are_forms(const std::string& a, const std::string& b) {
  for (const std::string& word : split(a, ' ')) {
    for (const std::string& other : split(b, ' ')) {
      if (are_forms_of_one_word(word, other)) return true;
    }
  }
  return false;
}

std::vector<std::string> topic_names(const TopicView& view, const AnyDataset& data, const ModelItems& items) {
  std::vector<std::string> names(view.nodes.size());
  if (items.feature_names.empty()) return names;
  const ItemRanges ranges(view, items);
  const std::vector<Held> held = terms_held(view, data, ranges);
  // Topics that have a name keep it, and nobody else gets it.
  std::unordered_map<std::string, std::string> known;
  std::set<std::vector<std::string>> taken;
  for (std::size_t e = 0; e < items.labels.size(); ++e) known.emplace(items.label_ids[e], items.labels[e]);
  for (std::size_t n = 1; n < view.nodes.size(); ++n) {
    if (const auto found = known.find(view.nodes[n].id); found != known.end()) taken.insert(terms_of(found->second));
  }
  for (std::size_t n = 1; n < view.nodes.size(); ++n) {
    const Topic& node = view.nodes[n];
    if (const auto found = known.find(node.id); found != known.end()) {
      names[n] = found->second;
      continue;
    }
    const Index parent = above(view, n);
    const auto terms = scored_terms(node, held[n], held[parent], ranges.size(static_cast<Index>(n)),
                                    ranges.size(parent), items.feature_names);
    names[n] = new_name(distinct_terms(terms), node.id, taken);
  }
  return names;
}

void add_labels(const AnyDataset& data, const TopicView& view, ModelItems& items) {
  if (items.feature_names.empty()) return;
  const std::vector<std::string> names = topic_names(view, data, items);
  const std::set<std::string> known(items.label_ids.begin(), items.label_ids.end());
  for (std::size_t n = 1; n < view.nodes.size(); ++n) {
    if (known.contains(view.nodes[n].id)) continue;
    items.label_ids.push_back(view.nodes[n].id);
    items.labels.push_back(names[n]);
  }
}

std::string names_prompt(const TopicView& view, const ModelItems& items) {
  std::string text =
      "These are topics that were found in a collection of " + std::string(items.is_text() ? "documents" : "items") +
      ". Each has an id, a present name,\nits best terms, some typical " + (items.is_text() ? "documents" : "items") +
      ", and the names of its parent and of its siblings.\nFind a better name for each: two to four words that say "
      "what it is about and tell "
      "it from its\nsiblings and its parent.\n";
  const std::vector<Index> shown = shown_nodes(view);
  for (const Index n : shown) {
    const Topic& node = view.nodes[n];
    text += fmt::format("\n## {}\nname: {}\nsize: {}\n", short_id(node.id), node.label, node.size);
    std::vector<std::string> terms, siblings;
    for (std::size_t r = 0; r < std::min(prompt_terms, node.words.size()); ++r) terms.push_back(node.words[r].name);
    text += fmt::format("terms: {}\n", joined(terms, ", "));
    const auto called = [&](Index other) {
      return fmt::format("{} {}", short_id(view.nodes[other].id), view.nodes[other].label);
    };
    const Index parent = view.outline.parent[n];
    if (parent > 0) text += fmt::format("parent: {}\n", called(parent));
    for (const Index other : view.outline.children[parent]) {
      if (other != n) siblings.push_back(called(other));
    }
    if (!siblings.empty()) text += fmt::format("siblings: {}\n", joined(siblings, "; "));
    for (std::size_t r = 0; r < std::min(prompt_documents, node.representatives.size()); ++r) {
      const Index item = node.representatives[r].number;
      const auto excerpt = std::ranges::lower_bound(items.excerpt_items, item);
      std::string line = items.item_names[item];
      if (!items.titles.empty() && !items.titles[item].empty()) line = items.titles[item];
      if (excerpt != items.excerpt_items.end() && *excerpt == item)
        line = items.excerpts[excerpt - items.excerpt_items.begin()];
      text += fmt::format("- {}\n", first_line(line));
    }
  }
  text +=
      "\n## Answer\nAnswer with one line for each topic and nothing else: its id, a tab, its name. No id and no name "
      "may "
      "stand twice,\nand no line may be empty. So far they are:\n\n";
  for (const Index n : shown) text += fmt::format("{}\t{}\n", short_id(view.nodes[n].id), view.nodes[n].label);
  return text;
}

std::vector<GivenName> given_names(const std::vector<std::string>& lines, const std::string& source) {
  std::vector<GivenName> names;
  std::unordered_map<std::string, Index> lines_of_ids, lines_of_names;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto number = static_cast<Index>(i) + 1;
    const auto refuse = [&](const std::string& what) {
      throw InputError(fmt::format("{}, line {}: {}", source, number, what));
    };
    const std::string& line = lines[i];
    if (line.find_first_not_of(" \t") == std::string::npos)
      refuse("the line is empty; each must be an id, a tab and a name.");
    const std::size_t tab = line.find('\t'), first = line.find_first_not_of(" \t", tab);
    if (tab == std::string::npos) refuse("there is no tab between an id and a name.");
    GivenName given{.id = line.substr(0, tab), .name = {}, .line = number};
    if (first == std::string::npos) refuse(fmt::format("the topic {} gets no name.", given.id));
    given.name = line.substr(first, line.find_last_not_of(" \t") - first + 1);
    if (given.name.find('\t') != std::string::npos) refuse("there is a second tab.");
    const auto [id, is_new] = lines_of_ids.emplace(full_id(given.id), number);
    if (!is_new) refuse(fmt::format("the topic {} was named in line {} already.", given.id, id->second));
    const auto [name, is_new_name] = lines_of_names.emplace(given.name, number);
    if (!is_new_name) refuse(fmt::format("\"{}\" is the name in line {} already.", given.name, name->second));
    names.push_back(std::move(given));
  }
  if (names.empty()) throw InputError(source + " holds no names.");
  return names;
}

}  // namespace copse
