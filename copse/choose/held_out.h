// Hold-out: NMF that does not see some entries, judged by them. It measures the rank of the data, not its clusters.
#pragma once

#include <cstdint>
#include <memory>

#include "copse/matrix/dataset.h"
#include "copse/nmf/nmf.h"

namespace copse {

// Entry (i, j) is hidden if a hash of (seed, feature i, item j) falls below the share. The same seed hides the same
// entries for every k, so that their errors can be compared.
struct Mask {
  std::uint64_t seed = 0;
  double share = 0.05;
  bool hides(Index feature, Index item) const;
};

// The share to hide of data with so many cells and nonzeros, `most` at most: four entries for each nonzero, and of
// large data no more than a million entries or, where that is more, a hundred thousand nonzeros, which tell an error to
// a thousandth. At least one entry.
double share_to_hide(double cells, double nonzeros, double most);

struct HeldOutError {
  double seen = 0;    // |X - W H|^2 / |X|^2 over the entries that were seen
  double hidden = 0;  // the same over those that were hidden; NaN where all of them are 0
  int iterations = 0;
};

// Data of which some entries are hidden, for fits of any rank.
template <class T>
class HeldOut {
 public:
  // Throws InvalidArgument for a bad share.
  HeldOut(const Dataset<T>& data, const Mask& mask);
  ~HeldOut();

  // Fits W H to the entries that are seen, exactly: with M_j the hidden features of item j,
  //     h_j = argmin |x_j - W h|^2 over i not in M_j,  whose Gram matrix is W'W - sum over M_j of w_i w_i',
  // by sweeps over the coordinates, and W likewise, in double precision. Starts from factorize() with zeros in the
  // place of what is hidden. options: rank, seed, max_iterations, tolerance (of the relative fall of the objective in
  // one plain iteration), alpha and beta (the penalties of sparse NMF) and affine count. Throws InvalidArgument for bad
  // ones.
  HeldOutError error(const NmfOptions& options) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

// Of one fit alone.
template <class T>
HeldOutError held_out_error(const Dataset<T>& data, const Mask& mask, const NmfOptions& options) {
  return HeldOut<T>(data, mask).error(options);
}

// Bi-cross-validation [Owen & Perry 2009]: the features are cut into two parts at random and so are the items. With
// X = (A B; C D), D ~ W_D H_D, the hidden block A is foretold by W_A H_A, where W_A = argmin |B - W H_D| and H_A =
// argmin |C - W_D H|, both nonnegative. Returns |A - W_A H_A|^2 / |A|^2, the mean over the four blocks as A; NaN where
// X = 0. options as for factorize(), without baseline and penalties.
template <class T>
double bi_cross_validation(const Dataset<T>& data, std::uint64_t split_seed, const NmfOptions& options);

}  // namespace copse
