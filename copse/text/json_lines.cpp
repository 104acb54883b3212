#include <simdjson.h>

#include "copse/io/input.h"
#include "copse/text/document_readers.h"
#include "copse/text/repair.h"

namespace copse {
namespace {

namespace dom = simdjson::dom;

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

class JsonLines final : public CheckedReader {
 public:
  JsonLines(std::unique_ptr<LineReader> lines, const DocumentOptions& options)
      : CheckedReader(options), lines_(std::move(lines)), names_(options) {}

 private:
  Outcome read_one(Document& document) override {
    std::string_view line;
    do {
      if (!lines_->next(line)) return Outcome::end;
    } while (line.find_first_not_of(" \t\r") == std::string_view::npos);
    if (lines_->is_too_long()) return reject_long(lines_->name(), lines_->number());

    simdjson::padded_string repaired;
    if (!is_utf8(line) || line.find('\0') != std::string_view::npos) {
      std::string text(line);
      if (repair_text(text)) mark_repaired();
      repaired = simdjson::padded_string(text);
      line = repaired;
    }
    dom::object object;
    if (const auto error = parser_.parse(line.data(), line.size(), false).get(object)) {
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
