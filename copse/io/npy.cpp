#include "copse/io/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>

#include "copse/base/parallel.h"
#include "copse/io/compression.h"
#include "copse/io/dense_layout.h"
#include "copse/io/expansion.h"

namespace copse {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr Index elements_at_once = Index{1} << 20;  // that are read between two looks at the file

// The header is a Python dictionary with three keys: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  void parse(NpyArray& array) {
    expect('{');
    bool type = false, order = false, shape = false;
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        array.type = parse_type();
        type = true;
      } else if (key == "fortran_order") {
        array.fortran = boolean();
        order = true;
      } else if (key == "shape") {
        array.shape = tuple();
        shape = true;
      } else {
        wrong();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!type || !order || !shape) wrong();
  }

 private:
  [[noreturn]] void wrong() const { fail(name_, "the header of the NumPy array is damaged."); }

  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }

  bool accept(char c) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) wrong();
  }

  std::string_view string() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const std::size_t length = rest_.find(quote);
    if (length == std::string_view::npos) wrong();
    const std::string_view result = rest_.substr(0, length);
    rest_.remove_prefix(length + 1);
    return result;
  }

  bool boolean() {
    skip_blanks();
    for (bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    wrong();
  }

  std::vector<Index> tuple() {
    std::vector<Index> sizes;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      Index size = 0;
      const auto [p, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0 || sizes.size() == 32) wrong();
      rest_.remove_prefix(static_cast<std::size_t>(p - rest_.data()));
      sizes.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  NpyType parse_type() {
    skip_blanks();
    if (rest_.starts_with("[")) fail(name_, "an array of records was found, and one of numbers was expected.");
    const std::string_view text = string();
    NpyType type;
    std::string_view digits = text.substr(std::min<std::size_t>(2, text.size()));
    const auto [p, error] = std::from_chars(digits.data(), digits.data() + digits.size(), type.size);
    const bool understood = text.size() >= 2 && std::string_view("<>|=").find(text[0]) != std::string_view::npos;
    if (!understood || (text[1] != 'O' && (error != std::errc() || p != digits.data() + digits.size()))) wrong();
    type.kind = text[1];
    type.swapped = text[0] == '>' ? std::endian::native == std::endian::little
                                  : text[0] == '<' && std::endian::native == std::endian::big;
    const std::size_t size = type.size;
    const bool fine = type.kind == 'f'         ? size == 2 || size == 4 || size == 8
                      : type.kind == 'b'       ? size == 1
                      : type.is_whole_number() ? size == 1 || size == 2 || size == 4 || size == 8
                                               : (type.kind == 'S' || type.kind == 'U') && size < 1000;
    if (!fine) fail(name_, "an array of type " + excerpt(text) + " was found, and one of real numbers was expected.");
    return type;
  }

  std::string_view rest_;
  const std::string& name_;
};

template <class U>
U byte_swapped(U value) {
  char bytes[sizeof(U)];
  std::memcpy(bytes, &value, sizeof(U));
  std::reverse(bytes, bytes + sizeof(U));
  std::memcpy(&value, bytes, sizeof(U));
  return value;
}

template <class U>
U load(const char* data, Index i, bool swapped) {
  U value;
  std::memcpy(&value, data + i * static_cast<Index>(sizeof(U)), sizeof(U));
  return swapped ? byte_swapped(value) : value;
}

// IEEE 754 binary16.
struct Half {
  std::uint16_t bits;
  explicit operator float() const {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float size = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                       : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                       : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
    return bits >> 15 ? -size : size;
  }
  explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
  explicit operator std::int64_t() const { return 0; }
};

struct Bool {
  std::uint8_t byte;
  template <class Out>
  explicit operator Out() const {
    return Out(byte != 0);
  }
};

// Calls body(U{}) with the type U of the elements.
template <class Body>
void with_type(NpyType type, const Body& body) {
  if (type.kind == 'f') {
    type.size == 2 ? body(Half{}) : type.size == 4 ? body(float{}) : body(double{});
  } else if (type.kind == 'b') {
    body(Bool{});
  } else if (type.kind == 'i') {
    type.size == 1   ? body(std::int8_t{})
    : type.size == 2 ? body(std::int16_t{})
    : type.size == 4 ? body(std::int32_t{})
                     : body(std::int64_t{});
  } else {
    type.size == 1   ? body(std::uint8_t{})
    : type.size == 2 ? body(std::uint16_t{})
    : type.size == 4 ? body(std::uint32_t{})
                     : body(std::uint64_t{});
  }
}

}  // namespace

Index NpyArray::count() const {
  Index product = 1;
  for (Index size : shape) product *= size;
  return product;
}

NpyArray parse_npy(std::span<const char> bytes, const std::string& name, bool whole) {
  const std::string_view text(bytes.data(), bytes.size());
  if (!text.starts_with(magic)) fail(name, "this is not a NumPy array.");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
  const bool long_header = text.size() > 6 && byte(6) >= 2;
  const std::size_t start = long_header ? 12 : 10;
  if (text.size() < start) fail(name, "the NumPy array is truncated.");
  const std::size_t length = byte(8) + (byte(9) << 8) + (long_header ? (byte(10) << 16) + (byte(11) << 24) : 0);
  if (text.size() - start < length) fail(name, "the NumPy array is truncated.");

  NpyArray array;
  HeaderParser(text.substr(start, length), name).parse(array);
  double size = static_cast<double>(array.type.size) * (array.type.kind == 'U' ? 4 : 1);
  double extent = std::max(size, 1.0);  // without the zeros, behind which a product could overflow
  for (Index axis : array.shape) {
    size *= static_cast<double>(axis);
    extent *= static_cast<double>(std::max<Index>(axis, 1));
  }
  if (extent >= 0x1p62) fail(name, "the sizes in the header of the NumPy array overflow.");
  array.data = bytes.subspan(start + length);
  if (whole && static_cast<double>(array.data.size()) != size)
    fail(name, std::string("the NumPy array is ") +
                   (static_cast<double>(array.data.size()) < size ? "truncated" : "too long") +
                   ": its header promises " + std::to_string(static_cast<std::int64_t>(size)) +
                   " bytes, and there are " + std::to_string(array.data.size()) + ".");
  return array;
}

