#include "copse/io/hdf5_file.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/io/check_entries.h"
#include "copse/io/file_order.h"
#include "copse/io/hdf5.h"
#include "copse/io/names.h"
#include "copse/io/triplets.h"

namespace copse {
namespace {

// Where the matrix is, and how it lies there. Compressed arrays have one offset more than cells, or than genes.
struct CellMatrix {
  std::string path;  // a group with data, indices, indptr; or a dense array
  bool dense = false;
  bool by_cell = true;
  Index cells = 0, genes = 0, entries = 0;
  std::string cell_names, gene_names, labels;  // where they are; empty: nowhere
  bool is_anndata = false;
};

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 8); ++i)
    list += (i > 0 ? ", " : "") + excerpt(names[i]);
  return list.empty() ? "nothing" : list + (names.size() > 8 ? ", ..." : "");
}

void find_sparse(const Hdf5& file, CellMatrix& found) {
  const std::vector<Index> data = file.shape(found.path + "/data"), indices = file.shape(found.path + "/indices"),
                           offsets = file.shape(found.path + "/indptr");
  if (data.size() != 1 || indices.size() != 1 || offsets.size() != 1)
    file.wrong(excerpt(found.path) + " holds arrays with several axes, where lists were expected.");
  found.entries = data[0];
  if (indices[0] != data[0]) file.wrong(excerpt(found.path) + " has another number of indices than of values.");
  if (offsets[0] != (found.by_cell ? found.cells : found.genes) + 1)
    file.wrong(excerpt(found.path) + " has " + std::to_string(offsets[0]) + " offsets for " +
               std::to_string(found.by_cell ? found.cells : found.genes) + (found.by_cell ? " cells." : " genes."));
}

CellMatrix find_anndata(const Hdf5& file, const ReadOptions& options) {
  CellMatrix found;
  found.is_anndata = true;
  found.path = options.layer.empty() ? "X" : "layers/" + options.layer;
  if (!file.has(found.path)) {
    const std::string layers = file.is_group("layers") && !file.members("layers").empty()
                                   ? "; its layers are " + list_of(file.members("layers"))
                                   : "; it has no layers";
    if (options.layer.empty()) file.wrong("this AnnData file has no X" + layers + " (`layer` takes one).");
    file.wrong("there is no layer " + excerpt(options.layer) + layers + ".");
  }
  if (file.is_group(found.path)) {
    std::string encoding = file.attribute(found.path, "encoding-type");
    if (encoding.empty()) encoding = file.attribute(found.path, "h5sparse_format") + "_matrix";
    auto shape = file.pair(found.path, "shape");
    if (!shape) shape = file.pair(found.path, "h5sparse_shape");
    if ((encoding != "csr_matrix" && encoding != "csc_matrix") || !shape)
      file.wrong(excerpt(found.path) + " is of the kind " + excerpt(encoding) +
                 "; csr_matrix, csc_matrix and dense arrays can be read.");
    std::tie(found.cells, found.genes) = *shape;
    found.by_cell = encoding == "csr_matrix";
    check_shape(found.genes, found.cells, file.name());
    find_sparse(file, found);
  } else {
    const std::vector<Index> shape = file.shape(found.path);
    if (shape.size() != 2) file.wrong(excerpt(found.path) + " is no matrix: it has one axis.");
    found.dense = true;
    found.cells = shape[0];
    found.genes = shape[1];
    found.entries = shape[0] * shape[1];
    check_shape(found.genes, found.cells, file.name());
  }
  const auto index_of = [&](const std::string& frame) -> std::string {
    if (!file.is_group(frame)) return "";
    std::string index = file.attribute(frame, "_index");
    if (index.empty()) index = file.has(frame + "/_index") ? "_index" : "index";
    return file.has(frame + "/" + index) ? frame + "/" + index : "";
  };
  found.cell_names = index_of("obs");
  found.gene_names = index_of("var");
  if (!options.label.empty()) {
    found.labels = "obs/" + options.label;
    if (!file.is_group("obs") || !file.has(found.labels)) {
      std::vector<std::string> columns = file.is_group("obs") ? file.members("obs") : std::vector<std::string>{};
      std::erase_if(columns, [&](const std::string& name) {
        return name == "__categories" || "obs/" + name == found.cell_names;
      });
      file.wrong("obs has no column " + excerpt(options.label) + "; its columns are " + list_of(columns) + ".");
    }
  }
  return found;
}

