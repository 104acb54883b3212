#include "copse/io/hdf5.h"

#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

namespace copse {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t> && std::is_same_v<herr_t, int>);

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

// A link to another file fails, and leaves a note that it did.
herr_t refuse_other_file(const char*, const char*, const char*, const char*, unsigned*, hid_t, void* refused) {
  *static_cast<bool*>(refused) = true;
  return -1;
}

// What fills a file of so many bytes at most when compressed; more is no real data.
constexpr double largest_ratio = 2000;

}  // namespace

std::recursive_mutex& hdf5_library() {
  static std::recursive_mutex mutex;
  return mutex;
}

Hdf5::Handle::~Handle() {
  if (number_ < 0) return;
  const std::scoped_lock lock(hdf5_library());
  close_(number_);
}

// The type as which references are read. It lives as long as the process.
std::int64_t Hdf5::reference_type() {
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

Hdf5::Hdf5(const Input& input) : input_(input), name_(input.name()) {
  const std::scoped_lock lock(hdf5_library());
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

void Hdf5::wrong(const std::string& sentence) const { fail(name_, sentence); }

bool Hdf5::has(const std::string& path) const {
  const std::scoped_lock lock(hdf5_library());
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

Hdf5::Handle Hdf5::object(const std::string& path) const {
  const std::scoped_lock lock(hdf5_library());
  Handle found(H5Oopen(file_.get(), path.c_str(), links_.get()), H5Oclose);
  check_links(path);
  return found;
}
bool Hdf5::is_group(const std::string& path) const {
  const std::scoped_lock lock(hdf5_library());
  const Handle found = object(path);
  return found && H5Iget_type(found.get()) == H5I_GROUP;
}

std::vector<std::string> Hdf5::members(const std::string& path) const {
  const std::scoped_lock lock(hdf5_library());
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

Hdf5::Handle Hdf5::dataset(const std::string& path) const {
  const std::scoped_lock lock(hdf5_library());
  Handle found(H5Dopen2(file_.get(), path.c_str(), arrays_.get()), H5Dclose);
  check_links(path);
  if (!found) wrong(excerpt(path) + " is missing, or is no array.");
  const Handle how(H5Dget_create_plist(found.get()), H5Pclose);
  if (H5Pget_layout(how.get()) == H5D_VIRTUAL || H5Pget_external_count(how.get()) > 0)
    wrong(excerpt(path) + " keeps its values in other files, which are not read.");
  check_storage(found, how, path);
  return found;
}

std::vector<Index> Hdf5::shape(const std::string& path) const {
  const std::scoped_lock lock(hdf5_library());
  return shape(dataset(path), path);
}

std::vector<std::int64_t> Hdf5::read_all(const std::string& path, std::size_t limit) const {
  const std::vector<Index> sizes = shape(path);
  if (sizes.size() != 1) wrong(excerpt(path) + " must have one axis.");
  check_memory(sizeof(std::int64_t) * static_cast<double>(sizes[0]), limit, name_, excerpt(path));
  std::vector<std::int64_t> values(static_cast<std::size_t>(sizes[0]));
  read(path, 0, sizes[0], values.data());
  return values;
}

template <class T>
void Hdf5::read_rows(const std::string& path, std::size_t axes, Index begin, Index end, T* out) const {
  const std::scoped_lock lock(hdf5_library());
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

std::vector<std::string> Hdf5::texts(const std::string& path, std::size_t limit) const {
  const std::scoped_lock lock(hdf5_library());
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

bool Hdf5::is_text(const std::string& path) const { return class_of(path) == H5T_STRING; }
bool Hdf5::is_compound(const std::string& path) const { return class_of(path) == H5T_COMPOUND; }
bool Hdf5::is_whole(const std::string& path) const { return class_of(path) == H5T_INTEGER; }

std::string Hdf5::attribute(const std::string& path, const char* attribute_name) const {
  const std::scoped_lock lock(hdf5_library());
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

std::optional<std::pair<Index, Index>> Hdf5::pair(const std::string& path, const char* attribute_name) const {
  const std::scoped_lock lock(hdf5_library());
  const Handle owner = object(path);
  if (!owner || H5Aexists(owner.get(), attribute_name) <= 0) return {};
  const Handle found(H5Aopen(owner.get(), attribute_name, H5P_DEFAULT), H5Aclose);
  const Handle space(H5Aget_space(found.get()), H5Sclose);
  std::int64_t sizes[2] = {};
  if (H5Sget_simple_extent_npoints(space.get()) != 2 || H5Aread(found.get(), H5T_NATIVE_INT64, sizes) < 0) return {};
  return std::pair<Index, Index>(sizes[0], sizes[1]);
}

void Hdf5::check_links(const std::string& path) const {
  if (refused_) wrong(excerpt(path) + " is a link to another file, which is not followed.");
}

// HDF5 reads as many elements as an array has, whatever was stored of it.
void Hdf5::check_storage(const Handle& array, const Handle& how, const std::string& path) const {
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

std::string_view Hdf5::text_of(const char* reference) const {
  if (!heap_) wrong("its addresses or lengths do not have 8 bytes; text of any length cannot be read from it.");
  return heap_->text(std::span<const char, heap_reference_bytes>(reference, heap_reference_bytes));
}

void Hdf5::unreadable(const Handle& array, const std::string& path) const {
  const Handle how(H5Dget_create_plist(array.get()), H5Pclose);
  for (int i = 0; i < H5Pget_nfilters(how.get()); ++i) {
    char filter[64] = {};
    unsigned flags = 0, settings = 0;
    std::size_t count = 0;
    const H5Z_filter_t number =
        H5Pget_filter2(how.get(), static_cast<unsigned>(i), &flags, &count, nullptr, sizeof filter, filter, &settings);
    if (H5Zfilter_avail(number) <= 0)
      wrong(excerpt(path) + " is compressed by " +
            excerpt(filter[0] == 0 ? "filter " + std::to_string(number) : filter) +
            ", which this HDF5 does not know; compression=\"gzip\" can be read.");
  }
  wrong(excerpt(path) + " cannot be read: the file is damaged.");
}

int Hdf5::class_of(const std::string& path) const {
  const std::scoped_lock lock(hdf5_library());
  const Handle array(H5Dopen2(file_.get(), path.c_str(), arrays_.get()), H5Dclose);
  check_links(path);
  if (!array) return H5T_NO_CLASS;
  const Handle type(H5Dget_type(array.get()), H5Tclose);
  return H5Tget_class(type.get());
}

std::vector<Index> Hdf5::shape(const Handle& array, const std::string& path) const {
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

template void Hdf5::read_rows(const std::string&, std::size_t, Index, Index, float*) const;
template void Hdf5::read_rows(const std::string&, std::size_t, Index, Index, double*) const;
template void Hdf5::read_rows(const std::string&, std::size_t, Index, Index, std::int32_t*) const;
template void Hdf5::read_rows(const std::string&, std::size_t, Index, Index, std::int64_t*) const;

}  // namespace copse
