#include <simdjson.h>

#include <charconv>

#include "copse/io/input.h"
#include "copse/text/document_readers.h"
#include "copse/text/repair.h"

namespace copse {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t nowhere = std::string_view::npos;

std::string kind_of(dom::element value) {
  switch (value.type()) {
    case dom::element_type::ARRAY:
      return "a list";
    case dom::element_type::OBJECT:
      return "an object";
    case dom::element_type::STRING:
      return "a string";
    case dom::element_type::BOOL:
      return "true or false";
    case dom::element_type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

// \uXXXX at the front of the text as a number; 0 if there is no such thing.
unsigned escaped_unit(std::string_view text) {
  unsigned unit = 0;
  const bool is_escape = text.size() >= 6 && text.starts_with("\\u") &&
                         std::from_chars(text.data() + 2, text.data() + 6, unit, 16).ptr == text.data() + 6;
  return is_escape ? unit : 0;
}

// Puts \uFFFD in place of every half of a surrogate pair that stands alone; true if there was one.
bool repair_surrogates(std::string& line) {
  bool repaired = false;
  for (std::size_t place = 0; (place = line.find('\\', place)) != std::string::npos;) {
    const std::string_view rest = std::string_view(line).substr(place);
    const unsigned unit = escaped_unit(rest);
    const bool is_high = unit >= 0xD800 && unit < 0xDC00, is_low = unit >= 0xDC00 && unit < 0xE000;
    const unsigned next = is_high ? escaped_unit(rest.substr(6)) : 0;
    const bool is_pair = next >= 0xDC00 && next < 0xE000;
    if (is_low || (is_high && !is_pair)) {
      line.replace(place, 6, "\\uFFFD");
      repaired = true;
    }
    place += is_pair ? 12 : unit != 0 ? 6 : 2;
  }
  return repaired;
}

// The length of the JSON number at the front of the text; 0 if there is none.
std::size_t number_length(std::string_view text) {
  std::size_t p = 0;
  const auto digits = [&] {
    const std::size_t begin = p;
    while (p < text.size() && '0' <= text[p] && text[p] <= '9') ++p;
    return p > begin;
  };
  const auto accept = [&](std::string_view any) {
    const bool found = p < text.size() && any.find(text[p]) != nowhere;
    p += found ? 1 : 0;
    return found;
  };
  accept("-");
  const bool zero = p < text.size() && text[p] == '0';
  const std::size_t begin = p;
  if (!digits() || (zero && p > begin + 1)) return 0;  // 01 is no number
  if (accept(".") && !digits()) return 0;
  if (accept("eE")) {
    accept("+-");
    if (!digits()) return 0;
  }
  return p;
}

// Puts quotes around the numbers that no machine number can hold: as text they do no harm, and ids stay what they are.
std::string with_large_numbers_quoted(std::string_view line) {
  constexpr std::size_t certain_digits = 15;  // a double holds all numbers with so many
  std::string result;
  bool in_string = false;
  for (std::size_t p = 0; p < line.size();) {
    const std::size_t length = in_string ? 0 : number_length(line.substr(p));
    if (length > 0) {
      const std::string_view number = line.substr(p, length);
      const bool large = length > certain_digits || number.find_first_of("eE") != nowhere;
      result += large ? '"' + std::string(number) + '"' : std::string(number);
      p += length;
      continue;
    }
    if (in_string && line[p] == '\\' && p + 1 < line.size()) {
      result += line[p++];  // what it escapes is no end of the string
    } else if (line[p] == '"') {
      in_string = !in_string;
    }
    result += line[p++];
  }
  return result;
}

class JsonLines final : public CheckedReader {
 public:
  JsonLines(std::unique_ptr<LineReader> lines, const DocumentOptions& options)
      : CheckedReader(options), lines_(std::move(lines)), names_(options) {}

 private:
  Outcome read_one(Document& document) override {
    std::string_view line;
    do {
      if (!lines_->next(line)) return Outcome::end;
    } while (line.find_first_not_of(" \t\r") == nowhere);
    if (lines_->is_too_long()) return reject_long(lines_->name(), lines_->number());

    simdjson::padded_string repaired;
    const bool has_surrogates = line.find("\\ud") != nowhere || line.find("\\uD") != nowhere;
    if (has_surrogates || !is_utf8(line) || line.find('\0') != nowhere) {
      std::string text(line);
      if (repair_text(text)) mark_repaired();
      if (repair_surrogates(text)) mark_repaired();
      repaired = simdjson::padded_string(text);
      line = repaired;
    }
    dom::object object;
    auto error = parser_.parse(line.data(), line.size(), false).get(object);
    if (error == simdjson::NUMBER_ERROR) {
      error = parser_.parse(simdjson::padded_string(with_large_numbers_quoted(line))).get(object);
    }
    if (error) {
      return bad(error == simdjson::INCORRECT_TYPE
                     ? "a JSON object was expected, and this is " + excerpt(line) + "."
                     : "this is not JSON (" + reason(error) + "): " + excerpt(line) + ".");
    }
    return take(object, document);
  }

  Outcome take(dom::object object, Document& document) {
    for (const auto& field : names_.fields) {
      std::string& part = document.*field.part;
      const bool is_text = field.part == &Document::text;
      dom::element value;
      const std::string* name = nullptr;
      for (const std::string& candidate : field.names) {
        if (object[candidate].get(value) == simdjson::SUCCESS) {
          name = &candidate;
          break;
        }
      }
      if (name == nullptr) {
        if (field.required)
          return bad("the object has no field " + excerpt(field.names[0]) + "; it has " + keys(object) + ".");
        continue;
      }
      if (value.is_string()) {
        const std::string_view text = value.get_string().value_unsafe();
        part.assign(text);
      } else if (is_text || value.is_array() || value.is_object()) {
        if (is_text || field.required)
          return bad("the field " + excerpt(*name) + " is " + kind_of(value) + ", and a string was expected.");
      } else if (!value.is_null()) {
        part = simdjson::minify(value);
      }
    }
    return Outcome::read;
  }

  static std::string keys(dom::object object) {
    std::string list;
    int count = 0;
    for (const auto& field : object) {
      if (++count > 10) return list + " ...";
      list += (list.empty() ? "" : ", ") + excerpt(field.key);
    }
    return list.empty() ? "none" : list;
  }

  static std::string reason(simdjson::error_code error) {
    std::string text = simdjson::error_message(error);
    return text.substr(0, text.find_first_of(".:"));
  }

  Outcome bad(const std::string& sentence) { return reject(lines_->name(), lines_->number(), sentence); }

  std::unique_ptr<LineReader> lines_;
  FieldNames names_;
  dom::parser parser_;
};

}  // namespace

std::unique_ptr<DocumentReader> read_json_lines(std::unique_ptr<LineReader> lines, const DocumentOptions& options) {
  return std::make_unique<JsonLines>(std::move(lines), options);
}

}  // namespace copse
