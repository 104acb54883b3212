// What a model is fitted to or asked about, as the library sees it: a row or a string there is an item here.
#pragma once

#include <memory>
#include <optional>

#include "copse/input/input.h"
#include "copse/kernels/in_memory.h"
#include "copse/run/assign.h"
#include "python/src/bind.h"

namespace copse::python {

// Strings of Python's, kept alive. Throws InvalidArgument for one that is no text.
class Texts {
 public:
  explicit Texts(const nb::list& documents);
  std::shared_ptr<const DocumentSource> source() const { return std::make_shared<const DocumentSource>(views_); }

 private:
  nb::tuple strings_;
  std::vector<std::string_view> views_;  // their UTF-8, which belongs to them
};

// Sparse items stand in the arrays of a scipy.sparse.csr_array, which are kept alive and not copied. Dense ones are
// copied once. Of documents the words are counted and weighed. The constructors hold the GIL on entry and let it go
// while they work.
template <class T>
class Items {
 public:
  // Throws InvalidArgument unless the arrays form compressed rows. Where column numbers do not ascend, or repeat, a
  // sorted copy with the repeated entries added up takes their place.
  Items(Index features, Array<std::int64_t, 1> offsets, Array<std::int32_t, 1> indices, Array<T, 1> values,
        int threads);
  Items(const Array<T, 2>& rows, int threads);
  // Settings as for documents_at(); `titles` has one each. Throws InputError.
  Items(const nb::list& documents, const nb::dict& settings, std::vector<std::string> more_stop_words,
        std::vector<std::string> titles, int threads);

  // What was fitted to before: documents whose terms are known, or a matrix with the features of the model.
  Items(const nb::list& documents, const Settings& settings, const std::string& vocabulary, int threads);
  Items(Dataset<T> data, const Settings& settings);

  Index features() const { return data_->rows(); }
  Index items() const { return data_->cols(); }
  // Documents with too few words are among all, and take no part.
  Index all_items() const { return is_text() ? static_cast<Index>(kept_.item_names.size()) : items(); }
  std::vector<Index> kept_items() const;  // numbers among all
  const Data<T>& data() const { return *data_; }
  double squared_norm() const { return squared_norm_; }
  bool is_sparse() const { return arrays_ || (is_prepared() && prepared_.data.is_sparse()); }
  double largest() const;  // of the entries
  bool is_text() const { return texts_.has_value(); }
  bool is_prepared() const { return prepared_.data.items() > 0; }
  const InputOptions& input() const { return input_; }
  RunData<T> run_data() const;
  // What a model keeps: names for the features of a matrix, if any.
  ModelItems model_items(std::vector<std::string> feature_names) const;
  Dataset<T> dataset() const;  // a copy
  // A copy without the entries of features that are not wanted.
  Dataset<T> dataset_of(const std::vector<char>& wanted) const;
  // The matrix of the documents, which is gone then.
  Dataset<T> take_dataset() { return std::move(prepared_.data); }

 private:
  struct Arrays {
    Array<std::int64_t, 1> offsets;
    Array<std::int32_t, 1> indices;
    Array<T, 1> values;
  };
  std::optional<Arrays> arrays_;  // sparse only
  SparseView<T> view_;
  SparseMatrix<T> sorted_;  // behind the view if the arrays are not sorted
  Matrix<T> dense_;
  std::optional<Texts> texts_;
  PreparedInput<T> prepared_;  // documents, and matrices that the library prepared
  ModelItems kept_;            // documents only
  InputOptions input_;
  void take_prepared();

  std::unique_ptr<Data<T>> data_;
  double squared_norm_ = 0;
};

}  // namespace copse::python
