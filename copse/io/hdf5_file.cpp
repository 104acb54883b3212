#include "copse/io/hdf5_file.h"

#include <hdf5.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/io/check_entries.h"
#include "copse/io/file_order.h"
#include "copse/io/hdf5_heap.h"
#include "copse/io/names.h"
#include "copse/io/triplets.h"

namespace copse {
namespace {

// The library of HDF5 does one thing at a time.
std::recursive_mutex& library() {
  static std::recursive_mutex mutex;
  return mutex;
}

class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t number, Close close) : number_(number), close_(close) {}
  Handle(Handle&& other) noexcept : number_(std::exchange(other.number_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(number_, other.number_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (number_ < 0) return;
    const std::scoped_lock lock(library());
    close_(number_);
  }
  explicit operator bool() const { return number_ >= 0; }
  hid_t get() const { return number_; }

 private:
  hid_t number_ = -1;
  Close close_ = nullptr;
};

template <class T>
hid_t native_type() {
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
}

constexpr const char* reference_tag = "reference to text";

// Lets HDF5 hand over references to text as they are stored. Its own way from there to the text is not safe.
herr_t keep_references(hid_t from, hid_t to, H5T_cdata_t* request, std::size_t, std::size_t, std::size_t, void*, void*,
                       hid_t) {
  if (request->command == H5T_CONV_FREE) return 0;
  if (request->command == H5T_CONV_INIT) {
    request->need_bkg = H5T_BKG_NO;
    char* tag = H5Tget_class(to) == H5T_OPAQUE ? H5Tget_tag(to) : nullptr;
    const bool ours = tag != nullptr && std::strcmp(tag, reference_tag) == 0;
    if (tag != nullptr) H5free_memory(tag);
    if (!ours || H5Tis_variable_str(from) <= 0) return -1;
  }
  return H5Tget_size(from) == heap_reference_bytes && H5Tget_size(to) == heap_reference_bytes ? 0 : -1;
}

// The type as which references are read. It lives as long as the process.
hid_t reference_type() {
  static const hid_t type = [] {
    const hid_t made = H5Tcreate(H5T_OPAQUE, heap_reference_bytes);
    H5Tset_tag(made, reference_tag);
    const Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(text.get(), H5T_VARIABLE);
    H5Tregister(H5T_PERS_SOFT, reference_tag, text.get(), made, keep_references);
    return made;
  }();
  return type;
}

// A link to another file fails, and leaves a note that it did.
herr_t refuse_other_file(const char*, const char*, const char*, const char*, unsigned*, hid_t, void* refused) {
  *static_cast<bool*>(refused) = true;
  return -1;
}

// What fills a file of so many bytes at most when compressed; more is no real data.
constexpr double largest_ratio = 2000;

// One open file, with sentences for what is not there.
class Hdf5 {
 public:
  explicit Hdf5(const Input& input) : input_(input), name_(input.name()) {
    const std::scoped_lock lock(library());
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // what goes wrong is said by exceptions
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    bytes_ = static_cast<double>(input.bytes().size());
    if (input.is_mapped()) {
#if H5_VERSION_GE(1, 10, 7)
      H5Pset_file_locking(access.get(), false, true);  // a folder that is read-only has no locks
#endif
      file_ = Handle(H5Fopen(name_.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
    } else {
      H5Pset_fapl_core(access.get(), 1 << 20, false);
      H5Pset_file_image(access.get(), const_cast<char*>(input.bytes().data()), input.bytes().size());
      file_ = Handle(H5Fopen("copse-memory.h5", H5F_ACC_RDONLY, access.get()), H5Fclose);
    }
    if (!file_) wrong("HDF5 cannot open it: it is damaged or was cut short.");
    const Handle how(H5Fget_create_plist(file_.get()), H5Pclose);
    hsize_t before = 0;
    std::size_t address_bytes = 0, length_bytes = 0;
    H5Pget_userblock(how.get(), &before);
    H5Pget_sizes(how.get(), &address_bytes, &length_bytes);
    if (address_bytes == 8 && length_bytes == 8 && before <= input.bytes().size())
      heap_.emplace(input.bytes().subspan(static_cast<std::size_t>(before)), name_);
    links_ = Handle(H5Pcreate(H5P_LINK_ACCESS), H5Pclose);
    arrays_ = Handle(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    for (const Handle* way : {&links_, &arrays_}) H5Pset_elink_cb(way->get(), refuse_other_file, &refused_);
  }
  Hdf5(const Hdf5&) = delete;
  Hdf5& operator=(const Hdf5&) = delete;

  [[noreturn]] void wrong(const std::string& sentence) const { fail(name_, sentence); }
  const std::string& name() const { return name_; }

  bool has(const std::string& path) const {
    const std::scoped_lock lock(library());
    for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
      const bool found = H5Lexists(file_.get(), path.substr(0, end).c_str(), links_.get()) > 0;
      check_links(path);
      if (!found) return false;
      if (end == std::string::npos) break;
    }
    const bool found = H5Oexists_by_name(file_.get(), path.c_str(), links_.get()) > 0;
    check_links(path);
    return found;
  }

  Handle object(const std::string& path) const {
    const std::scoped_lock lock(library());
    Handle found(H5Oopen(file_.get(), path.c_str(), links_.get()), H5Oclose);
    check_links(path);
    return found;
  }
  bool is_group(const std::string& path) const {
    const std::scoped_lock lock(library());
    const Handle found = object(path);
    return found && H5Iget_type(found.get()) == H5I_GROUP;
  }

  // The names of what lies in a group.
  std::vector<std::string> members(const std::string& path) const {
    const std::scoped_lock lock(library());
    std::vector<std::string> names;
    const Handle group = object(path);
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
      auto& all = *static_cast<std::vector<std::string>*>(list);
      if (all.size() < 1000) all.emplace_back(name);
      return 0;
    };
    if (is_group(path)) H5Literate(group.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add, &names);
    return names;
  }

  Handle dataset(const std::string& path) const {
    const std::scoped_lock lock(library());
    Handle found(H5Dopen2(file_.get(), path.c_str(), arrays_.get()), H5Dclose);
    check_links(path);
    if (!found) wrong(excerpt(path) + " is missing, or is no array.");
    const Handle how(H5Dget_create_plist(found.get()), H5Pclose);
    if (H5Pget_layout(how.get()) == H5D_VIRTUAL || H5Pget_external_count(how.get()) > 0)
      wrong(excerpt(path) + " keeps its values in other files, which are not read.");
    check_storage(found, how, path);
    return found;
  }

  std::vector<Index> shape(const std::string& path) const {
    const std::scoped_lock lock(library());
    return shape(dataset(path), path);
  }

  // Elements [begin, end) of an array with one axis; all by default.
  template <class T>
  void read(const std::string& path, Index begin, Index end, T* out) const {
    read_rows<T>(path, 1, begin, end, out);
  }
  template <class T>
  std::vector<T> read_all(const std::string& path, std::size_t limit) const {
    const std::vector<Index> sizes = shape(path);
    if (sizes.size() != 1) wrong(excerpt(path) + " must have one axis.");
    check_memory(sizeof(T) * static_cast<double>(sizes[0]), limit, name_, excerpt(path));
    std::vector<T> values(static_cast<std::size_t>(sizes[0]));
    read(path, 0, sizes[0], values.data());
    return values;
  }

  // Rows [begin, end) of an array with so many axes, row after row.
  template <class T>
  void read_rows(const std::string& path, std::size_t axes, Index begin, Index end, T* out) const {
    const std::scoped_lock lock(library());
    const Handle array = dataset(path);
    const std::vector<Index> sizes = shape(array, path);
    const Handle type(H5Dget_type(array.get()), H5Tclose);
    const H5T_class_t kind = H5Tget_class(type.get());
    if (sizes.size() != axes || (kind != H5T_INTEGER && kind != H5T_FLOAT))
      wrong(excerpt(path) + " must be numbers with " + std::to_string(axes) + (axes == 1 ? " axis." : " axes."));
    if (begin < 0 || begin > end || end > sizes[0])
      wrong(excerpt(path) + " has " + std::to_string(sizes[0]) + " elements, too few.");
    if (begin == end) return;
    hsize_t first[2] = {static_cast<hsize_t>(begin), 0}, count[2] = {static_cast<hsize_t>(end - begin), 1};
    if (axes == 2) count[1] = static_cast<hsize_t>(sizes[1]);
    const Handle place(H5Dget_space(array.get()), H5Sclose);
    const Handle memory(H5Screate_simple(static_cast<int>(axes), count, nullptr), H5Sclose);
    if (H5Sselect_hyperslab(place.get(), H5S_SELECT_SET, first, nullptr, count, nullptr) < 0 ||
        H5Dread(array.get(), native_type<T>(), memory.get(), place.get(), H5P_DEFAULT, out) < 0)
      unreadable(array, path);
  }

  // An array of text with one axis.
  std::vector<std::string> texts(const std::string& path, std::size_t limit) const {
    const std::scoped_lock lock(library());
    const Handle array = dataset(path);
    const std::vector<Index> sizes = shape(array, path);
    const Handle type(H5Dget_type(array.get()), H5Tclose);
    if (sizes.size() != 1 || H5Tget_class(type.get()) != H5T_STRING)
      wrong(excerpt(path) + " must be text with one axis.");
    const auto count = static_cast<std::size_t>(sizes[0]);
    const bool variable = H5Tis_variable_str(type.get()) > 0;
    const std::size_t length = variable ? heap_reference_bytes : H5Tget_size(type.get());
    check_memory(static_cast<double>(count) * (static_cast<double>(length) + sizeof(std::string)), limit, name_,
                 excerpt(path));
    std::vector<std::string> result;
    result.reserve(count);
    if (count == 0) return result;
    std::vector<char> bytes(count * length);
    if (H5Dread(array.get(), variable ? reference_type() : type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0)
      wrong(excerpt(path) + " cannot be read: the file is damaged.");
    if (variable) {
      std::vector<std::string_view> found(count);
      double total = 0;
      for (std::size_t i = 0; i < count; ++i) {
        found[i] = text_of(bytes.data() + i * length);
        total += static_cast<double>(found[i].size() + sizeof found[i] + sizeof(std::string));
      }
      check_memory(total, limit, name_, excerpt(path));
      result.assign(found.begin(), found.end());
    } else {
      for (std::size_t i = 0; i < count; ++i)
        result.emplace_back(bytes.data() + i * length, ::strnlen(bytes.data() + i * length, length));
    }
    return result;
  }

  bool is_text(const std::string& path) const { return class_of(path) == H5T_STRING; }
  bool is_compound(const std::string& path) const { return class_of(path) == H5T_COMPOUND; }
  bool is_whole(const std::string& path) const { return class_of(path) == H5T_INTEGER; }

  // An attribute of text with one value; empty where there is none.
  std::string attribute(const std::string& path, const char* attribute_name) const {
    const std::scoped_lock lock(library());
    const Handle owner = object(path);
    if (!owner || H5Aexists(owner.get(), attribute_name) <= 0) return {};
    const Handle found(H5Aopen(owner.get(), attribute_name, H5P_DEFAULT), H5Aclose);
    const Handle type(H5Aget_type(found.get()), H5Tclose);
    const Handle space(H5Aget_space(found.get()), H5Sclose);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1) return {};
    if (H5Tis_variable_str(type.get()) > 0) {
      char reference[heap_reference_bytes] = {};
      if (H5Aread(found.get(), reference_type(), reference) < 0) return {};
      return std::string(text_of(reference));
    }
    if (H5Tget_size(type.get()) > std::size_t{1} << 16) return {};  // more than an attribute holds
    std::string text(H5Tget_size(type.get()), '\0');
    if (H5Aread(found.get(), type.get(), text.data()) < 0) return {};
    text.resize(::strnlen(text.data(), text.size()));
    return text;
  }

  // An attribute of two whole numbers.
  std::optional<std::pair<Index, Index>> pair(const std::string& path, const char* attribute_name) const {
    const std::scoped_lock lock(library());
    const Handle owner = object(path);
    if (!owner || H5Aexists(owner.get(), attribute_name) <= 0) return {};
    const Handle found(H5Aopen(owner.get(), attribute_name, H5P_DEFAULT), H5Aclose);
    const Handle space(H5Aget_space(found.get()), H5Sclose);
    std::int64_t sizes[2] = {};
    if (H5Sget_simple_extent_npoints(space.get()) != 2 || H5Aread(found.get(), H5T_NATIVE_INT64, sizes) < 0) return {};
    return std::pair<Index, Index>(sizes[0], sizes[1]);
  }

 private:
  void check_links(const std::string& path) const {
    if (refused_) wrong(excerpt(path) + " is a link to another file, which is not followed.");
  }

  // HDF5 reads as many elements as an array has, whatever was stored of it.
  void check_storage(const Handle& array, const Handle& how, const std::string& path) const {
    const H5D_layout_t layout = H5Pget_layout(how.get());
    H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
    if (layout == H5D_CHUNKED || H5Dget_space_status(array.get(), &status) < 0 ||
        status == H5D_SPACE_STATUS_NOT_ALLOCATED)
      return;
    const Handle type(H5Dget_type(array.get()), H5Tclose), space(H5Dget_space(array.get()), H5Sclose);
    const bool variable = H5Tis_variable_str(type.get()) > 0;
    const H5T_class_t kind = H5Tget_class(type.get());
    if (kind != H5T_INTEGER && kind != H5T_FLOAT && kind != H5T_STRING) return;  // nothing else is read
    const auto bytes = static_cast<double>(variable ? heap_reference_bytes : H5Tget_size(type.get()));
    const auto elements = static_cast<double>(H5Sget_simple_extent_npoints(space.get()));
    if (static_cast<double>(H5Dget_storage_size(array.get())) != elements * bytes)
      wrong(excerpt(path) + " takes another number of bytes than its shape asks for: the file is damaged.");
  }

  std::string_view text_of(const char* reference) const {
    if (!heap_) wrong("its addresses or lengths do not have 8 bytes; text of any length cannot be read from it.");
    return heap_->text(std::span<const char, heap_reference_bytes>(reference, heap_reference_bytes));
  }

  [[noreturn]] void unreadable(const Handle& array, const std::string& path) const {
    const Handle how(H5Dget_create_plist(array.get()), H5Pclose);
    for (int i = 0; i < H5Pget_nfilters(how.get()); ++i) {
      char filter[64] = {};
      unsigned flags = 0, settings = 0;
      std::size_t count = 0;
      const H5Z_filter_t number = H5Pget_filter2(how.get(), static_cast<unsigned>(i), &flags, &count, nullptr,
                                                 sizeof filter, filter, &settings);
      if (H5Zfilter_avail(number) <= 0)
        wrong(excerpt(path) + " is compressed by " +
              excerpt(filter[0] == 0 ? "filter " + std::to_string(number) : filter) +
              ", which this HDF5 does not know; compression=\"gzip\" can be read.");
    }
    wrong(excerpt(path) + " cannot be read: the file is damaged.");
  }

  H5T_class_t class_of(const std::string& path) const {
    const std::scoped_lock lock(library());
    const Handle array(H5Dopen2(file_.get(), path.c_str(), arrays_.get()), H5Dclose);
    check_links(path);
    if (!array) return H5T_NO_CLASS;
    const Handle type(H5Dget_type(array.get()), H5Tclose);
    return H5Tget_class(type.get());
  }

  std::vector<Index> shape(const Handle& array, const std::string& path) const {
    const Handle space(H5Dget_space(array.get()), H5Sclose);
    const int axes = H5Sget_simple_extent_ndims(space.get());
    if (axes < 0 || axes > 2) wrong(excerpt(path) + " has more axes than a matrix.");
    hsize_t sizes[2] = {};
    H5Sget_simple_extent_dims(space.get(), sizes, nullptr);
    double elements = 1;
    for (int axis = 0; axis < axes; ++axis) elements *= static_cast<double>(sizes[axis]);
    // Nothing is stored of an array that was never written: its size alone must not fill the memory.
    if (elements > 16e6 && elements > largest_ratio * bytes_)
      wrong(excerpt(path) + " claims more elements than the file can hold.");
    return {sizes, sizes + axes};
  }

  Input input_;  // keeps the bytes
  std::string name_;
  Handle file_, links_, arrays_;  // the file, and how its links and its arrays are opened
  mutable bool refused_ = false;  // a link to another file was met
  double bytes_ = 0;
  mutable std::optional<Hdf5Heap> heap_;
};

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
    if (options.layer.empty()) file.wrong("this AnnData file has no X" + layers + " (--layer takes one).");
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
  const auto shape = file.read_all<std::int64_t>(group + "/shape", 1 << 20);
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
      for (const std::int64_t code : file.read_all<std::int64_t>(path + "/codes", limit)) {
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
    const auto numbers = file.read_all<std::int64_t>(path, limit);
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
  std::vector<Index> offsets = file.read_all<std::int64_t>(matrix.path + "/indptr", options.memory_limit);
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
    const std::scoped_lock lock(library());
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
