// Spectral clustering of a graph: labels from the k leading eigenvectors of D^-1/2 A D^-1/2.
#pragma once

#include "copse/cluster/k_means.h"
#include "copse/graph/graph.h"

namespace copse {

enum class SpectralLabels {
  k_means,      // of the rows at unit length (Ng, Jordan & Weiss 2002); the objective is that of K-means
  discretized,  // the rotation nearest to a partition (Yu & Shi 2003); the objective is |Z - X R|^2 with the rows of X
                // at unit length and one 1 in each row of Z
  qr            // pivots tell the rotation (Damle, Minden & Ying 2019): no start, no objective
};

struct SpectralOptions {
  Index clusters = 0;  // required: 1 <= clusters <= nodes with edges
  SpectralLabels labels = SpectralLabels::k_means;
  CentreStart start = CentreStart::plus_plus;  // of K-means
  int runs = 10;  // starts of K-means or of the rotation, which cost little; the one with the least objective is kept
  int max_iterations = 100;
  double tolerance = 1e-4;  // of the eigenvectors: |A x - value x| <= tolerance * |A|
  std::uint64_t seed = 0;
};

template <class T>
struct SpectralResult {
  std::vector<Index> labels;  // 0 ... k - 1; -1 for a node without edges
  Index k = 0;
  std::vector<double> values;  // the leading eigenvalues, descending
  Matrix<T> vectors;           // n x clusters
  bool converged = true;       // the eigenvectors
  double objective = 0;
  std::vector<double> run_objectives;
  int best_run = 0;
  std::vector<MethodIteration> history;
  std::vector<std::string> notes;
};

// Throws InvalidArgument for a bad option, and Cancelled.
template <class T>
SpectralResult<T> spectral_clustering(SparseView<T> weights, const SpectralOptions& options);

// The rotation of Yu & Shi and the labels that it shows, from rows of any length; a row of zeros has label -1.
struct Discretized {
  std::vector<Index> labels;
  double objective = 0;
  int iterations = 0;
};
template <class T>
Discretized discretize(const Matrix<T>& vectors, std::uint64_t seed, std::uint64_t stream, int max_iterations = 100);

}  // namespace copse
