#include "python/src/items.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/nmf/divergence.h"
#include "python/src/settings.h"
#include "python/src/supervisor.h"

namespace copse::python {
namespace {

constexpr Index items_per_block = 1024;

// Returns whether the row numbers ascend in every column.
template <class T>
bool check_structure(const SparseView<T>& x) {
  const auto wrong = [](const char* sentence) { throw InvalidArgument(sentence); };
  if (x.rows < 0 || x.rows > std::numeric_limits<RowIndex>::max())
    wrong("A matrix may have 2^31 - 1 features at most.");
  if (x.offsets.empty() || x.offsets.front() != 0 || x.offsets.back() != static_cast<Index>(x.values.size()) ||
      x.indices.size() != x.values.size())
    wrong("The arrays indptr, indices and data of the sparse matrix do not belong together.");
  for (Index j = 0; j < x.cols; ++j) {
    if (x.offsets[j] > x.offsets[j + 1]) wrong("The array indptr of the sparse matrix does not ascend.");
  }
  std::atomic<bool> inside{true}, ascending{true};
  parallel_blocks(x.cols, items_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      RowIndex before = -1;
      for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p) {
        const RowIndex i = x.indices[p];
        if (i < 0 || i >= x.rows) inside = false;
        if (i <= before) ascending = false;
        before = i;
      }
    }
  });
  if (!inside) wrong("The sparse matrix has a column number outside its shape.");
  return ascending;
}

// Entries of the same row and column stand side by side.
template <class T>
void add_up_repeated(SparseMatrix<T>& x) {
  Index kept = 0, begin = 0;
  for (Index j = 0; j < x.cols; ++j) {
    const Index end = x.offsets[j + 1], first = kept;
    for (Index p = begin; p < end; ++p) {
      if (kept > first && x.indices[kept - 1] == x.indices[p]) {
        x.values[kept - 1] += x.values[p];
      } else {
        x.indices[kept] = x.indices[p];
        x.values[kept++] = x.values[p];
      }
    }
    begin = end;
    x.offsets[j + 1] = kept;
  }
  x.indices.resize(static_cast<std::size_t>(kept));
  x.values.resize(static_cast<std::size_t>(kept));
}

template <class T>
std::span<const T> span_of(const Array<T, 1>& array) {
  return {array.data(), array.size()};
}

template <class T>
void bind_items_of(nb::module_& module, const char* name) {
  nb::class_<Items<T>>(module, name)
      .def(nb::init<Index, Array<std::int64_t, 1>, Array<std::int32_t, 1>, Array<T, 1>, int>(), nb::arg("features"),
           nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("data").noconvert(),
           nb::arg("threads"))
      .def(nb::init<const Array<T, 2>&, int>(), nb::arg("rows").noconvert(), nb::arg("threads"))
      .def(nb::init<const nb::list&, const nb::dict&, std::vector<std::string>, std::vector<std::string>, int>(),
           nb::arg("documents"), nb::arg("settings"), nb::arg("more_stop_words"), nb::arg("titles"), nb::arg("threads"))
      .def_prop_ro("features", &Items<T>::features)
      .def_prop_ro("items", &Items<T>::items)
      .def_prop_ro("all_items", &Items<T>::all_items)
      .def_prop_ro("dtype", [](const Items<T>&) { return sizeof(T) == sizeof(float) ? "float32" : "float64"; })
      .def_prop_ro("is_sparse", &Items<T>::is_sparse)
      .def_prop_ro("largest", &Items<T>::largest)
      .def_prop_ro("squared_norm", &Items<T>::squared_norm)
      // The least Kullback-Leibler divergence of one component.
      .def_prop_ro("independent_divergence",
                   [](const Items<T>& items) { return DivergenceData<T>(items.data()).independent(); });
}

}  // namespace

Texts::Texts(const nb::list& documents) : strings_(documents) {
  views_.reserve(strings_.size());
  for (const nb::handle document : strings_) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_Check(document.ptr()) ? PyUnicode_AsUTF8AndSize(document.ptr(), &size) : nullptr;
    if (text == nullptr) {
      PyErr_Clear();
      const std::string kind = nb::cast<std::string>(document.type().attr("__name__"));
      throw InvalidArgument("Document " + std::to_string(views_.size()) + " is not a string of Unicode characters" +
                            (kind == "str" ? "." : ", but of type " + kind + "."));
    }
    views_.emplace_back(text, static_cast<std::size_t>(size));
  }
}

template <class T>
Items<T>::Items(Index features, Array<std::int64_t, 1> offsets, Array<std::int32_t, 1> indices, Array<T, 1> values,
                int threads)
    : arrays_(Arrays{std::move(offsets), std::move(indices), std::move(values)}) {
  const nb::gil_scoped_release no_gil;
  const auto& arrays = *arrays_;
  view_ = {features, static_cast<Index>(arrays.offsets.size()) - 1, span_of<std::int64_t>(arrays.offsets),
           span_of<std::int32_t>(arrays.indices), span_of<T>(arrays.values)};
  with_threads(threads, nullptr, [&] {
    if (!check_structure(view_)) {
      sorted_ = transpose<T>(transpose(view_));
      add_up_repeated(sorted_);
      view_ = sorted_;
    }
    data_ = std::make_unique<SparseData<T>>(view_);
    squared_norm_ = data_->squared_norm();
  });
  input_.reading.items = copse::Items::rows;
}

