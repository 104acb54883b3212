#include "copse/io/matrix_file.h"

#include <cmath>
#include <string_view>

#include "copse/base/error.h"
#include "copse/io/compression.h"
#include "copse/io/copse_file.h"
#include "copse/io/delimited.h"
#include "copse/io/hdf5_file.h"
#include "copse/io/matrix_market.h"
#include "copse/io/matrix_writers.h"
#include "copse/io/npy.h"
#include "copse/io/npz.h"
#include "copse/io/ten_x_folder.h"

namespace copse {
namespace {

enum class Format { copse, hdf5, matrix_market, npy, npz, delimited };

Format format_of(const Input& input) {
  const Buffer<char> bytes = beginning(input, 4096);
  const std::string_view start(bytes.data(), bytes.size());
  if (start.empty()) fail(input.name(), "the file is empty.");
  if (start.starts_with(copse_magic)) return Format::copse;
  if (start.starts_with(hdf5_magic)) return Format::hdf5;
  if (start.starts_with("%%")) return Format::matrix_market;
  if (start.starts_with("\x93NUMPY")) return Format::npy;
  if (start.starts_with("PK")) return Format::npz;
  const std::string_view name = name_without_compression(input.name());
  const std::string found = excerpt(start.substr(0, start.find('\n')));
  if (name.ends_with(".mtx"))
    fail(input.name(), "a MatrixMarket file starts with '%%MatrixMarket', and " + found + " was found.");
  if (name.ends_with(".npy")) fail(input.name(), "this is not a NumPy array; it starts with " + found + ".");
  if (name.ends_with(".h5") || name.ends_with(".h5ad"))
    fail(input.name(), "this is not an HDF5 file; it starts with " + found + ".");
  if (name.ends_with(".copse")) fail(input.name(), "this is not a .copse file; it starts with " + found + ".");
  if (name.ends_with(".npz")) fail(input.name(), "this is not an .npz archive; it starts with " + found + ".");
  if (start.find('\0') != std::string_view::npos)
    fail(input.name(),
         "this binary file is no matrix that can be read: .copse, MatrixMarket, .npy, .npz, .csv, .tsv, .h5ad or .h5.");
  // The standard input has a name without an end.
  const std::string end = std::filesystem::path(name).extension().string();
  if (end.empty() || end == ".csv" || end == ".tsv" || end == ".txt") return Format::delimited;
  fail(input.name(),
       "the format is not known; .copse, MatrixMarket, .npy, .npz, .csv, .tsv, .h5ad and .h5 can be read.");
}

// AnnData has its cells in rows; 10x has them in columns, but its HDF5 files are seen as AnnData sees them.
ReadOptions resolved(ReadOptions options, const Input& input) {
  const Format format = format_of(input);
  if (format != Format::hdf5 && (!options.layer.empty() || !options.label.empty()))
    fail(input.name(), "only .h5ad files have layers and columns of labels (`layer`, `cell_labels`).");
  if (options.items == Items::automatic) options.items = format == Format::hdf5 ? Items::rows : Items::columns;
  if (options.transposed) options.items = options.items == Items::rows ? Items::columns : Items::rows;
  options.transposed = false;
  return options;
}

// Formats that are not read as a stream need their bytes at hand.
template <class Body>
auto with_content(const Input& input, const ReadOptions& options, const Body& body) {
  if (compression_of(input.bytes()) == Compression::none) return body(input);
  const Buffer<char> content = decompress(input, options.memory_limit);
  return body(Input(content, input.name()));
}

MatrixSummary peek(const Input& input, const ReadOptions& options) {
  const Format format = format_of(input);
  switch (format) {
    case Format::npy:
      return summary_of(parse_npy(beginning(input, 1 << 17), input.name(), false), input.name(), options);
    case Format::copse:
    case Format::hdf5:
    case Format::npz:
      return with_content(input, options, [&](const Input& content) {
        MatrixSummary summary = format == Format::copse  ? peek_copse(content, options)
                                : format == Format::hdf5 ? peek_hdf5(content, options)
                                                         : peek_npz(content, options);
        // The archive itself, which cannot be read front to back.
        if (content.bytes().data() != input.bytes().data())
          summary.reading_bytes += static_cast<double>(content.bytes().size());
        return summary;
      });
    case Format::delimited:
      return peek_delimited(input, options);
    case Format::matrix_market:
      break;
  }
  return peek_matrix_market(input, options);
}

template <class T>
ReadResult<T> read_array(const Input& input, const ReadOptions& options) {
  ReadResult<T> result;
  result.dataset.values = read_npy<T>(input, options);
  check_nonnegative(result.dataset, input.name());
  return result;
}

template <class T>
ReadResult<T> read(const Input& input, const ReadOptions& options) {
  switch (format_of(input)) {
    case Format::npy:
      return read_array<T>(input, options);
    case Format::copse:
      return with_content(input, options, [&](const Input& content) { return read_copse<T>(content, options); });
    case Format::hdf5:
      return with_content(input, options, [&](const Input& content) { return read_hdf5<T>(content, options); });
    case Format::npz:
      return with_content(input, options, [&](const Input& content) { return read_npz<T>(content, options); });
    case Format::delimited:
      return read_delimited<T>(input, options);
    case Format::matrix_market:
      break;
  }
  return read_matrix_market<T>(input, options);
}

// The names in the folder of 10x; `turned`: the genes are the items.
template <class T>
void add_names(const std::filesystem::path& folder, bool turned, ReadResult<T>& result) {
  const TenXFolder found = find_ten_x(folder);
  Dataset<T>& dataset = result.dataset;
  const auto check = [](const std::filesystem::path& file, std::size_t names, Index count) {
    if (static_cast<Index>(names) != count)
      fail(file.string(), "it has " + std::to_string(names) + " lines, and the matrix beside it asks for " +
                              std::to_string(count) + ".");
  };
  auto& genes = turned ? dataset.item_names : dataset.feature_names;
  auto& cells = turned ? dataset.feature_names : dataset.item_names;
  if (!found.features.empty()) {
    genes = read_gene_names(found.features, &result.notes);
    check(found.features, genes.size(), turned ? dataset.items() : dataset.features());
  }
  if (!found.barcodes.empty()) {
    cells = read_names(found.barcodes, &result.notes);
    check(found.barcodes, cells.size(), turned ? dataset.features() : dataset.items());
  }
}

}  // namespace

MatrixFile::MatrixFile(const std::filesystem::path& path, const ReadOptions& options) {
  // The beginning of compressed data cannot be decompressed without the rest.
  const auto look = [](const Input& beginning) {
    if (compression_of(beginning.bytes()) == Compression::none) format_of(beginning);
  };
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored)) folder_ = path;
  const std::filesystem::path file = folder_.empty() ? path : find_ten_x(folder_).matrix;
  input_ = std::make_shared<const Input>(Input::open(file, options.memory_limit, look));
  options_ = resolved(options, *input_);
}

