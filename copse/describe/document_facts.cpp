#include "copse/describe/document_facts.h"

#include <algorithm>
#include <map>

#include "copse/describe/names.h"
#include "copse/measure/coherence.h"
#include "copse/prepare/feature_sums.h"
#include "copse/prepare/near_duplicates.h"

namespace copse {
namespace {

// The best documents of every topic, then the second best, and so on, until there are enough.
std::vector<Index> choose_excerpts(const TopicView& view) {
  std::vector<Index> chosen;
  std::map<Index, bool> seen;
  for (std::size_t rank = 0;; ++rank) {
    bool any = false;
    for (const Topic& node : view.nodes) {
      if (rank >= node.representatives.size()) continue;
      any = true;
      if (static_cast<Index>(chosen.size()) < most_texts &&
          !std::exchange(seen[node.representatives[rank].number], true))
        chosen.push_back(node.representatives[rank].number);
    }
    if (!any || static_cast<Index>(chosen.size()) >= most_texts) break;
  }
  std::ranges::sort(chosen);
  return chosen;
}

// Reads the documents again that are not there yet.
void add_excerpts(const DocumentSource& source, const TopicView& view, ModelItems& items) {
  std::map<Index, std::string> excerpts;
  for (std::size_t e = 0; e < items.excerpts.size(); ++e) excerpts[items.excerpt_items[e]] = items.excerpts[e];
  std::vector<Index> wanted = choose_excerpts(view);
  std::erase_if(wanted, [&](Index item) { return excerpts.contains(item); });
  std::vector<Document> documents = source.read(wanted, most_text_bytes);
  for (std::size_t e = 0; e < documents.size(); ++e) excerpts[wanted[e]] = std::move(documents[e].text);
  items.excerpt_items.clear();
  items.excerpts.clear();
  for (auto& [item, text] : excerpts) {
    items.excerpt_items.push_back(item);
    items.excerpts.push_back(std::move(text));
  }
}

}  // namespace

void add_coherence(const AnyDataset& data, const TopicView& view, ModelItems& items) {
  std::vector<std::vector<Index>> topics;
  for (const Topic& node : view.nodes) {
    auto& topic = topics.emplace_back();
    for (const Ranked& word : node.words) topic.push_back(word.number);
  }
  const std::vector<double> values = data.visit([&](const auto& entries) { return coherence(entries, topics); });
  for (std::size_t n = 1; n < view.nodes.size(); ++n) {
    const auto found = std::ranges::find(items.topic_ids, view.nodes[n].id);
    if (found == items.topic_ids.end()) {
      items.topic_ids.push_back(view.nodes[n].id);
      items.coherence.push_back(values[n]);
    } else {
      items.coherence[found - items.topic_ids.begin()] = values[n];
    }
  }
}

template <class Model>
void add_document_facts(const AnyDataset& data, const DocumentSource* source, Model& model) {
  ModelItems& items = model.items;
  if (items.is_text() && items.document_counts.empty()) {
    data.visit([&]<class T>(const Dataset<T>& entries) {
      const auto counts = feature_sums(entries, [](Index, Index, T) { return 1.0; });
      items.document_counts.assign(counts.begin(), counts.end());
      items.near_duplicates = near_duplicates(entries);
    });
  }
  const TopicView view = view_of(model);
  add_labels(data, view, items);
  if (!items.is_text()) return;
  add_coherence(data, view, items);
  if (source != nullptr) add_excerpts(*source, view, items);
}

template void add_document_facts(const AnyDataset&, const DocumentSource*, FlatModel&);
template void add_document_facts(const AnyDataset&, const DocumentSource*, TreeModel&);

}  // namespace copse
