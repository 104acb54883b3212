// What the clusters are about, for the report and for the eye.
#pragma once

#include <string>
#include <vector>

#include "copse/matrix/data.h"
#include "copse/nmf/clusters.h"
#include "copse/report/run_report.h"

namespace copse {

// The `count` features with the largest weights in each column of w; features without names get numbers from 0.
// Features of weight zero are never among them.
template <class T>
std::vector<Topic> describe_topics(const Matrix<T>& w, const Clusters& clusters,
                                   const std::vector<std::string>& feature_names, Index count);

// Fills the most frequent class of each topic's items: classes[j] is that of the item with labels[j].
void add_main_classes(std::vector<Topic>& topics, const std::vector<Index>& labels,
                      const std::vector<std::string>& classes);

// A table, largest cluster first, fitted to `width` columns (0: no line is broken).
std::string topics_table(const std::vector<Topic>& topics, std::size_t width);

// |X - W H| / |X|.
template <class T>
double relative_error(const Data<T>& x, const Matrix<T>& w, const Matrix<T>& h);

// One line with all measures.
std::string measures_line(const ClusteringMeasures& measures);

}  // namespace copse
