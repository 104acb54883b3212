// What a result on documents tells beyond its topics: coherence, near duplicates, and the beginnings of the documents
// that stand for a topic.
#pragma once

#include "copse/describe/topic_view.h"
#include "copse/matrix/any_dataset.h"
#include "copse/text/documents.h"

namespace copse {

// Fills what `model.items` says about topics and documents: names where features have names, and of documents how many
// hold each word, which nearly equal an earlier one, and the coherence and the best documents of the topics. What is
// known of other topics stays. Model is a FlatModel or TreeModel; `data` is what was factored.
template <class Model>
void add_document_facts(const AnyDataset& data, const DocumentSource* source, Model& model);

// How often the best features of every topic occur in the same items. What is known of other topics stays.
void add_coherence(const AnyDataset& data, const TopicView& view, ModelItems& items);

}  // namespace copse
