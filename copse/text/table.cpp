#include <algorithm>
#include <deque>

#include "copse/io/input.h"
#include "copse/io/quoted.h"
#include "copse/text/document_readers.h"

namespace copse {
namespace {

struct Line {
  std::string text;
  Index number = 0;
  bool too_long = false;
};

class Table final : public CheckedReader {
 public:
  Table(std::unique_ptr<LineReader> lines, const DocumentOptions& options)
      : CheckedReader(options), lines_(std::move(lines)) {
    read_header();
  }

 private:
  struct Column {
    std::string Document::*part;
    std::size_t place;
  };

  bool next_line(Line& line) {
    if (!waiting_.empty()) {
      line = std::move(waiting_.front());
      waiting_.pop_front();
      return true;
    }
    std::string_view text;
    if (!lines_->next(text)) return false;
    line.text.assign(text);
    line.number = lines_->number();
    line.too_long = lines_->is_too_long();
    return true;
  }

  void read_header() {
    Line line;
    if (!next_line(line))
      fail(lines_->name(), "the file is empty, and a line with the names of the columns was expected.");
    separator_ = separator_of(line.text);
    if (line.too_long || !split(line)) fail(lines_->name(), 1, "the names of the columns cannot be read: " + problem_);
    for (std::string& name : cells_) {
      name.erase(0, name.find_first_not_of(' '));
      name.erase(name.find_last_not_of(' ') + 1);
    }
    columns_count_ = cells_.size();
    for (const auto& field : FieldNames(options()).fields) {
      const auto found = std::find_first_of(cells_.begin(), cells_.end(), field.names.begin(), field.names.end());
      if (found != cells_.end()) {
        columns_.push_back({field.part, static_cast<std::size_t>(found - cells_.begin())});
      } else if (field.required) {
        std::string list;
        for (const std::string& name : cells_) list += (list.empty() ? "" : ", ") + excerpt(name);
        fail(lines_->name(), 1, "there is no column " + excerpt(field.names[0]) + "; the columns are " + list + ".");
      }
    }
  }

  static char separator_of(std::string_view header) {
    const auto count = [&](char c) { return std::count(header.begin(), header.end(), c); };
    if (count('\t') > 0) return '\t';
    return count(';') > count(',') ? ';' : ',';
  }

  Outcome read_one(Document& document) override {
    Line line;
    do {
      if (!next_line(line)) return Outcome::end;
    } while (line.text.find_first_not_of(' ') == std::string::npos);
    const Index number = line.number;
    if (line.too_long) return reject_long(lines_->name(), number);
    if (!split(line)) {
      // Only the first line is lost: the quote that did not close may have swallowed good ones.
      waiting_.insert(waiting_.begin(), std::make_move_iterator(swallowed_.begin()),
                      std::make_move_iterator(swallowed_.end()));
      return reject(lines_->name(), number, problem_);
    }
    if (cells_.size() != columns_count_)
      return reject(lines_->name(), number,
                    "the row has " + std::to_string(cells_.size()) + (cells_.size() == 1 ? " cell" : " cells") +
                        ", and " + std::to_string(columns_count_) + " were expected.");
    for (const Column& column : columns_) (document.*column.part).swap(cells_[column.place]);
    return Outcome::read;
  }

  // Cuts a record into cells_, reading further lines while a quote is open. False, with problem_ and the further
  // lines in swallowed_, if it is broken.
  bool split(Line& line) {
    swallowed_.clear();
    cells_.clear();
    std::size_t bytes = line.text.size();
    std::string_view rest = line.text;
    for (;;) {
      std::string& cell = cells_.emplace_back();
      if (!rest.starts_with('"')) {
        const std::size_t end = std::min(rest.find(separator_), rest.size());
        cell = rest.substr(0, end);
        rest.remove_prefix(end);
      } else {
        rest.remove_prefix(1);
        while (!take_quoted(rest, cell)) {
          Line more;
          if (!next_line(more)) return broken("a quote that opens in this row is never closed.");
          swallowed_.push_back(std::move(more));
          const Line& last = swallowed_.back();
          bytes += last.text.size();
          if (last.too_long || bytes > options().max_document_bytes)
            return broken("a quote that opens in this row does not close within " +
                          std::to_string(options().max_document_bytes) + " bytes, the limit for one document.");
          cell += '\n';
          rest = last.text;
        }
      }
      if (rest.empty()) return true;
      if (rest.front() != separator_)
        return broken("after a closing quote comes " + excerpt(rest.substr(0, 10)) +
                      ", and the end of the cell was expected.");
      rest.remove_prefix(1);
    }
  }

  bool broken(std::string sentence) {
    problem_ = std::move(sentence);
    return false;
  }

  std::unique_ptr<LineReader> lines_;
  std::deque<Line> waiting_;    // read, and to be read again
  std::deque<Line> swallowed_;  // a deque: views into its lines stay
  char separator_ = ',';
  std::size_t columns_count_ = 0;
  std::vector<Column> columns_;
  std::vector<std::string> cells_;
  std::string problem_;
};

}  // namespace

std::unique_ptr<DocumentReader> read_table(std::unique_ptr<LineReader> lines, const DocumentOptions& options) {
  return std::make_unique<Table>(std::move(lines), options);
}

}  // namespace copse
