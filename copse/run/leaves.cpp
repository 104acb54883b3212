#include "copse/run/leaves.h"

#include <algorithm>
#include <cmath>

#include "copse/graph/joint_nmf.h"
#include "copse/nmf/clusters.h"
#include "copse/nmf/error.h"
#include "copse/tree/flatten.h"

namespace copse {

template <class T>
void fit_flat(const Data<T>& x, TreeResult& result, const Graph<T>* graph, double weight) {
  Matrix<T> topics = leaf_topics(x, result.tree());
  const auto leaves = result.tree().leaf_nodes();
  const auto node_of = [&](Index label) { return label < 0 ? -1 : leaves[label]; };
  TreeVersion& version = result.model.versions.back();
  const auto items = static_cast<std::size_t>(x.cols());
  version.flat.resize(items);
  version.flat_weights.resize(items);
  version.flat_second.resize(items);
  version.flat_second_weights.resize(items);
  const auto take = [&](Index first, const Matrix<T>& h) {
    for (Index i = 0; i < h.rows(); ++i) {
      const BestTwo best = best_two(h.row(i));
      const auto j = static_cast<std::size_t>(first + i);
      version.flat[j] = node_of(best.first);
      version.flat_weights[j] = best.first_share;
      version.flat_second[j] = node_of(best.second);
      version.flat_second_weights[j] = best.second_share;
    }
  };
  if (graph == nullptr) {
    result.report.relative_error = flatten<T>(x, topics, take);
  } else {
    // The graph ties items to each other: all of H at once.
    Matrix<T> h = flatten(x, topics);
    const JointOptions joint{.nmf = {.rank = h.cols()}, .weight = weight, .keep_w = true};
    h = factorize_joint<T>(x, graph->weights, joint, topics, std::move(h)).nmf.h;
    take(0, h);
    result.report.relative_error = relative_error(x, topics, h);
  }
  result.model.topics = std::move(topics);
}

void take_leaves(TreeResult& result) {
  const Tree& tree = result.tree();
  result.model.topics = with_precision(tree.precision, [&]<class T>() -> AnyMatrix { return leaf_topics<T>(tree); });
  double rest = tree.nodes[0].squared_norm;
  for (const Index leaf : tree.leaf_nodes()) rest -= tree.nodes[leaf].explained;
  result.report.relative_error =
      tree.nodes[0].squared_norm > 0 ? std::sqrt(std::max(0.0, rest) / tree.nodes[0].squared_norm) : 0;
}

template void fit_flat(const Data<float>&, TreeResult&, const Graph<float>*, double);
template void fit_flat(const Data<double>&, TreeResult&, const Graph<double>*, double);

}  // namespace copse
