// What is drawn of a survey beside its curves.
#pragma once

#include <vector>

#include "copse/choose/survey_table.h"

namespace copse {

// At most `most` items, evenly from the dendrogram of those that are watched.
template <class T>
ConsensusPicture consensus_picture(const Survey<T>& survey, const std::vector<RunRecord>& records, Index k, Index most);

// One for each k of the survey but the last, where both have starts.
std::vector<ClusterFlow> cluster_flows(const std::vector<RunRecord>& records, const std::vector<Index>& ks);

}  // namespace copse
