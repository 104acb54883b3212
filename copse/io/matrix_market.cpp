#include "copse/io/matrix_market.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "copse/base/parallel.h"
#include "copse/io/check_entries.h"
#include "copse/io/compression.h"
#include "copse/io/dense_layout.h"
#include "copse/io/number.h"
#include "copse/io/triplets.h"

namespace copse {
namespace {

constexpr std::size_t matrix_market_text_block = std::size_t{1} << 19;  // bytes parsed as one task

struct Header {
  bool coordinate = false;
  bool integer = false;
  bool pattern = false;
  bool symmetric = false;
  Index rows = 0;
  Index cols = 0;
  Index entries = 0;  // lines that follow

  Index features(Items items) const { return items == Items::columns ? rows : cols; }
  Index items(Items items) const { return items == Items::columns ? cols : rows; }
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

const char* skip_blanks(const char* p, const char* end) {
  while (p != end && is_blank(*p)) ++p;
  return p;
}

// The words of a line, at most five: no line of this format has more.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  const char *p = line.data(), *const end = p + line.size();
  while ((p = skip_blanks(p, end)) != end && words.size() < 6) {
    const char* word_end = std::find_if(p, end, is_blank);
    words.emplace_back(p, word_end);
    p = word_end;
  }
  return words;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

Header parse_banner(const std::string& name, std::string_view line) {
  std::vector<std::string> words;
  for (std::string_view word : words_of(line)) words.push_back(lower(word));
  if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix")
    fail(name, 1,
         "'%%MatrixMarket matrix' and a format, a field and a symmetry were expected, and " + excerpt(line) +
             " was found.");
  Header header;
  header.coordinate = words[2] == "coordinate";
  if (!header.coordinate && words[2] != "array")
    fail(name, 1, "the format must be 'coordinate' or 'array', and " + excerpt(words[2]) + " was found.");
  const std::string& field = words[3];
  header.integer = field == "integer" || field == "unsigned-integer";
  header.pattern = field == "pattern";
  if (field == "complex") fail(name, 1, "a matrix of complex numbers has no nonnegative factorization.");
  if (!header.integer && !header.pattern && field != "real" && field != "double")
    fail(name, 1, "the field must be 'real', 'integer' or 'pattern', and " + excerpt(field) + " was found.");
  if (header.pattern && !header.coordinate) fail(name, 1, "an array cannot be a pattern.");
  const std::string& symmetry = words[4];
  header.symmetric = symmetry == "symmetric";
  if (symmetry == "skew-symmetric")
    fail(name, 1, "a skew-symmetric matrix has negative entries, and none may be negative.");
  if (symmetry == "hermitian") fail(name, 1, "a matrix of complex numbers has no nonnegative factorization.");
  if (!header.symmetric && symmetry != "general")
    fail(name, 1, "the symmetry must be 'general' or 'symmetric', and " + excerpt(symmetry) + " was found.");
  return header;
}

Index parse_size(const std::string& name, Index line_number, std::string_view word) {
  Index value = 0;
  const auto [p, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || p != word.data() + word.size() || value < 0)
    fail(name, line_number, "a size was expected, and " + excerpt(word) + " was found.");
  return value;
}

void parse_sizes(const std::string& name, Index line_number, std::string_view line, Header& header) {
  const auto words = words_of(line);
  if (words.size() != (header.coordinate ? 3 : 2))
    fail(name, line_number,
         std::string(header.coordinate ? "rows, columns and entries" : "rows and columns") + " were expected, and " +
             excerpt(line) + " was found.");
  header.rows = parse_size(name, line_number, words[0]);
  header.cols = parse_size(name, line_number, words[1]);
  if (header.symmetric && header.rows != header.cols)
    fail(name, line_number,
         "a symmetric matrix must be square, and this one is " + std::to_string(header.rows) + " x " +
             std::to_string(header.cols) + ".");
  check_shape(header.rows, header.cols, name);
  if (header.coordinate) {
    header.entries = parse_size(name, line_number, words[2]);
  } else {
    header.entries = header.symmetric ? header.rows * (header.rows + 1) / 2 : header.rows * header.cols;
  }
}

// What is wrong with a line that the fast parser refused, or that has more than it should.
template <class T>
std::string complaint(const Header& header, std::string_view line) {
  const auto words = words_of(line);
  const std::size_t expected = header.coordinate ? (header.pattern ? 2 : 3) : 1;
  if (words.size() != expected) {
    const char* what = !header.coordinate ? "one value" : header.pattern ? "row and column" : "row, column and value";
    return std::string(what) + (expected == 1 ? " was" : " were") + " expected, and " + excerpt(line) + " was found.";
  }
  if (header.coordinate) {
    for (int axis : {0, 1}) {
      const std::string_view word = words[static_cast<std::size_t>(axis)];
      const std::string kind = axis == 0 ? "row" : "column";
      const Index size = axis == 0 ? header.rows : header.cols;
      Index number = 0;
      const auto [p, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (error == std::errc::invalid_argument || p != word.data() + word.size())
        return "a " + kind + " number was expected, and " + excerpt(word) + " was found.";
      if (error != std::errc() || number < 1 || number > size)
        return kind + " " + std::string(word.substr(0, 30)) + " is outside of 1 to " + std::to_string(size) + ".";
    }
  }
  const std::string_view word = words.back();
  T value = 0;
  const char* end = parse_number(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size()) return "a number was expected, and " + excerpt(word) + " was found.";
  if (std::isnan(value)) return "the value is not a number (NaN).";
  if (std::isinf(value)) {
    const bool letters = word.find_first_of("iI") != std::string_view::npos;
    return letters ? "the value is infinite." : "the value " + excerpt(word) + " is too large for this precision.";
  }
  if (value < 0) return "the value " + std::string(word.substr(0, 30)) + " is negative, and none may be.";
  return "an integer was expected, and " + excerpt(word) + " was found.";
}

// The entries of one block of text, and where it went wrong if it did.
template <class T>
struct ParsedLines {
  Triplets<T> entries;
  Index lines = 0;
  const char* bad_line = nullptr;
};

// [begin, end) ends with a line end, so that no inner loop needs to look for the end.
template <class T>
ParsedLines<T> parse_block(const Header& header, Items where, const char* begin, const char* end) {
  ParsedLines<T> block;
  // The shortest lines are "1 1 1", "1 1" and "1"; pages that are not written cost nothing.
  const Index shortest = !header.coordinate ? 2 : header.pattern ? 4 : 6;
  const auto most = static_cast<std::size_t>((end - begin) / shortest + 1);
  const bool items_are_rows = where == Items::rows;
  auto& [features, items, values] = block.entries;
  if (header.coordinate) {
    features.resize(most);
    items.resize(most);
  }
  values.resize(most);
  std::size_t count = 0;
  for (const char* line = begin; line != end; ++block.lines) {
    const char* p = skip_blanks(line, end);
    if (*p == '\n') {
      line = p + 1;
      continue;
    }
    if (*p == '%') {
      line = std::find(p, end, '\n') + 1;
      continue;
    }
    bool good = true;
    if (header.coordinate) {
      Index row = 0, col = 0;
      p = parse_index(p, end, row);
      good = p != nullptr && is_blank(*p);
      if (good) p = parse_index(skip_blanks(p, end), end, col);
      good = good && p != nullptr && 1 <= row && row <= header.rows && 1 <= col && col <= header.cols;
      if (good) {
        features[count] = static_cast<RowIndex>((items_are_rows ? col : row) - 1);
        items[count] = static_cast<RowIndex>((items_are_rows ? row : col) - 1);
      }
    }
    T value = 1;
    if (good && !header.pattern) {
      const char* word = p;
      if (header.coordinate) word = skip_blanks(p, end);
      good = word != p || !header.coordinate;
      p = good ? parse_number(word, end, value) : nullptr;
      good = p != nullptr && value >= 0 && value <= std::numeric_limits<T>::max();
      if (good && header.integer) good = std::all_of(word, p, [](char c) { return c != '.' && c != 'e' && c != 'E'; });
    }
    if (good) p = skip_blanks(p, end);
    if (!good || *p != '\n') {
      block.bad_line = line;
      break;
    }
    values[count++] = value;
    line = p + 1;
  }
  // A block may lie in pages that were in use before: its unused end would not be free of cost.
  const auto shrink = [count](auto& numbers) {
    numbers.resize(count);
    numbers.shrink_to_fit();
  };
  if (header.coordinate) {
    shrink(features);
    shrink(items);
  }
  shrink(values);
  return block;
}

// Reads a text that arrives in pieces: the header line by line, the body in parallel.
template <class T>
class Reader {
 public:
  // `streamed`: the entries are taken piece by piece, so that the matrix need not fit in memory.
  Reader(const Input& input, const ReadOptions& options, bool streamed = false)
      : input_(input), options_(options), streamed_(streamed) {}

  // Reads header lines from the front of the text. False until the line with the sizes has come.
  bool read_header(std::string_view& text) {
    while (!complete_ && !text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(line.size() + 1);
      ++lines_;
      if (lines_ == 1) {
        header_ = parse_banner(input_.name(), line);
      } else if (!words_of(line).empty() && line[0] != '%') {
        parse_sizes(input_.name(), lines_, line, header_);
        check_sizes();
        complete_ = true;
      }
    }
    return complete_;
  }

  void read_body(std::string_view text) {
    std::vector<std::size_t> cuts{0};
    while (cuts.back() < text.size()) {
      const std::size_t wanted = std::min(cuts.back() + matrix_market_text_block, text.size()) - 1;
      cuts.push_back(text.find('\n', wanted) + 1);
    }
    std::vector<ParsedLines<T>> parsed(cuts.size() - 1);
    parallel_for(static_cast<Index>(parsed.size()), [&](Index number) {
      const auto b = static_cast<std::size_t>(number);
      parsed[b] = parse_block<T>(header_, options_.items, text.data() + cuts[b], text.data() + cuts[b + 1]);
    });
    for (std::size_t b = 0; b < parsed.size(); ++b) {
      if (const char* bad = parsed[b].bad_line) {
        const std::string_view line(bad, std::find(bad, text.data() + text.size(), '\n'));
        fail(input_.name(), lines_ + std::count(text.data() + cuts[b], bad, '\n') + 1, complaint<T>(header_, line));
      }
      lines_ += parsed[b].lines;
      count_ += static_cast<Index>(parsed[b].entries.values.size());
      if (count_ > header_.entries) disagree("more");
      blocks_.push_back(std::move(parsed[b].entries));
    }
  }

  const Header& header() const {
    if (!complete_) fail(input_.name(), "the file ends before the line with the sizes.");
    return header_;
  }

  // What has been read since the last call.
  std::vector<Triplets<T>> take() {
    if (header_.symmetric) mirror();
    return std::exchange(blocks_, {});
  }

  void check_count() const {
    header();
    if (count_ < header_.entries) disagree(std::to_string(count_));
  }

  ReadResult<T> finish() {
    check_count();
    return header_.coordinate ? sparse() : dense();
  }

 private:
  [[noreturn]] void disagree(const std::string& found) const {
    fail(input_.name(),
         "the header promises " + std::to_string(header_.entries) + " entries, and the file has " + found + ".");
  }

  void check_sizes() const {
    const std::string shape = "a matrix of " + std::to_string(header_.rows) + " x " + std::to_string(header_.cols) +
                              " with " + std::to_string(header_.entries) + " entries";
    // The shortest line is "1 1" or "1", and deflate shrinks to 1/1032 at best.
    const auto bytes = static_cast<double>(input_.bytes().size());
    const bool plain = compression_of(input_.bytes()) == Compression::none;
    if (plain && static_cast<double>(header_.entries) * (header_.coordinate ? 4 : 2) > bytes + 1)
      fail(input_.name(), lines_,
           shape + " does not fit in a file of " + std::to_string(input_.bytes().size()) + " bytes.");
    if (streamed_) return;
    const double stored = static_cast<double>(header_.entries) * (header_.symmetric ? 2 : 1);
    check_memory(header_.coordinate ? stored * (sizeof(T) + sizeof(RowIndex)) +
                                          static_cast<double>(header_.items(options_.items)) * sizeof(Index)
                                    : static_cast<double>(header_.rows) * static_cast<double>(header_.cols) * sizeof(T),
                 options_.memory_limit, input_.name(), shape);
  }

  ReadResult<T> sparse() {
    if (header_.symmetric) mirror();
    ReadResult<T> result;
    Index duplicates = 0;
    result.dataset.values =
        compress(header_.features(options_.items), header_.items(options_.items), blocks_, duplicates);
    if (duplicates > 0) {
      result.notes.push_back(input_.name() + ": " + std::to_string(duplicates) + " duplicate " +
                             (duplicates == 1 ? "entry was" : "entries were") + " added up.");
      check_nonnegative(result.dataset, input_.name());
    }
    return result;
  }

  // Only one triangle is in the file.
  void mirror() {
    const std::size_t count = blocks_.size();
    blocks_.resize(2 * count);
    parallel_for(static_cast<Index>(count), [&](Index number) {
      const auto& [features, items, values] = blocks_[static_cast<std::size_t>(number)];
      auto& other = blocks_[static_cast<std::size_t>(number) + count];
      for (std::size_t p = 0; p < values.size(); ++p) {
        if (features[p] == items[p]) continue;
        other.features.push_back(items[p]);
        other.items.push_back(features[p]);
        other.values.push_back(values[p]);
      }
    });
  }

  // The values come column by column; of a symmetric matrix from the diagonal down.
  ReadResult<T> dense() {
    Matrix<T> x;
    x.reshape(header_.items(options_.items), header_.features(options_.items));
    const DenseLayout layout = dense_layout(header_.rows, header_.cols, true, options_.items);
    const auto entry = [&](Index row, Index col) -> T& {
      return options_.items == Items::columns ? x(col, row) : x(row, col);
    };
    Index row = 0, col = 0, place = 0;
    for (auto& block : blocks_) {
      const auto count = static_cast<Index>(block.values.size());
      if (layout.is_item_major() && !header_.symmetric) {
        std::copy(block.values.begin(), block.values.end(), x.data() + place);
      } else {
        for (const T value : block.values) {
          entry(row, col) = value;
          if (header_.symmetric) entry(col, row) = value;
          if (++row == header_.rows) row = header_.symmetric ? ++col : (++col, 0);
        }
      }
      place += count;
      block = {};
    }
    blocks_.clear();
    ReadResult<T> result;
    result.dataset.values = std::move(x);
    return result;
  }

  const Input& input_;
  const ReadOptions& options_;
  Header header_;
  bool streamed_;
  bool complete_ = false;
  Index lines_ = 0;
  Index count_ = 0;
  std::vector<Triplets<T>> blocks_;
};

}  // namespace

MatrixSummary peek_matrix_market(const Input& input, const ReadOptions& options) {
  ReadOptions unlimited = options;  // the reader of the summary decides what fits
  unlimited.memory_limit = 0;
  Reader<float> reader(input, unlimited);
  for_each_piece(input, options.memory_limit, [&](std::string_view text) { return !reader.read_header(text); });
  const Header& header = reader.header();
  const Index entries = header.symmetric && header.coordinate ? 2 * header.entries : header.entries;
  return {.features = header.features(options.items),
          .items = header.items(options.items),
          .nonzeros = header.coordinate ? entries : header.rows * header.cols,
          .sparse = header.coordinate,
          // Lines are parsed into pieces, which are then joined; the text is gone by then.
          .reading_bytes = header.coordinate
                               ? text_bytes_at_once(input) + 2.0 * sizeof(RowIndex) * static_cast<double>(entries)
                               : std::max(0.0, text_bytes_at_once(input) -
                                                   static_cast<double>(header.rows * header.cols) * sizeof(float)),
          .reading_copies = 1};
}

template <class T>
ReadResult<T> read_matrix_market(const Input& input, const ReadOptions& options) {
  Reader<T> reader(input, options);
  for_each_piece(input, options.memory_limit, [&](std::string_view text) {
    if (reader.read_header(text)) reader.read_body(text);
    return true;
  });
  return reader.finish();
}

template <class T>
bool for_each_entry(const Input& input, const ReadOptions& options,
                    const std::function<void(Index features, Index items, Triplets<T>& entries)>& take) {
  Reader<T> reader(input, options, true);
  bool sparse = true;
  for_each_piece(input, options.memory_limit, [&](std::string_view text) {
    if (!reader.read_header(text)) return true;
    const Header& header = reader.header();
    sparse = header.coordinate;
    if (!sparse) return false;
    reader.read_body(text);
    for (Triplets<T>& entries : reader.take())
      take(header.features(options.items), header.items(options.items), entries);
    return true;
  });
  if (sparse) reader.check_count();
  return sparse;
}

template bool for_each_entry(const Input&, const ReadOptions&,
                             const std::function<void(Index, Index, Triplets<float>&)>&);
template bool for_each_entry(const Input&, const ReadOptions&,
                             const std::function<void(Index, Index, Triplets<double>&)>&);
template ReadResult<float> read_matrix_market(const Input&, const ReadOptions&);
template ReadResult<double> read_matrix_market(const Input&, const ReadOptions&);

}  // namespace copse
