// The components of a result beside others that are known, such as the signatures of a catalogue.
#pragma once

#include <string>
#include <vector>

#include "copse/matrix/dataset.h"
#include "copse/model/flat_model.h"

namespace copse {

struct ReferenceMatch {
  std::string topic;      // its number
  std::string reference;  // no two topics have the same; "" where references are fewer than topics
  double cosine = 0;
  std::string nearest;  // the reference with the largest cosine
  double nearest_cosine = 0;
};

struct ReferenceMatches {
  std::vector<ReferenceMatch> matches;  // by topic
  std::vector<std::string> notes;
};

// References are the items of a matrix; features are matched by name where both sides have names, else by number.
// Components are compared in the units of the data: what scaled a feature is taken back. Throws InputError where the
// features do not fit.
template <class T>
ReferenceMatches match_references(const FlatModel& model, Dataset<T> references);

}  // namespace copse
