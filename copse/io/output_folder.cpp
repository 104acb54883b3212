#include "copse/io/output_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "copse/io/log_files.h"

namespace copse {
namespace {

namespace fs = std::filesystem;

// What a killed run left: ".report.html.partial-1234".
bool is_leftover(const std::string& name) {
  const std::size_t mark = name.find(partial_mark);
  return mark != std::string::npos && mark > 1 && name[0] == '.' && is_result_file(name.substr(1, mark - 1));
}

}  // namespace

OutputFolder::OutputFolder(const fs::path& path, bool replace) : path_(path) {
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_directory(path_, error)) refuse_folder(path_, "it is a file");
  if (!fs::exists(path_, error) && fs::is_symlink(path_, error))
    refuse_folder(path_, "it is a link that leads nowhere");
  created_ = fs::create_directories(path_, error);
  if (error) refuse_folder(path_, error.message());
  place_ = fs::canonical(path_, error);
  if (error) refuse_folder(path_, error.message());
  try {
    open(replace);
  } catch (...) {
    lock_.reset();
    if (created_) fs::remove(place_, error);
    throw;
  }
}

void OutputFolder::open(bool replace) {
  lock_.emplace(path_);
  remove_leftovers(place_);
  check_existing(replace);
  const fs::path partial = place_ / partial_folder;
  if (::mkdir(partial.c_str(), 0777) != 0) refuse_folder(path_, std::strerror(errno));
  try {
    OutputFile probe(path_ / "result.json", partial / "result.json");
    probe.write("{}");
    probe.finish();
  } catch (...) {
    ::rmdir(partial.c_str());
    throw;
  }
}

OutputFolder::~OutputFolder() {
  if (committed_) return;
  files_.clear();
  ::rmdir((place_ / partial_folder).c_str());
  if (created_) ::rmdir(place_.c_str());
}

void OutputFolder::check_existing(bool replace) {
  std::vector<fs::path> leftovers;
  std::vector<std::string> parts;
  std::string foreign;
  bool has_runs = false;
  for (const auto& entry : fs::directory_iterator(place_)) {
    const std::string name = entry.path().filename().string();
    if (is_leftover(name)) {
      leftovers.push_back(entry.path());
    } else if (is_result_file(name)) {
      if (fs::is_directory(entry.symlink_status())) refuse_folder(path_, name + " in it is a folder");
      parts.push_back(name);
    } else if (!is_log_file(name) && (foreign.empty() || name < foreign)) {
      foreign = name;
    }
    has_runs |= name == run_log_file;
  }
  // Another program may have a result.json, too.
  const bool whole = parts.size() > 1 && std::ranges::find(parts, "result.json") != parts.end();
  if (!foreign.empty() && !whole)
    refuse_folder(path_, "it holds " + foreign + ", which is not part of a result; name a new folder");
  if (!parts.empty() && !replace)
    refuse_folder(path_, "it holds an earlier result; name a new folder, or replace it with `force`");
  if (has_runs && !replace)
    refuse_folder(path_, "it holds the runs of an unfinished survey; go on with `resume`, or begin anew with `force`");
  for (const std::string& name : parts) {
    std::error_code error;
    const fs::path target = fs::read_symlink(place_ / name, error);
    if (!error)
      notes_.push_back((path_ / name).string() + " was a link; this result takes its place, and " + target.string() +
                       ", where it led, is as it was.");
  }
  std::error_code ignored;
  for (const fs::path& leftover : leftovers) fs::remove(leftover, ignored);
}

OutputFile& OutputFolder::add(std::string_view name) {
  assert(is_result_file(name));
  files_.push_back(std::make_unique<OutputFile>(path_ / name, place_ / partial_folder / name));
  return *files_.back();
}

void OutputFolder::keep(std::string_view name) {
  assert(is_result_file(name) || is_log_file(name));
  kept_.emplace_back(name);
}

void OutputFolder::commit() {
  for (auto& file : files_) file->finish();
  commit_result(place_, kept_);
  for (auto& file : files_) file->release();
  committed_ = true;
}

}  // namespace copse
