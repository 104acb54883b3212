// What the clusters are about.
#pragma once

#include <string>
#include <vector>

#include "copse/matrix/dense.h"
#include "copse/model/run_report.h"

namespace copse {

// The `count` features with the largest weights in each column of w; features without names get numbers from 0.
// Features of weight zero are never among them.
template <class T>
std::vector<Topic> describe_topics(const Matrix<T>& w, const std::vector<std::string>& feature_names, Index count);

// Fills the most frequent class of each topic's items: classes[j] is that of the item with labels[j].
void add_main_classes(std::vector<Topic>& topics, const std::vector<Index>& labels,
                      const std::vector<std::string>& classes);

}  // namespace copse
