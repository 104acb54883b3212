// A tree and everything that is said and written about it; what `tree` and `edit` have in common.
#pragma once

#include <string>
#include <vector>

#include "apps/copse/topic_view.h"
#include "copse/io/output_folder.h"
#include "copse/matrix/data.h"
#include "copse/report/tree_report.h"

namespace copse {

template <class T>
struct TreeResult {
  TreeModel<T> model;
  TopicView view;
  TreeTexts texts;
  RunReport report;

  const Tree<T>& tree() const { return model.versions.back().tree; }
  // The leaf of every item by flattening; empty if there was none.
  const std::vector<Index>& flat() const { return model.versions.back().flat; }
};

// Fits all items to the leaves' topics; the relative error is that of this flat model.
template <class T>
void fit_flat(const Data<T>& x, TreeResult<T>& result);

// From the leaves alone: what their topics leave of the data, outliers left whole.
template <class T>
double relative_error_of_leaves(const Tree<T>& tree);

// Fills the view, the texts, the topics and the measures from the model.
template <class T>
void describe(TreeResult<T>& result, Index top);

// All files but the page and result.json, which tells how long they took.
template <class T>
void write_files(OutputFolder& folder, TreeResult<T>& result);

// The tree or the JSON object to stdout, the summary to stderr.
template <class T>
void show(const TreeResult<T>& result, const OutputOptions& output, Terminal& terminal);

}  // namespace copse
