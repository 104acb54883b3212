#include "copse/methods/place.h"

#include <algorithm>

#include "copse/cluster/k_means.h"
#include "copse/cluster/lda.h"
#include "copse/matrix/more_of_data.h"
#include "copse/nmf/assign.h"

namespace copse {
namespace {

// place_documents(), block by block.
template <class T>
Matrix<T> topic_shares(const Data<T>& x, const Matrix<T>& words, std::span<const double> prior) {
  Matrix<T> shares(x.cols(), words.cols());
  visit_blocks(x, [&](Index first, const SparseView<T>& block) {
    const Matrix<T> placed = place_documents<T>(block, words, prior);
    for (Index j = 0; j < placed.rows(); ++j) std::ranges::copy(placed.row(j), shares.row(first + j).begin());
  });
  return shares;
}

}  // namespace

template <class T>
Matrix<T> weights_at(const Data<T>& x, const Places<T>& places) {
  switch (places.by) {
    case PlaceBy::divergence:
      return assign_items_by_divergence<T>(x, places.w);
    case PlaceBy::topic_shares:
      return topic_shares(x, places.w, places.prior);
    case PlaceBy::angle:
    case PlaceBy::distance:
    case PlaceBy::unit_distance:
      return nearest_weights<T>(x, places.w, places.by);
    case PlaceBy::least_squares:
      break;
  }
  return assign_items<T>(x, places.w, places.baseline, places.penalty);
}

template Matrix<float> weights_at(const Data<float>&, const Places<float>&);
template Matrix<double> weights_at(const Data<double>&, const Places<double>&);

}  // namespace copse
