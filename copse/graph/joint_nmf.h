// Items with words and links in one factorization (JointNMF, [Du, Drake & Park 2019]): with S a graph of the items,
// min |X - W H|^2 + a |S - G'H|^2 + b |G - H|^2,  W, H, G >= 0.
#pragma once

#include <vector>

#include "copse/matrix/data.h"
#include "copse/matrix/sparse.h"
#include "copse/nmf/nmf.h"

namespace copse {

// Two items that are joined get similar coefficients; W, and so the words of a topic, follow. The terms of the graph
// run over the items that have an edge: an item without one is placed by its words alone.
//
// The scale of X and S does not matter. With l of n items in the graph, and S among them,
//     a = weight (l / n) |X|^2 / |S|^2,   b = a max(S),
// so that at weight 1 the graph tells as much of an item as its words do. 0 is plain NMF.
struct JointOptions {
  // The start is factorize() by these options. Its rank, limits, tolerance and progress are also those of the joint
  // iterations, which count on from there: as many again. Frobenius loss, no penalties, no baseline.
  NmfOptions nmf;
  double weight = 1;
  bool keep_w = false;  // W stays as it is given: only the items are placed anew
};

template <class T>
struct JointResult {
  NmfResult<T> nmf;  // relative_error and the history's are those of X; `objective` is the whole one
  Matrix<T> twin;    // G' (cols x k) at the scale of nmf.h; zero for items without an edge
  // In the objective column c of W is nmf.w's times scale_c, and those of H' and G' are nmf.h's and twin's divided by
  // it; 0 for a dead component, empty where S = 0.
  std::vector<double> scale;
  std::vector<double> objectives;  // of the joint iterations, one each; it never rises
  double a = 0;                    // 0 where S = 0
  double b = 0;
  double graph_error = 0;  // |S - G'H| / |S|
};

// `s` is symmetric, n x n, without negative entries, for instance normalized(). Throws InvalidArgument for another, and
// as factorize() does. Cancelled before the joint iterations passes through or leaves the start.
template <class T>
JointResult<T> factorize_joint(const Data<T>& x, SparseView<T> s, const JointOptions& options);

// From given factors, as factorize() has it.
template <class T>
JointResult<T> factorize_joint(const Data<T>& x, SparseView<T> s, const JointOptions& options, Matrix<T> w,
                               Matrix<T> h);

}  // namespace copse