template <class T>
Items<T>::Items(const Array<T, 2>& rows, int threads) {
  const nb::gil_scoped_release no_gil;
  dense_ = to_matrix(rows);
  data_ = std::make_unique<DenseData<T>>(dense_);
  with_threads(threads, nullptr, [&] { squared_norm_ = data_->squared_norm(); });
  input_.reading.items = copse::Items::rows;
}

template <class T>
Items<T>::Items(const nb::list& documents, const nb::dict& settings, std::vector<std::string> more_stop_words,
                std::vector<std::string> titles, int threads)
    : texts_(documents), input_(documents_at("")) {
  take(settings, input_);
  input_.documents->text.more_stop_words = std::move(more_stop_words);
  input_.documents->source = texts_->source();
  Supervisor().run(threads, [&] {
    Seconds seconds;
    prepared_ = load<T>(input_, {.gives = Gives::tree}, {}, seconds);
    prepared_.titles = std::move(titles);
    take_prepared();
  });
}

template <class T>
Items<T>::Items(const nb::list& documents, const Settings& settings, const std::string& vocabulary, int threads)
    : texts_(documents), input_(input_options_in(settings, vocabulary, "")) {
  input_.documents->source = texts_->source();
  Supervisor().run(threads, [&] {
    Seconds seconds;
    prepared_ = load<T>(input_, {.gives = Gives::tree}, {}, seconds);
    take_prepared();
  });
}

template <class T>
Items<T>::Items(Dataset<T> data, const Settings& settings) : input_(input_options_in(settings, "", "")) {
  prepared_.data = std::move(data);
  prepare_input(input_, {}, prepared_);
  take_prepared();
}

template <class T>
void Items<T>::take_prepared() {
  data_ = in_memory(prepared_.data);
  squared_norm_ = data_->squared_norm();
  kept_ = take_items(prepared_);
}

template <class T>
double Items<T>::largest() const {
  const auto of = [](std::span<const T> values) {
    return values.empty() ? 0.0 : static_cast<double>(*std::ranges::max_element(values));
  };
  if (!is_prepared()) return arrays_ ? of(view_.values) : of(dense_.values());
  const auto* sparse = std::get_if<SparseMatrix<T>>(&prepared_.data.values);
  return sparse != nullptr ? of(sparse->values) : of(std::get<Matrix<T>>(prepared_.data.values).values());
}

template <class T>
RunData<T> Items<T>::run_data() const {
  if (is_prepared()) return copse::run_data(prepared_, *data_, true);
  if (arrays_) return {*data_, [&] { return tree_data(view_); }, data_->nonzeros()};
  return {*data_, [&] { return tree_data(dense_); },
          std::ranges::count_if(dense_.values(), [](T x) { return x != 0; })};
}

template <class T>
std::vector<Index> Items<T>::kept_items() const {
  if (is_text() && !kept_.kept_items.empty()) return kept_.kept_items;
  std::vector<Index> all(static_cast<std::size_t>(items()));
  std::iota(all.begin(), all.end(), Index(0));
  return all;
}

template <class T>
ModelItems Items<T>::model_items(std::vector<std::string> feature_names) const {
  if (is_text()) return kept_;
  ModelItems kept;
  kept.feature_names = std::move(feature_names);
  kept.kept_features.resize(static_cast<std::size_t>(features()));
  std::iota(kept.kept_features.begin(), kept.kept_features.end(), Index(0));
  for (Index j = 0; j < items(); ++j) kept.item_names.push_back(std::to_string(j));
  return kept;
}

template <class T>
Dataset<T> Items<T>::dataset() const {
  if (is_prepared()) return prepared_.data;
  if (!arrays_) return {.values = dense_};
  SparseMatrix<T> matrix{.rows = view_.rows, .cols = view_.cols};
  matrix.offsets.assign(view_.offsets.begin(), view_.offsets.end());
  matrix.indices.assign(view_.indices.begin(), view_.indices.end());
  matrix.values.assign(view_.values.begin(), view_.values.end());
  return {.values = std::move(matrix)};
}

template <class T>
Dataset<T> Items<T>::dataset_of(const std::vector<char>& wanted) const {
  SparseMatrix<T> matrix;
  matrix.rows = features();
  matrix.cols = items();
  const auto add = [&](Index i, T value) {
    if (wanted[i] == 0 || value == T(0)) return;
    matrix.indices.push_back(static_cast<RowIndex>(i));
    matrix.values.push_back(value);
  };
  for (Index j = 0; j < items(); ++j) {
    if (is_prepared()) {
      visit_nonzeros(prepared_.data, j, add);
    } else if (arrays_) {
      for (Index p = view_.offsets[j]; p < view_.offsets[j + 1]; ++p) add(view_.indices[p], view_.values[p]);
    } else {
      for (Index i = 0; i < features(); ++i) add(i, dense_(j, i));
    }
    matrix.offsets.push_back(matrix.nonzeros());
  }
  return {.values = std::move(matrix)};
}

template class Items<float>;
template class Items<double>;

void bind_items(nb::module_& module) {
  bind_items_of<float>(module, "ItemsFloat");
  bind_items_of<double>(module, "ItemsDouble");
}

}  // namespace copse::python
