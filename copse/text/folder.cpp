#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "copse/base/error.h"
#include "copse/io/compression.h"
#include "copse/io/input.h"
#include "copse/text/document_readers.h"
#include "copse/text/html.h"
#include "copse/text/repair.h"

namespace copse {
namespace {

namespace fs = std::filesystem;

enum class Kind { text, html, unknown };

// An extension has at most seven letters and digits, and a letter among them. So the files of mail programs, such as
// mail.1, 53068 and 1204680122.27c448.host,S=71:2,S, have none.
bool is_extension(std::string_view text) {
  if (text.size() < 2 || text.size() > 8) return false;
  text.remove_prefix(1);
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  return std::all_of(text.begin(), text.end(), [&](char c) { return ('a' <= c && c <= 'z') || is_digit(c); }) &&
         !std::all_of(text.begin(), text.end(), is_digit);
}

Kind kind_of(const fs::path& path) {
  const std::string name(name_without_compression(path.filename().string()));
  std::string extension = fs::path(name).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  constexpr std::array<std::string_view, 3> html = {".html", ".htm", ".xhtml"};
  constexpr std::array<std::string_view, 6> text = {".txt", ".text", ".md", ".rst", ".eml", ".tex"};
  const auto is_among = [&](const auto& list) { return std::find(list.begin(), list.end(), extension) != list.end(); };
  if (is_among(html)) return Kind::html;
  return !is_extension(extension) || is_among(text) ? Kind::text : Kind::unknown;
}

// Control characters are rare in text, and NUL does not occur in its beginning.
bool looks_like_text(std::string_view text) {
  const std::string_view beginning = text.substr(0, 4096);
  const auto controls = std::count_if(beginning.begin(), beginning.end(), [](char c) {
    return static_cast<unsigned char>(c) < 32 && std::string_view("\t\n\v\f\r\x1b").find(c) == std::string_view::npos;
  });
  return beginning.find('\0') == std::string_view::npos && 20 * controls <= static_cast<Index>(beginning.size());
}

// Files that the system makes up while they are read: they may block or never end.
bool is_made_by_the_system(const fs::path& folder) {
  struct statfs system {};
  return ::statfs(folder.c_str(), &system) == 0 && (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC);
}

class Folder final : public CheckedReader {
 public:
  Folder(fs::path root, const DocumentOptions& options) : CheckedReader(options), root_(std::move(root)) {
    if (is_made_by_the_system(root_))
      fail(root_.string(), "the files of this folder are no documents; the system makes them up.");
    std::error_code error;
    fs::recursive_directory_iterator entry(root_, error), end;
    for (; !error && entry != end; entry.increment(error)) add(entry);
    if (error) fail(root_.string(), "the folder cannot be read: " + error.message() + ".");
    std::sort(paths_.begin(), paths_.end());
    if (!closed_.empty()) {
      open_report().closed_folders = static_cast<Index>(closed_.size());
      note(std::min_element(closed_.begin(), closed_.end())->string() + ": the folder may not be read.");
    }
  }

 private:
  // What cannot be looked at counts as what it is not: it is left out.
  void add(fs::recursive_directory_iterator& entry) {
    std::error_code unknown;
    const fs::path& path = entry->path();
    const bool hidden = path.filename().string().starts_with('.');
    if (entry->is_directory(unknown) && !entry->is_symlink(unknown)) {
      const bool closed = !hidden && ::faccessat(AT_FDCWD, path.c_str(), R_OK | X_OK, AT_EACCESS) != 0;
      if (closed) closed_.push_back(path);
      if (hidden || closed || is_made_by_the_system(path)) entry.disable_recursion_pending();
    }
    if (hidden || !entry->is_regular_file(unknown)) return;
    if (kind_of(path) == Kind::unknown) {
      ++open_report().passed_over;
    } else {
      paths_.push_back(path);
    }
  }

  Outcome read_one(Document& document) override {
    while (next_ < paths_.size()) {
      const fs::path& path = paths_[next_++];
      bool fits = false;
      try {
        fits = read_file(path);
      } catch (const InputError& error) {
        return reject(error.what());
      }
      if (!fits) return reject_long(path.string(), 0);
      if (!looks_like_text(content_)) {
        ++open_report().passed_over;
        note(path.string() + ": the file is not text and was passed over.");
        continue;
      }
      document.text = content_;
      if (kind_of(path) == Kind::html) {
        if (repair_text(document.text)) mark_repaired();
        HtmlText page = text_of_html(document.text);
        document.text.swap(page.text);
        document.title.swap(page.title);
      }
      const fs::path place = path.lexically_relative(root_);
      document.id = place.generic_string();
      if (options().label_field == "folder" && place.has_parent_path()) document.label = place.begin()->string();
      return Outcome::read;
    }
    return Outcome::end;
  }

  // Fills content_; false if it is longer than a document may be.
  bool read_file(const fs::path& path) {
    TextStream stream(open_source(path), options().max_expansion);
    content_.clear();
    for (std::size_t step = 1 << 16;; step *= 2) {
      const std::size_t before = content_.size();
      content_.resize(before + step);
      const std::size_t count = stream.read({content_.data() + before, step});
      content_.resize(before + count);
      if (content_.size() > options().max_document_bytes) return false;
      if (count < step) return true;
    }
  }

  fs::path root_;
  std::vector<fs::path> paths_;
  std::vector<fs::path> closed_;
  std::size_t next_ = 0;
  std::string content_;  // of one file; a document gets a copy of the size that it needs
};

}  // namespace

std::unique_ptr<DocumentReader> read_folder(const std::filesystem::path& path, const DocumentOptions& options) {
  return std::make_unique<Folder>(path, options);
}

}  // namespace copse
