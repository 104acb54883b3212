#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "copse/io/matrix_writers.h"
#include "copse/io/npy.h"
#include "copse/io/zip.h"

namespace copse {
namespace {

template <class T>
std::string type_name(char kind) {
  return std::string(std::endian::native == std::endian::little ? "<" : ">") + kind + std::to_string(sizeof(T));
}

template <class T>
std::span<const char> bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// Members are stored, not deflated: numbers hardly shrink, and can then be read where they lie.
class ZipWriter {
 public:
  explicit ZipWriter(Output& output) : output_(output) {}

  void add(const std::string& name, std::initializer_list<std::span<const char>> parts) {
    std::uint64_t size = 0;
    uLong checksum = crc32(0, nullptr, 0);
    for (const auto part : parts) {
      size += part.size();
      checksum = crc32_combine(checksum, checksum_of(part), static_cast<z_off_t>(part.size()));
    }
    // All sizes go to the 64-bit extra field, so that small and large files take the same way.
    const std::string common = number(45, 2) + number(0, 2) + number(0, 2) + number(0, 2) + number(0x21, 2) +
                               number(checksum, 4) + number(0xffffffff, 4) + number(0xffffffff, 4) +
                               number(name.size(), 2);
    const std::string sizes = number(size, 8) + number(size, 8);
    const std::uint64_t place = written_;
    write(number(0x04034b50, 4) + common + number(20, 2) + name + number(1, 2) + number(16, 2) + sizes);
    for (const auto part : parts) write({part.data(), part.size()});
    directory_ += number(0x02014b50, 4) + number(45, 2) + common + number(28, 2) + number(0, 2) + number(0, 2) +
                  number(0, 2) + number(0, 4) + number(0xffffffff, 4) + name + number(1, 2) + number(24, 2) + sizes +
                  number(place, 8);
    ++members_;
  }

  void finish() {
    const std::uint64_t directory = written_, size = directory_.size(), end64 = directory + size;
    write(directory_);
    write(number(0x06064b50, 4) + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 4) + number(0, 4) +
          number(members_, 8) + number(members_, 8) + number(size, 8) + number(directory, 8));
    write(number(0x07064b50, 4) + number(0, 4) + number(end64, 8) + number(1, 4));
    write(number(0x06054b50, 4) + number(0, 2) + number(0, 2) + number(members_, 2) + number(members_, 2) +
          number(0xffffffff, 4) + number(0xffffffff, 4) + number(0, 2));
  }

 private:
  static std::string number(std::uint64_t value, std::size_t size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
    return bytes;
  }

  void write(std::string_view bytes) {
    output_.write(bytes);
    written_ += bytes.size();
  }

  Output& output_;
  std::uint64_t written_ = 0;
  std::uint64_t members_ = 0;
  std::string directory_;
};

template <class T>
void add_vector(ZipWriter& zip, const std::string& name, char kind, std::span<const T> values) {
  const Index shape[] = {static_cast<Index>(values.size())};
  const std::string header = npy_header(type_name<T>(kind), false, shape);
  zip.add(name + ".npy", {header, bytes_of(values)});
}

void add_names(ZipWriter& zip, const std::string& name, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::string text;
  for (std::string line : names) {
    std::replace(line.begin(), line.end(), '\n', ' ');
    text += line + '\n';
  }
  zip.add(name, {text});
}

template <class T>
void add_sparse(ZipWriter& zip, const SparseMatrix<T>& x) {
  add_vector<RowIndex>(zip, "indices", 'i', x.indices);
  // SciPy wants one type for both, and takes the wider.
  if (x.nonzeros() <= std::numeric_limits<RowIndex>::max()) {
    const Buffer<RowIndex> narrow(x.offsets.begin(), x.offsets.end());
    add_vector<RowIndex>(zip, "indptr", 'i', narrow);
  } else {
    add_vector<Index>(zip, "indptr", 'i', x.offsets);
  }
  zip.add("format.npy", {npy_header("|S3", false, {}), std::string_view("csc")});
  const Index shape[] = {x.rows, x.cols};
  add_vector<Index>(zip, "shape", 'i', shape);
  add_vector<T>(zip, "data", 'f', x.values);
}

}  // namespace

template <class T>
void write_npy(Output& output, const Dataset<T>& dataset) {
  const Index shape[] = {dataset.features(), dataset.items()};
  output.write(npy_header(type_name<T>('f'), true, shape));
  if (const auto* dense = std::get_if<Matrix<T>>(&dataset.values)) {
    output.write(dense->data(), dense->values().size_bytes());
    return;
  }
  std::vector<T> item(static_cast<std::size_t>(dataset.features()));
  for (Index j = 0; j < dataset.items(); ++j) {
    std::fill(item.begin(), item.end(), T(0));
    visit_nonzeros(dataset, j, [&](Index i, T value) { item[static_cast<std::size_t>(i)] = value; });
    output.write(item.data(), item.size() * sizeof(T));
  }
}

template <class T>
void write_npz(Output& output, const Dataset<T>& dataset) {
  ZipWriter zip(output);
  if (const auto* dense = std::get_if<Matrix<T>>(&dataset.values)) {
    const Index shape[] = {dataset.features(), dataset.items()};
    const std::string header = npy_header(type_name<T>('f'), true, shape);
    zip.add("matrix.npy", {header, bytes_of(dense->values())});
  } else {
    add_sparse(zip, std::get<SparseMatrix<T>>(dataset.values));
  }
  add_names(zip, "features.txt", dataset.feature_names);
  add_names(zip, "items.txt", dataset.item_names);
  zip.finish();
}

template void write_npy(Output&, const Dataset<float>&);
template void write_npy(Output&, const Dataset<double>&);
template void write_npz(Output&, const Dataset<float>&);
template void write_npz(Output&, const Dataset<double>&);

}  // namespace copse
