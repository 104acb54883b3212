// model.safetensors: the factors and everything that is needed to put new items into the same clusters.
#pragma once

#include <string>

#include "apps/copse/matrix_input.h"
#include "copse/io/output_file.h"

namespace copse {

// Tensors: w (features x k), h (items x k), baseline (features; affine only), feature_names and feature_name_offsets,
// item_names and item_name_offsets (where the data has names), kept_features and kept_items (where some were dropped),
// feature_factors (what preparation multiplied each feature by). Metadata: the settings of preparation and
// factorization. No timings and no names of files: the bytes depend on data, settings and seed only.
template <class T>
void write_model(OutputFile& file, const MatrixInput<T>& input, const NmfResult<T>& result, const Settings& settings);

template <class T>
struct StartFactors {
  Matrix<T> w;  // rows x k
  Matrix<T> h;  // cols x k
};

// w and h of a model. Throws InputError unless their shapes are those.
template <class T>
StartFactors<T> read_start(const std::string& path, Index rows, Index cols, Index k);

}  // namespace copse