// 10x: genes x cells in compressed columns, so by cell. Version 3 has one group `matrix`, version 2 one for each
// genome.
CellMatrix find_10x(const Hdf5& file, const std::string& group) {
  CellMatrix found;
  found.path = group;
  const auto shape = file.read_all(group + "/shape", 1 << 20);
  if (shape.size() != 2) file.wrong("the shape is not that of a matrix.");
  found.genes = shape[0];
  found.cells = shape[1];
  check_shape(found.genes, found.cells, file.name());
  find_sparse(file, found);
  found.cell_names = group + "/barcodes";
  for (const char* name : {"/features/name", "/gene_names", "/features/id", "/genes"}) {
    if (found.gene_names.empty() && file.has(group + name)) found.gene_names = group + name;
  }
  if (!file.has(found.cell_names)) found.cell_names.clear();
  return found;
}

CellMatrix find_matrix(const Hdf5& file, const ReadOptions& options) {
  const auto is_10x = [&](const std::string& group) {
    return file.is_group(group) && file.has(group + "/indptr") && file.has(group + "/barcodes") &&
           file.has(group + "/shape");
  };
  std::vector<std::string> genomes;
  const std::vector<std::string> groups = file.members("/");
  for (const std::string& group : groups) {
    if (is_10x(group)) genomes.push_back(group);
  }
  if (!genomes.empty() && !file.has("obs")) {
    if (!options.layer.empty() || !options.label.empty()) file.wrong("a 10x file has no layers and no labels.");
    if (genomes.size() > 1) file.wrong("it holds several matrices, " + list_of(genomes) + "; one can be read.");
    return find_10x(file, genomes[0]);
  }
  if (file.has("X") || file.has("obs") || file.has("layers")) return find_anndata(file, options);
  file.wrong("this HDF5 file is neither AnnData (.h5ad) nor 10x: it holds " + list_of(groups) + ".");
}

// Names, or labels, of any kind that AnnData writes.
std::vector<std::string> column(const Hdf5& file, const std::string& path, Index count, std::size_t limit) {
  std::vector<std::string> result;
  if (file.is_group(path)) {
    const std::string kind = file.attribute(path, "encoding-type");
    if (kind == "categorical") {
      const std::vector<std::string> categories = column(file, path + "/categories", -1, limit);
      for (const std::int64_t code : file.read_all(path + "/codes", limit)) {
        if (code < -1 || code >= static_cast<std::int64_t>(categories.size()))
          file.wrong(excerpt(path) + " has codes of categories that are not there.");
        result.push_back(code < 0 ? "" : categories[static_cast<std::size_t>(code)]);
      }
    } else if (file.has(path + "/values")) {
      result = column(file, path + "/values", -1, limit);  // nullable: what is masked stands as it is
    } else {
      file.wrong(excerpt(path) + " is of the kind " + excerpt(kind) +
                 "; text, categories and whole numbers can be read.");
    }
  } else if (file.is_text(path)) {
    result = file.texts(path, limit);
  } else if (file.is_whole(path)) {
    const std::string referred = path.substr(0, path.rfind('/')) + "/__categories" + path.substr(path.rfind('/'));
    const auto numbers = file.read_all(path, limit);
    if (file.has(referred)) {
      const std::vector<std::string> categories = column(file, referred, -1, limit);
      for (const std::int64_t code : numbers)
        result.push_back(code < 0 || code >= static_cast<std::int64_t>(categories.size())
                             ? ""
                             : categories[static_cast<std::size_t>(code)]);
    } else {
      for (const std::int64_t number : numbers) result.push_back(std::to_string(number));
    }
  } else {
    file.wrong(excerpt(path) + " holds neither text nor categories nor whole numbers.");
  }
  if (count >= 0 && static_cast<Index>(result.size()) != count)
    file.wrong(excerpt(path) + " has " + std::to_string(result.size()) + " names for " + std::to_string(count) + ".");
  return result;
}

std::vector<std::string> names_at(const Hdf5& file, const std::string& path, Index count, const ReadOptions& options,
                                  std::vector<std::string>* notes) {
  if (path.empty()) return {};
  std::vector<std::string> names = column(file, path, count, options.memory_limit);
  const Index repaired = repair_names(names);
  if (notes != nullptr) note_repairs(repaired, file.name(), *notes);
  return names;
}

