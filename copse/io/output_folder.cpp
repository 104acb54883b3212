#include "copse/io/output_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "copse/base/error.h"

namespace copse {
namespace {

namespace fs = std::filesystem;

bool is_result_file(std::string_view name) { return std::ranges::find(result_files, name) != result_files.end(); }

// What a killed run left: ".model.safetensors.partial-1234".
bool is_leftover(const std::string& name) {
  const std::size_t mark = name.find(partial_mark);
  return mark != std::string::npos && mark > 1 && name[0] == '.' && is_result_file(name.substr(1, mark - 1));
}

[[noreturn]] void fail(const fs::path& path, const std::string& reason) {
  throw OutputError("cannot write into the folder " + path.string() + ": " + reason + ".");
}

}  // namespace

OutputFolder::OutputFolder(const fs::path& path, bool replace) : path_(path) {
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_directory(path_, error)) fail(path_, "it is a file");
  created_ = fs::create_directories(path_, error);
  if (error) fail(path_, error.message());
  try {
    lock();
    take_existing(replace);
    OutputFile probe(path_ / "result.json");
    probe.write("{}");
    probe.finish();
  } catch (...) {
    if (lock_ >= 0) ::close(lock_);
    if (created_) fs::remove(path_, error);
    throw;
  }
}

OutputFolder::~OutputFolder() {
  files_.clear();
  std::error_code ignored;
  if (created_ && !committed_) fs::remove(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

// Two runs in one folder would mix their files. The system lets go of the lock whichever way a run ends.
void OutputFolder::lock() {
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) fail(path_, std::strerror(errno));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) fail(path_, "another run is writing there");
}

void OutputFolder::take_existing(bool replace) const {
  std::vector<fs::path> leftovers;
  bool result = false;
  std::string foreign;
  for (const auto& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    if (is_leftover(name)) {
      leftovers.push_back(entry.path());
    } else if (is_result_file(name)) {
      result = true;
    } else if (foreign.empty() || name < foreign) {
      foreign = name;
    }
  }
  if (!foreign.empty()) fail(path_, "it holds " + foreign + ", which is not part of a result; name a new folder");
  if (result && !replace) fail(path_, "it holds an earlier result; name a new folder, or replace it with --force");
  std::error_code ignored;
  for (const fs::path& leftover : leftovers) fs::remove(leftover, ignored);
}

OutputFile& OutputFolder::add(std::string_view name) {
  assert(is_result_file(name));
  files_.push_back(std::make_unique<OutputFile>(path_ / name));
  return *files_.back();
}

void OutputFolder::keep(std::string_view name) {
  assert(is_result_file(name));
  kept_.emplace_back(name);
}

void OutputFolder::commit() {
  for (auto& file : files_) file->finish();
  // From here on an earlier result is no longer whole, so its seal goes first and its other files follow.
  std::error_code error;
  fs::remove(path_ / "result.json", error);
  for (const std::string_view name : result_files) {
    const bool written =
        std::any_of(files_.begin(), files_.end(), [&](const auto& file) { return file->path().filename() == name; });
    const bool kept = std::ranges::find(kept_, name) != kept_.end();
    if (!written && !kept) fs::remove(path_ / name, error);
  }
  std::stable_partition(files_.begin(), files_.end(),
                        [](const auto& file) { return file->path().filename() != "result.json"; });
  for (auto& file : files_) file->commit();
  files_.clear();
  committed_ = true;
}

}  // namespace copse
