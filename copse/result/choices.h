// The words for every choice that a person makes: one table for each, shared by the command line, Python and JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "copse/choose/answer.h"
#include "copse/graph/cluster_graph.h"
#include "copse/io/matrix_file.h"
#include "copse/prepare/prepare.h"
#include "copse/result/graph_input.h"
#include "copse/result/neighbour_graph.h"
#include "copse/result/precision.h"
#include "copse/text/documents.h"
#include "copse/text/tokens.h"
#include "copse/tree/tree.h"

namespace copse {

enum class Engine;
enum class SegmentMethod;
enum class SegmentHierarchy;

template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

template <class Value>
const Choices<Value>& choices();
template <>
const Choices<Loss>& choices();
template <>
const Choices<Solver>& choices();
template <>
const Choices<Start>& choices();  // without `given`, which has no name: factors come from a file or a call
template <>
const Choices<StopReason>& choices();
template <>
const Choices<Precision>& choices();
template <>
const Choices<Engine>& choices();
template <>
const Choices<Items>& choices();
template <>
const Choices<Presence>& choices();
template <>
const Choices<Weighting>& choices();
template <>
const Choices<FeatureScaling>& choices();
template <>
const Choices<FeatureSelection>& choices();
template <>
const Choices<DocumentFormat>& choices();
template <>
const Choices<Links>& choices();
template <>
const Choices<WordRule>& choices();
template <>
const Choices<NeighbourGraph>& choices();
template <>
const Choices<Score>& choices();
template <>
const Choices<Pick>& choices();
template <>
const Choices<Rank2Start>& choices();
template <>
const Choices<Leaf>& choices();
template <>
const Choices<GraphFormat>& choices();
template <>
const Choices<ItemSimilarity>& choices();
template <>
const Choices<GraphStart>& choices();
template <>
const Choices<SymSolver>& choices();
template <>
const Choices<RunChoice>& choices();
template <>
const Choices<LabelSource>& choices();
template <>
const Choices<Null>& choices();
template <>
const Choices<Average>& choices();
template <>
const Choices<Question>& choices();
template <>
const Choices<RunKind>& choices();
template <>
const Choices<SegmentMethod>& choices();
template <>
const Choices<SegmentHierarchy>& choices();

// "" for a value that has no name.
template <class Value>
std::string name_of(Value value) {
  for (const auto& [name, choice] : choices<Value>()) {
    if (choice == value) return name;
  }
  return "";
}

template <class Value>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& [name, choice] : choices<Value>()) names.push_back(name);
  return names;
}

// Throws InvalidArgument: "<what> must be one of ..., not ...".
[[noreturn]] void refuse_choice(const std::string& what, const std::string& word,
                                const std::vector<std::string>& names);

template <class Value>
Value choice_of(const std::string& what, const std::string& word) {
  for (const auto& [name, choice] : choices<Value>()) {
    if (name == word) return choice;
  }
  refuse_choice(what, word, names_of<Value>());
}

}  // namespace copse
