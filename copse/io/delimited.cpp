#include "copse/io/delimited.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "copse/base/parallel.h"
#include "copse/io/compression.h"
#include "copse/io/names.h"
#include "copse/io/number.h"
#include "copse/io/quoted.h"

namespace copse {
namespace {

constexpr std::size_t text_block = std::size_t{1} << 18;  // bytes parsed as one task

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// A line of tabs alone is a row of empty cells.
bool is_blank_line(std::string_view line) {
  return std::all_of(line.begin(), line.end(), [](char c) { return c == ' ' || c == '\r'; });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_missing(std::string_view cell) {
  constexpr std::string_view marks[] = {"", "NA", "N/A", "na", "n/a", "null", "NULL", "None", "-", "."};
  return std::find(std::begin(marks), std::end(marks), trimmed(cell)) != std::end(marks);
}

bool is_number(std::string_view cell) {
  const std::string_view text = trimmed(cell);
  double value = 0;
  return parse_number(text.data(), text.data() + text.size(), value) == text.data() + text.size() && !text.empty();
}

bool is_word(std::string_view cell) { return !is_number(cell) && !is_missing(cell); }

// Takes the first cell off the line. Quotes may stand around a cell, and are doubled inside. False if they do not end.
bool next_cell(std::string_view& rest, char delimiter, std::string& cell) {
  std::size_t start = 0;
  while (start < rest.size() && rest[start] == ' ') ++start;
  if (start == rest.size() || rest[start] != '"') {
    const std::string_view text = rest.substr(0, rest.find(delimiter));
    rest.remove_prefix(text.size());
    cell = trimmed(text);
    return true;
  }
  cell.clear();
  rest.remove_prefix(start + 1);
  if (!take_quoted(rest, cell)) return false;
  const std::string_view after = rest.substr(0, rest.find(delimiter));
  rest.remove_prefix(after.size());
  cell += trimmed(after);
  return true;
}

// The cells of a line; complete = false if quotes do not end.
struct Cells {
  std::vector<std::string> texts;
  bool complete = true;
};

Cells split(std::string_view line, char delimiter) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  Cells cells;
  for (;;) {
    cells.complete = next_cell(line, delimiter, cells.texts.emplace_back());
    if (!cells.complete || line.empty()) return cells;
    line.remove_prefix(1);
  }
}

// Do the cells after the first number the columns, from 0 or from 1, in any order?
bool is_numbering(const std::vector<std::string>& cells) {
  std::vector<Index> numbers;
  for (std::size_t c = 1; c < cells.size(); ++c) {
    Index number = 0;
    const char* end = cells[c].data() + cells[c].size();
    if (parse_index(cells[c].data(), end, number) != end) return false;
    numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != static_cast<Index>(i) + std::min<Index>(1, numbers[0])) return false;
  }
  return true;
}

// What the first two lines tell.
struct Shape {
  char delimiter = ',';
  bool header = false;
  bool row_names = false;
  std::size_t columns = 0;  // of numbers
  std::vector<std::string> column_names;
  Index lines_before = 0;  // lines of the file before the first that holds numbers
  std::string note = {};   // on numbers that were taken as names
};

char delimiter_of(std::string_view line, std::string_view name) {
  name = name_without_compression(name);
  if (name.ends_with(".tsv")) return '\t';
  const auto has = [&](char c) { return line.find(c) != std::string_view::npos; };
  if (!name.ends_with(".csv") && has('\t')) return '\t';
  return has(',') ? ',' : has(';') ? ';' : has('\t') ? '\t' : ',';
}

// What was taken as names though it is numbers, for a user who meant numbers; empty if there is no such thing.
std::string note_on_names(const Shape& shape, const std::vector<std::string>& first,
                          const std::vector<std::string>& second, const ReadOptions& options) {
  const bool marked = first[0].empty();  // such a corner says that there are names
  std::string what, remedy;
  int places = 0;
  const auto add = [&](const char* place, const std::string& name, bool more, const char* option) {
    what += (what.empty() ? "the first " : " and the first ") + std::string(place) + " (" + excerpt(name) +
            (more ? ", ...)" : ")");
    ++places;
    remedy += (remedy.empty() ? "" : " ") + std::string(option) + " absent";
  };
  const auto& names = shape.column_names;
  if (shape.header && !marked && options.header == Presence::detect &&
      std::all_of(names.begin(), names.end(), is_number))
    add("line", names[0], names.size() > 1, "`header`");
  if (shape.header && shape.row_names && !marked && options.row_names == Presence::detect && is_number(second[0]))
    add("column", second[0], true, "`row_names`");
  if (what.empty()) return {};
  return what + (places == 1 ? " was" : " were") + " taken as names, with " + remedy + " they are numbers.";
}

// `line` is the number of the second.
Shape shape_of(std::string_view first, std::string_view second, Index line, const std::string& name,
               const ReadOptions& options) {
  Shape shape{.delimiter = delimiter_of(first, name), .column_names = {}};
  const Cells cells = split(first, shape.delimiter), next = split(second, shape.delimiter);
  if (!cells.complete) fail(name, 1, "the quotes of a cell do not end on its line.");
  const auto& texts = cells.texts;
  const bool shorter = texts.size() + 1 == next.texts.size();
  shape.header = options.header == Presence::present;
  if (options.header == Presence::detect && shorter && std::all_of(texts.begin(), texts.end(), is_number) &&
      std::all_of(next.texts.begin(), next.texts.end(), is_number))
    fail(name, line,
         "the line has " + std::to_string(next.texts.size()) + " cells, and the first line has " +
             std::to_string(texts.size()) + ", all of them numbers; if the first holds names, say `header` present.");
  if (options.header == Presence::detect)
    shape.header = std::any_of(texts.begin() + 1, texts.end(), is_word) || (shorter && !is_blank_line(second)) ||
                   texts[0].empty() || (is_word(texts[0]) && is_numbering(texts));
  const auto& data = shape.header ? next.texts : texts;
  shape.row_names = options.row_names == Presence::present;
  if (options.row_names == Presence::detect)
    shape.row_names = is_word(data[0]) || (shape.header && (shorter || texts[0].empty()));
  shape.columns = data.size() - (shape.row_names ? 1 : 0);
  if (shape.header) {
    if (is_blank_line(second)) fail(name, "the file has a line of names and no numbers.");
    shape.column_names.assign(texts.begin() + (shape.row_names && !shorter ? 1 : 0), texts.end());
    if (shape.column_names.size() != shape.columns)
      fail(name, "the line of names has " + std::to_string(shape.column_names.size()) + " names for " +
                     std::to_string(shape.columns) + " columns of numbers.");
  }
  if (shape.columns == 0) fail(name, "the file has no column of numbers.");
  shape.note = note_on_names(shape, texts, next.texts, options);
  return shape;
}

// What is wrong with a line that the parser refused.
template <class T>
std::string complaint(const Shape& shape, std::string_view line) {
  const Cells cells = split(line, shape.delimiter);
  if (!cells.complete) return "the quotes of a cell do not end on its line.";
  const std::size_t skipped = shape.row_names ? 1 : 0, expected = shape.columns + skipped;
  if (cells.texts.size() != expected)
    return std::to_string(expected) + " cells were expected, and " + std::to_string(cells.texts.size()) +
           " were found.";
  for (std::size_t c = skipped; c < cells.texts.size(); ++c) {
    const std::string& cell = cells.texts[c];
    T value = 0;
    const char* end = cell.data() + cell.size();
    const bool number = parse_number(cell.data(), end, value) == end && !cell.empty();
    if (number && value >= 0 && value <= std::numeric_limits<T>::max()) continue;
    std::string place = "column " + std::to_string(c + 1);
    if (shape.header) place += " (" + shape.column_names[c - skipped] + ")";
    if (cell.empty()) return place + ": the cell is empty, and a number was expected.";
    if (!number) return place + ": a number was expected, and " + excerpt(cell) + " was found.";
    if (std::isnan(value)) return place + ": the value is not a number (NaN).";
    if (std::isinf(value))
      return place + ": the value " + excerpt(cell) + " is infinite or too large for this precision.";
    return place + ": the value " + excerpt(cell) + " is negative, and none may be.";
  }
  return "the line cannot be understood.";
}

template <class T>
struct ParsedBlock {
  Buffer<T> values;
  std::vector<std::string> names;
  Index lines = 0;
  const char* bad_line = nullptr;
};

// Numbers without quotes, which are nearly all; null asks for the slow way.
template <class T>
const char* parse_plain_cell(const char* p, const char* end, char delimiter, T& value) {
  while (*p == ' ') ++p;
  p = parse_number(p, end, value);
  if (p == nullptr) return nullptr;
  while (*p == ' ' || *p == '\r') ++p;
  return *p == delimiter || *p == '\n' ? p : nullptr;
}

// One line into the block; the line has a line end. False if it is not as it should be.
template <class T>
bool parse_line(const Shape& shape, const char* line, const char* line_end, ParsedBlock<T>& block) {
  const char* p = line;
  std::string cell;
  for (std::size_t c = 0; c < shape.columns + (shape.row_names ? 1 : 0); ++c) {
    const bool is_name = shape.row_names && c == 0;
    if (c > 0 && *p++ != shape.delimiter) return false;
    T value = 0;
    const char* next = is_name ? nullptr : parse_plain_cell(p, line_end + 1, shape.delimiter, value);
    if (next == nullptr) {
      std::string_view rest(p, line_end);
      if (!next_cell(rest, shape.delimiter, cell)) return false;
      next = line_end - rest.size();
      const char* cell_end = cell.data() + cell.size();
      if (!is_name && (cell.empty() || parse_number<T>(cell.data(), cell_end, value) != cell_end)) return false;
    }
    p = next;
    if (is_name) {
      block.names.push_back(cell);
    } else {
      if (!(value >= 0 && value <= std::numeric_limits<T>::max())) return false;
      block.values.push_back(value);
    }
  }
  return p == line_end;
}

template <class T>
ParsedBlock<T> parse_block(const Shape& shape, std::string_view text) {
  ParsedBlock<T> block;
  block.lines = std::count(text.begin(), text.end(), '\n');
  // A cell takes two bytes at least.
  block.values.reserve(std::min(static_cast<std::size_t>(block.lines) * shape.columns, text.size() / 2 + 1));
  const char* end = text.data() + text.size();
  for (const char* line = text.data(); line != end;) {
    const char* line_end = std::find(line, end, '\n');
    if (!is_blank_line({line, line_end}) && !parse_line(shape, line, line_end, block)) {
      block.bad_line = line;
      break;
    }
    line = line_end + 1;
  }
  return block;
}

// Holds text back until it has the two lines that decide.
class Opening {
 public:
  Opening(const Input& input, const ReadOptions& options) : input_(input), options_(options) {}

