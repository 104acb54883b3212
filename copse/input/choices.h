// The words for the choices on what is read, and how; see options/choices.h.
#pragma once

#include "copse/graph/read_graph.h"
#include "copse/input/item_similarity.h"
#include "copse/input/memory.h"
#include "copse/input/neighbour_graph.h"
#include "copse/io/read_options.h"
#include "copse/options/choices.h"
#include "copse/prepare/options.h"
#include "copse/text/document.h"
#include "copse/text/tokens.h"

namespace copse {

template <>
const Choices<Engine>& choices();
template <>
const Choices<Items>& choices();
template <>
const Choices<Presence>& choices();
template <>
const Choices<Weighting>& choices();
template <>
const Choices<FeatureSelection>& choices();
template <>
const Choices<FeatureScaling>& choices();
template <>
const Choices<DocumentFormat>& choices();
template <>
const Choices<Links>& choices();
template <>
const Choices<WordRule>& choices();
template <>
const Choices<NeighbourGraph>& choices();
template <>
const Choices<GraphFormat>& choices();
template <>
const Choices<ItemSimilarity>& choices();

}  // namespace copse