MatrixSummary MatrixFile::summary() const {
  MatrixSummary summary = peek(*input_, options_);
  // A stream lies in memory until it has been read.
  if (!input_->is_mapped()) summary.reading_bytes += static_cast<double>(input_->bytes().size());
  return summary;
}

template <class T>
ReadResult<T> MatrixFile::read() const {
  ReadResult<T> result = copse::read<T>(*input_, options_);
  if (!folder_.empty()) add_names(folder_, options_.items == Items::rows, result);
  return result;
}

MatrixSummary peek_matrix(const std::filesystem::path& path, const ReadOptions& options) {
  return MatrixFile(path, options).summary();
}

MatrixSummary peek_matrix(std::span<const char> bytes, const std::string& name, const ReadOptions& options) {
  const Input input(bytes, name);
  return peek(input, resolved(options, input));
}

template <class T>
ReadResult<T> read_matrix(const std::filesystem::path& path, const ReadOptions& options) {
  return MatrixFile(path, options).read<T>();
}

template <class T>
ReadResult<T> read_matrix(std::span<const char> bytes, const std::string& name, const ReadOptions& options) {
  const Input input(bytes, name);
  return read<T>(input, resolved(options, input));
}

template <class T>
Matrix<T> read_vectors(const std::filesystem::path& path, std::size_t memory_limit) {
  const Input file = Input::open(path, memory_limit);
  const std::string& name = file.name();
  if (format_of(file) != Format::npy)
    throw InputError(name + " is no .npy file; vectors come as one, with a row for every item.");
  const ReadOptions options{.items = Items::rows, .memory_limit = memory_limit};
  const Matrix<T> vectors = read_npy<T>(file, options);
  for (Index j = 0; j < vectors.rows(); ++j) {
    for (Index i = 0; i < vectors.cols(); ++i) {
      if (std::isfinite(vectors(j, i))) continue;
      throw InputError(name + ": row " + std::to_string(j + 1) + ", column " + std::to_string(i + 1) +
                       (std::isnan(vectors(j, i)) ? " is not a number (NaN)." : " is infinite."));
    }
  }
  return vectors;
}

template <class T>
void write_matrix(const std::filesystem::path& path, const Dataset<T>& dataset, std::span<const std::string> labels) {
  const std::string whole = path.string();
  const std::string_view name = name_without_compression(whole);
  if (whole.ends_with(".copse")) return write_copse(path, dataset, labels);
  if (name.ends_with(".copse"))
    throw InvalidArgument("a .copse file is compressed already: write " + std::string(name) + ", without " +
                          whole.substr(name.size()) + ".");
  void (*write)(Output&, const Dataset<T>&) = nullptr;
  if (name.ends_with(".mtx")) write = write_matrix_market<T>;
  if (name.ends_with(".npy")) write = write_npy<T>;
  if (name.ends_with(".npz")) write = write_npz<T>;
  if (name.ends_with(".csv")) write = write_csv<T>;
  if (name.ends_with(".tsv")) write = write_tsv<T>;
  if (write == nullptr)
    throw InvalidArgument("the name " + whole +
                          " must end in .copse, .mtx, .npy, .npz, .csv or .tsv; all but the first may have .gz or .zst "
                          "after it.");
  Output output(path, compression_of_name(whole));
  write(output, dataset);
  output.commit();
}

template ReadResult<float> MatrixFile::read() const;
template ReadResult<double> MatrixFile::read() const;
template ReadResult<float> read_matrix(const std::filesystem::path&, const ReadOptions&);
template ReadResult<double> read_matrix(const std::filesystem::path&, const ReadOptions&);
template ReadResult<float> read_matrix(std::span<const char>, const std::string&, const ReadOptions&);
template ReadResult<double> read_matrix(std::span<const char>, const std::string&, const ReadOptions&);
template Matrix<float> read_vectors(const std::filesystem::path&, std::size_t);
template Matrix<double> read_vectors(const std::filesystem::path&, std::size_t);
template void write_matrix(const std::filesystem::path&, const Dataset<float>&, std::span<const std::string>);
template void write_matrix(const std::filesystem::path&, const Dataset<double>&, std::span<const std::string>);

}  // namespace copse