  // Adds text; true once the shape is known, and `body` is then what follows the line of names. `last`: no more comes.
  bool add(std::string_view text, bool last, Shape& shape, std::string& body) {
    held_ += text;
    std::string_view rest = held_;
    if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
    const std::string_view first = next_line(rest);
    std::string_view after = rest;
    const std::string_view second = next_line(after);
    if (is_blank_line(second) && !last) return false;
    if (is_blank_line(first)) fail(input_.name(), "the file has nothing but blank lines.");
    const std::string_view before(held_.data(),
                                  is_blank_line(second) ? 0 : static_cast<std::size_t>(second.data() - held_.data()));
    const Index line = std::ranges::count(before, '\n') + 1;
    shape = shape_of(first, second, line, input_.name(), options_);
    const char* start = shape.header ? rest.data() : first.data();
    shape.lines_before = std::count(static_cast<const char*>(held_.data()), start, '\n');
    body.assign(start, static_cast<const char*>(held_.data()) + held_.size());
    held_.clear();
    return true;
  }

 private:
  // Takes lines off the text up to the first that is not blank.
  static std::string_view next_line(std::string_view& text) {
    std::string_view line;
    while (!text.empty() && is_blank_line(line)) {
      line = text.substr(0, text.find('\n'));
      text.remove_prefix(line.size() + 1);
    }
    return line;
  }