std::string npy_header(const std::string& type, bool fortran, std::span<const Index> shape) {
  std::string text = "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (";
  for (Index size : shape) text += std::to_string(size) + ", ";
  text += "), }";
  // The data starts at a multiple of 64.
  text.append((64 - (10 + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string header(magic);
  header += {'\1', '\0', static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)};
  return header + text;
}

template <class Out>
void convert(const NpyArray& array, Index begin, Index end, Out* out) {
  with_type(array.type, [&](auto element) {
    using U = decltype(element);
    const char* data = array.data.data();
    if (array.type.swapped) {
      for (Index i = begin; i < end; ++i) out[i - begin] = static_cast<Out>(load<U>(data, i, true));
    } else {
      for (Index i = begin; i < end; ++i) out[i - begin] = static_cast<Out>(load<U>(data, i, false));
    }
  });
}

MatrixSummary summary_of(const NpyArray& array, const std::string& name, const ReadOptions& options) {
  if (array.type.kind == 'S' || array.type.kind == 'U')
    fail(name, "an array of text was found, and one of numbers was expected.");
  const std::size_t axes = array.shape.size();
  if (axes != 2)
    fail(name,
         "an array with " + std::to_string(axes) + (axes == 1 ? " axis" : " axes") + " was found, and a matrix has 2.");
  const DenseLayout layout = dense_layout(array.shape[0], array.shape[1], array.fortran, options.items);
  check_shape(layout.features, layout.items, name);
  return {.features = layout.features, .items = layout.items, .nonzeros = array.count(), .sparse = false};
}

template <class T>
Matrix<T> matrix_of(const NpyArray& array, const std::string& name, const ReadOptions& options, const NextBytes& next) {
  const MatrixSummary summary = summary_of(array, name, options);
  check_memory(static_cast<double>(summary.nonzeros) * sizeof(T), options.memory_limit, name, "the array");
  const DenseLayout layout = dense_layout(array.shape[0], array.shape[1], array.fortran, options.items);
  Matrix<T> x;
  x.reshape(summary.items, summary.features);
  NpyArray piece = array;
  const auto read = [&](Index count) { piece.data = next(static_cast<std::size_t>(count) * array.type.size); };
  if (layout.is_item_major()) {
    for (Index from = 0; from < summary.nonzeros; from += elements_at_once) {
      const Index count = std::min(elements_at_once, summary.nonzeros - from);
      read(count);
      parallel_blocks(count, 1 << 16,
                      [&](Index begin, Index end) { convert(piece, begin, end, x.data() + from + begin); });
    }
    return x;
  }
  with_type(array.type, [&](auto element) {
    using U = decltype(element);
    for_each_tile(layout, elements_at_once, [&](const DenseTile& tile) {
      read(tile.features * tile.items);
      gather(
          tile, [&](Index place) { return load<U>(piece.data.data(), place, array.type.swapped); }, x);
    });
  });
  return x;
}

template <class T>
Matrix<T> read_npy(const Input& input, const ReadOptions& options) {
  const std::string& name = input.name();
  if (compression_of(input.bytes()) == Compression::none) {
    const NpyArray array = parse_npy(input.bytes(), name);
    std::span<const char> rest = array.data, last;
    return matrix_of<T>(array, name, options, [&](std::size_t count) {
      input.forget(last);
      last = rest.first(count);
      rest = rest.subspan(count);
      return last;
    });
  }
  Buffer<char> bytes = beginning(input, 1 << 17);
  const NpyArray array = parse_npy(bytes, name, false);
  // Known before anything is taken for it.
  check_expansion(static_cast<double>(array.count()) * static_cast<double>(array.type.size),
                  static_cast<double>(input.bytes().size()), largest_expansion, name);
  const std::size_t header = bytes.size() - array.data.size();
  const auto content = decompressor(input);
  bytes.resize(header);
  content->read(bytes);
  Matrix<T> x = matrix_of<T>(array, name, options, [&](std::size_t count) {
    bytes.resize(count);
    if (content->read(bytes) < count)
      fail(name, "the NumPy array is truncated: the file ends before its last element.");
    return std::span<const char>(bytes);
  });
  bytes.resize(1);
  if (content->read(bytes) > 0) fail(name, "the NumPy array is too long: after its last element there is more.");
  return x;
}

template void convert(const NpyArray&, Index, Index, float*);
template void convert(const NpyArray&, Index, Index, double*);
template void convert(const NpyArray&, Index, Index, std::int64_t*);
template Matrix<float> matrix_of(const NpyArray&, const std::string&, const ReadOptions&, const NextBytes&);
template Matrix<double> matrix_of(const NpyArray&, const std::string&, const ReadOptions&, const NextBytes&);
template Matrix<float> read_npy(const Input&, const ReadOptions&);
template Matrix<double> read_npy(const Input&, const ReadOptions&);

}  // namespace copse
