// model.safetensors of a flat result: the factors and everything that is needed to put new items into the same
// clusters.
#pragma once

#include <string>

#include "copse/cluster/place_by.h"
#include "copse/io/output_file.h"
#include "copse/model/model_items.h"

namespace copse {

// Tensors: w (features x k), h (items x k), baseline (features; affine only), penalty (k; sparse NMF only), prior (k;
// LDA only), names and history (of edited topics only), and those of ModelItems.
struct FlatModel {
  AnyMatrix w;
  AnyMatrix h;
  Numbers baseline;
  std::vector<double> penalty;  // of H at the scale of w and h, as NmfResult has it; empty: none
  ModelItems items;
  // How an item's coefficients are found; stands in the settings, of NMF as its loss.
  PlaceBy place = PlaceBy::least_squares;
  std::vector<double> prior = {};  // of LDA's topics, k; otherwise empty
  // Names that people gave the topics, "" for none: k of them in every version. The last is the present one; empty:
  // nobody has named any.
  std::vector<std::vector<std::string>> names = {};
  std::vector<std::string> history = {};  // what led to each version
};

PlaceBy place_by(Loss loss);

void write_model(OutputFile& file, const FlatModel& model, const Settings& settings);

// Throws InputError for a file that is not the model of a flat result.
FlatModel read_flat_model(const Input& file);

template <class T>
struct StartFactors {
  Matrix<T> w;  // rows x k
  Matrix<T> h;  // cols x k
};

// w and h of a model. Throws InputError unless their shapes are those.
template <class T>
StartFactors<T> read_start(const std::string& path, Index rows, Index cols, Index k);

}  // namespace copse