  const Input& input_;
  const ReadOptions& options_;
  std::string held_;
};

// Calls body(shape, text) for pieces of the lines that hold numbers, and returns the shape.
template <class Body>
Shape for_each_body(const Input& input, const ReadOptions& options, const Body& body) {
  Opening opening(input, options);
  Shape shape;
  bool decided = false;
  const auto add = [&](std::string_view text, bool last) {
    if (decided) {
      body(shape, text);
      return;
    }
    std::string start;
    decided = opening.add(text, last, shape, start);
    if (decided) body(shape, start);
  };
  for_each_piece(input, options.memory_limit, [&](std::string_view text) {
    add(text, false);
    return true;
  });
  if (!decided) add("", true);
  return shape;
}

template <class T>
class Body {
 public:
  Body(const Input& input, const ReadOptions& options) : input_(input), options_(options) {}

  void add(const Shape& shape, std::string_view text) {
    std::vector<std::size_t> cuts{0};
    while (cuts.back() < text.size())
      cuts.push_back(text.find('\n', std::min(cuts.back() + text_block, text.size()) - 1) + 1);
    std::vector<ParsedBlock<T>> parsed(cuts.size() - 1);
    parallel_for(static_cast<Index>(parsed.size()), [&](Index number) {
      const auto b = static_cast<std::size_t>(number);
      parsed[b] = parse_block<T>(shape, text.substr(cuts[b], cuts[b + 1] - cuts[b]));
    });
    for (std::size_t b = 0; b < parsed.size(); ++b) {
      if (const char* bad = parsed[b].bad_line) {
        const std::string_view line(bad, std::find(bad, text.data() + text.size(), '\n'));
        fail(input_.name(), shape.lines_before + lines_ + std::count(text.data() + cuts[b], bad, '\n') + 1,
             complaint<T>(shape, line));
      }
      lines_ += parsed[b].lines;
      rows_ += static_cast<Index>(parsed[b].values.size() / shape.columns);
      blocks_.push_back(std::move(parsed[b]));
    }
    // The blocks and the matrix that they are copied to.
    check_memory(2.0 * static_cast<double>(rows_) * static_cast<double>(shape.columns) * sizeof(T),
                 options_.memory_limit, input_.name(), "the matrix");
  }