std::vector<Index> read_offsets(const Hdf5& file, const CellMatrix& matrix, const ReadOptions& options) {
  std::vector<Index> offsets = file.read_all(matrix.path + "/indptr", options.memory_limit);
  if (offsets.front() != 0 || offsets.back() != matrix.entries || !std::is_sorted(offsets.begin(), offsets.end()))
    file.wrong("the offsets of " + excerpt(matrix.path) + " must ascend from 0 to the number of entries, " +
               std::to_string(matrix.entries) + ".");
  return offsets;
}

void check_rows(const Hdf5& file, std::span<const RowIndex> indices, Index bound) {
  std::atomic<bool> inside = true;
  parallel_blocks(static_cast<Index>(indices.size()), 1 << 16, [&](Index begin, Index end) {
    bool all = true;
    for (Index p = begin; p < end; ++p) {
      const RowIndex row = indices[static_cast<std::size_t>(p)];
      all = all && 0 <= row && row < bound;
    }
    if (!all) inside = false;
  });
  if (!inside) file.wrong("an index is outside of 0 to " + std::to_string(bound - 1) + ".");
}

// Cells in blocks of about the size that .copse files have.
class CellBlocks final : public ItemBlocks {
 public:
  CellBlocks(const Input& input, const ReadOptions& options) : file_(input), options_(options) {
    matrix_ = find_matrix(file_, options);
    name_ = file_.name();
    features_ = matrix_.genes;
    is_dense_ = matrix_.dense;
    if (!matrix_.by_cell) return;
    constexpr Index most_in_block = 1 << 18, most_items_in_block = 1 << 16;
    if (!matrix_.dense) offsets_ = read_offsets(file_, matrix_, options);
    for (Index j = 0, from = 0; j < matrix_.cells; ++j) {
      const Index entries = offset(j + 1) - offset(from);
      if (entries < most_in_block && j + 1 - from < most_items_in_block && j + 1 < matrix_.cells) continue;
      first_items_.push_back(j + 1);
      first_entries_.push_back(offset(j + 1));
      from = j + 1;
    }
    bytes_read_ = static_cast<double>(input.bytes().size());
  }

  bool is_by_cell() const { return matrix_.by_cell; }

  using ItemBlocks::read;
  void read(Index block, Index* offsets, RowIndex* indices, float* values) const override {
    read_cells(block, offsets, indices, values);
  }
  void read(Index block, Index* offsets, RowIndex* indices, double* values) const override {
    read_cells(block, offsets, indices, values);
  }

  std::vector<std::string> feature_names() const override {
    return names_at(file_, matrix_.gene_names, matrix_.genes, options_, nullptr);
  }
  std::vector<std::string> item_names(Index block) const override {
    return part(matrix_.cell_names, item_names_, block);
  }
  std::vector<std::string> labels(Index block) const override { return part(matrix_.labels, labels_, block); }

 private:
  Index offset(Index cell) const {
    return matrix_.dense ? cell * matrix_.genes : offsets_[static_cast<std::size_t>(cell)];
  }

  // All are read when the first are asked for: HDF5 keeps text in no order.
  std::vector<std::string> part(const std::string& path, std::vector<std::string>& all, Index block) const {
    const std::scoped_lock lock(hdf5_library());
    if (all.empty()) all = names_at(file_, path, matrix_.cells, options_, nullptr);
    if (all.empty()) return {};
    return {all.begin() + first_item(block), all.begin() + first_item(block + 1)};
  }

  template <class T>
  void read_cells(Index block, Index* offsets, RowIndex* indices, T* values) const {
    const Index first = first_item(block), items = items_in(block), begin = first_entry(block),
                end = first_entry(block + 1);
    for (Index j = 0; j <= items; ++j) offsets[j] = offset(first + j) - begin;
    if (matrix_.dense) {
      file_.read_rows(matrix_.path, 2, first, first + items, values);
      for (Index j = 0; j < items; ++j) std::iota(indices + offsets[j], indices + offsets[j + 1], 0);
    } else {
      file_.read(matrix_.path + "/indices", begin, end, indices);
      file_.read(matrix_.path + "/data", begin, end, values);
    }
    order_items(name_, "cell", features_, first, items, offsets, indices, values);
  }

  Hdf5 file_;
  ReadOptions options_;
  CellMatrix matrix_;
  std::vector<Index> offsets_;
  mutable std::vector<std::string> item_names_, labels_;
};

}  // namespace