  ReadResult<T> finish(Shape& shape) {
    const auto columns = static_cast<Index>(shape.columns);
    check_shape(rows_, columns, input_.name());
    const bool by_row = options_.items == Items::rows;
    Matrix<T> x;
    x.reshape(by_row ? rows_ : columns, by_row ? columns : rows_);
    by_row ? join(x) : join_transposed(x);
    ReadResult<T> result;
    result.dataset.values = std::move(x);

    auto& row_names = by_row ? result.dataset.item_names : result.dataset.feature_names;
    auto& column_names = by_row ? result.dataset.feature_names : result.dataset.item_names;
    for (auto& block : blocks_) std::move(block.names.begin(), block.names.end(), std::back_inserter(row_names));
    column_names = std::move(shape.column_names);
    if (!shape.note.empty()) result.notes.push_back(input_.name() + ": " + shape.note);
    note_repairs(repair_names(row_names) + repair_names(column_names), input_.name(), result.notes);
    return result;
  }

 private:
  void join(Matrix<T>& x) {
    T* place = x.data();
    for (auto& block : blocks_) {
      place = std::copy(block.values.begin(), block.values.end(), place);
      block.values = {};
    }
  }

  void join_transposed(Matrix<T>& x) const {
    const Index columns = x.rows();
    parallel_blocks(columns, 64, [&](Index begin, Index end) {
      Index row = 0;
      for (const auto& block : blocks_) {
        for (const T* values = block.values.data(); values != block.values.data() + block.values.size();
             values += columns, ++row) {
          for (Index j = begin; j < end; ++j) x.data()[j * rows_ + row] = values[j];
        }
      }
    });
  }

  const Input& input_;
  const ReadOptions& options_;
  Index lines_ = 0;
  Index rows_ = 0;
  std::vector<ParsedBlock<T>> blocks_;
};

}  // namespace

MatrixSummary peek_delimited(const Input& input, const ReadOptions& options) {
  Index rows = 0;
  double name_bytes = 0;
  const Shape shape = for_each_body(input, options, [&](const Shape& known, std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      if (!is_blank_line(line)) {
        ++rows;
        if (known.row_names) name_bytes += bytes_of_name(std::min(line.find(known.delimiter), line.size()));
      }
      text.remove_prefix(line.size() + 1);
    }
  });
  for (const std::string& name : shape.column_names) name_bytes += bytes_of_name(name.size());
  const auto columns = static_cast<Index>(shape.columns);
  const bool by_row = options.items == Items::rows;
  return {
      .features = by_row ? columns : rows,
      .items = by_row ? rows : columns,
      .nonzeros = rows * columns,
      .sparse = false,
      // Lines are parsed into pieces, which are then joined; the text is gone by then.
      .reading_bytes = std::max(0.0, text_bytes_at_once(input) - static_cast<double>(rows * columns) * sizeof(float)),
      .reading_copies = 1,
      .name_bytes = name_bytes};
}

template <class T>
ReadResult<T> read_delimited(const Input& input, const ReadOptions& options) {
  Body<T> body(input, options);
  Shape shape =
      for_each_body(input, options, [&](const Shape& known, std::string_view text) { body.add(known, text); });
  return body.finish(shape);
}

template ReadResult<float> read_delimited(const Input&, const ReadOptions&);
template ReadResult<double> read_delimited(const Input&, const ReadOptions&);

}  // namespace copse