MatrixSummary peek_hdf5(const Input& input, const ReadOptions& options) {
  const Hdf5 file(input);
  const CellMatrix matrix = find_matrix(file, options);
  const bool cells = options.items == Items::rows;
  MatrixSummary summary{.features = cells ? matrix.genes : matrix.cells,
                        .items = cells ? matrix.cells : matrix.genes,
                        .nonzeros = matrix.entries,
                        .sparse = !matrix.dense};
  if (matrix.dense ? !cells : matrix.by_cell != cells) {
    summary.reading_copies = 1;
    if (!matrix.dense) summary.reading_bytes = sizeof(RowIndex) * static_cast<double>(matrix.entries);
  }
  const double names = static_cast<double>(matrix.cell_names.empty() ? 0 : matrix.cells) +
                       static_cast<double>(matrix.gene_names.empty() ? 0 : matrix.genes) +
                       static_cast<double>(matrix.labels.empty() ? 0 : matrix.cells);
  summary.name_bytes = 2 * names * bytes_of_name(20);
  return summary;
}

template <class T>
ReadResult<T> read_hdf5(const Input& input, const ReadOptions& options) {
  const Hdf5 file(input);
  const CellMatrix matrix = find_matrix(file, options);
  const bool cells = options.items == Items::rows;
  const std::size_t limit = options.memory_limit;
  ReadResult<T> result;
  Dataset<T>& dataset = result.dataset;
  const auto entries = static_cast<std::size_t>(matrix.entries);
  if (matrix.dense) {
    check_memory(static_cast<double>(sizeof(T)) * static_cast<double>(entries), limit, file.name(), "the matrix");
    Matrix<T> x;
    x.reshape(matrix.cells, matrix.genes);
    file.read_rows(matrix.path, 2, 0, matrix.cells, x.data());
    if (!cells) {
      Matrix<T> turned;
      turned.reshape(matrix.genes, matrix.cells);
      parallel_blocks(matrix.genes, 64, [&](Index begin, Index end) {
        for (Index j = 0; j < matrix.cells; ++j) {
          for (Index i = begin; i < end; ++i) turned(i, j) = x(j, i);
        }
      });
      x = std::move(turned);
    }
    dataset.values = std::move(x);
  } else {
    check_memory(static_cast<double>(sizeof(T) + sizeof(RowIndex)) * static_cast<double>(entries) +
                     16.0 * static_cast<double>(matrix.by_cell ? matrix.cells : matrix.genes),
                 limit, file.name(), "the matrix");
    SparseMatrix<T> x{.rows = matrix.by_cell ? matrix.genes : matrix.cells,
                      .cols = matrix.by_cell ? matrix.cells : matrix.genes};
    const std::vector<Index> offsets = read_offsets(file, matrix, options);
    x.offsets.assign(offsets.begin(), offsets.end());
    x.indices.resize(entries);
    x.values.resize(entries);
    file.read(matrix.path + "/indices", 0, matrix.entries, x.indices.data());
    check_rows(file, x.indices, x.rows);
    file.read(matrix.path + "/data", 0, matrix.entries, x.values.data());
    if (matrix.by_cell != cells) x = transpose<T>(x);
    const Index duplicates = merge_duplicates(x);
    if (duplicates > 0)
      result.notes.push_back(file.name() + ": " + std::to_string(duplicates) + " duplicate " +
                             (duplicates == 1 ? "entry was" : "entries were") + " added up.");
    dataset.values = std::move(x);
  }
  auto& item_names = cells ? dataset.item_names : dataset.feature_names;
  auto& feature_names = cells ? dataset.feature_names : dataset.item_names;
  item_names = names_at(file, matrix.cell_names, matrix.cells, options, &result.notes);
  feature_names = names_at(file, matrix.gene_names, matrix.genes, options, &result.notes);
  if (cells) result.labels = names_at(file, matrix.labels, matrix.cells, options, &result.notes);
  if (matrix.is_anndata && (file.is_compound("obs") || file.is_compound("var")))
    result.notes.push_back(file.name() +
                           ": obs and var are stored as AnnData before 0.7 did; their names are not read.");
  check_nonnegative(dataset, file.name());
  return result;
}

std::unique_ptr<ItemBlocks> open_hdf5_blocks(const std::filesystem::path& path, const ReadOptions& options) {
  if ((options.items == Items::columns) != options.transposed) return nullptr;
  auto blocks = std::make_unique<CellBlocks>(Input::open(path), options);
  if (!blocks->is_by_cell()) return nullptr;
  return blocks;
}

template ReadResult<float> read_hdf5(const Input&, const ReadOptions&);
template ReadResult<double> read_hdf5(const Input&, const ReadOptions&);

}  // namespace copse
