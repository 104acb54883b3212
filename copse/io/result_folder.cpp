#include "copse/io/result_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>

#include "copse/base/error.h"
#include "copse/io/folder_lock.h"
#include "copse/io/log_files.h"
#include "copse/io/output_file.h"

namespace copse {
namespace {

namespace fs = std::filesystem;

// In partial_folder and complete_folder: the names of all files of the new result, a line each.
constexpr std::string_view list_file = "files";

constexpr std::array log_files = {split_log_file, run_log_file};

// The folder that is exchanged with the result's. It is there during a commit only.
fs::path beside(const fs::path& folder) {
  return folder.parent_path() / ("." + folder.filename().string() + std::string(partial_folder));
}

bool is_there(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

bool is_folder(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool same_file(const fs::path& a, const fs::path& b) {
  struct stat first {
  }, second{};
  return ::lstat(a.c_str(), &first) == 0 && ::lstat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    names.push_back(entry->path().filename().string());
  return names;
}

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_working_folder(std::string_view name) { return name == partial_folder || name == complete_folder; }

// Belongs to a result, or to a run that writes one.
bool is_ours(std::string_view name) { return is_result_file(name) || is_log_file(name) || is_working_folder(name); }

// Only what copse writes there; whatever else somebody put into it stays, and the folder with it.
void remove_working_folder(const fs::path& folder) {
  if (!is_folder(folder)) return;
  for (const std::string_view name : result_files) ::unlink((folder / name).c_str());
  ::unlink((folder / list_file).c_str());
  ::rmdir(folder.c_str());
}

// The names in the list, or none if there is no whole list. A folder from elsewhere may hold any.
std::optional<std::vector<std::string>> listed(const fs::path& working) {
  std::ifstream file(working / list_file, std::ios::binary);
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (!is_result_file(line) && !is_log_file(line)) return {};
    names.push_back(line);
  }
  if (!contains(names, "result.json")) return {};
  return names;
}

// Moves the files of the new result from the working folder to their places and removes those of the old one. May be
// done again after it was broken off.
bool settle(const fs::path& folder, const fs::path& working, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (::rename((working / name).c_str(), (folder / name).c_str()) != 0 && errno != ENOENT) return false;
  }
  for (const std::string_view name : result_files) {
    if (!contains(names, name)) ::unlink((folder / name).c_str());
  }
  for (const std::string_view name : log_files) {
    if (!contains(names, name)) ::unlink((folder / name).c_str());
  }
  sync_folder(folder);
  remove_working_folder(working);
  sync_folder(folder);
  return true;
}

// Takes away a folder beside `folder`: a copy of its result, or the result before. Files of others that are not in
// `folder` move there.
void remove_beside(const fs::path& folder, const fs::path& other) {
  if (!is_folder(other)) return;
  for (const std::string& name : names_in(other)) {
    const fs::path from = other / name, to = folder / name;
    if (is_working_folder(name)) {
      remove_working_folder(from);
    } else if (is_ours(name) || same_file(from, to)) {
      ::unlink(from.c_str());
    } else if (!is_there(to)) {
      ::rename(from.c_str(), to.c_str());
    }
  }
  ::rmdir(other.c_str());
}

// The new result once more, in a folder of its own that shares the files: those in `working` and, of the folder, those
// in `kept` and all that are not ours. False where that cannot be: another file system, one without hard links, a
// folder among the files.
bool copy_by_links(const fs::path& folder, const fs::path& working, const std::vector<std::string>& kept,
                   const fs::path& copy) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || ::mkdir(copy.c_str(), 0700) != 0) return false;
  const auto link = [&](const fs::path& from, const std::string& name) {
    return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, (copy / name).c_str(), 0) == 0;
  };
  for (const std::string& name : names_in(working)) {
    if (name != list_file && !link(working / name, name)) return false;
  }
  for (const std::string& name : names_in(folder)) {
    if (contains(kept, name) || !is_ours(name)) {
      if (is_folder(folder / name) || !link(folder / name, name)) return false;
    }
  }
  const bool owned = ::chown(copy.c_str(), status.st_uid, status.st_gid) == 0 || status.st_uid == ::geteuid();
  if (!owned || ::chmod(copy.c_str(), status.st_mode & 07777) != 0) return false;
  sync_folder(copy);
  return true;
}

bool exchange([[maybe_unused]] const fs::path& a, [[maybe_unused]] const fs::path& b) {
#ifndef RENAME_EXCHANGE
  return false;
#else
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) != 0) return false;
  sync_folder(a.parent_path());
  return true;
#endif
}

// The copy takes the place of the folder in one step. Then the folder itself, out of sight, becomes the new result and
// comes back, so that it stays the folder it was for those who are in it or hold it open.
bool commit_by_exchange(const fs::path& folder, const std::vector<std::string>& kept,
                        const std::vector<std::string>& names) {
  const fs::path copy = beside(folder);
  if (!copy_by_links(folder, folder / partial_folder, kept, copy)) {
    remove_beside(folder, copy);
    return false;
  }
  std::optional<FolderLock> lock;  // whoever finds the copy in the place of the folder finds it locked
  try {
    lock.emplace(copy);
  } catch (const OutputError&) {
  }
  if (!lock || !exchange(folder, copy)) {
    remove_beside(folder, copy);
    return false;
  }
  // From here on the new result is there, whatever fails.
  if (settle(copy, copy / partial_folder, names)) exchange(folder, copy);
  remove_beside(folder, copy);
  return true;
}

void commit_by_journal(const fs::path& folder, const std::vector<std::string>& names) {
  const fs::path working = folder / partial_folder, complete = folder / complete_folder;
  sync_folder(working);
  if (::rename(working.c_str(), complete.c_str()) != 0) refuse_folder(folder, std::strerror(errno));
  sync_folder(folder);
  settle(folder, complete, names);
}

}  // namespace

bool is_result_file(std::string_view name) { return contains(result_files, name); }

bool is_log_file(std::string_view name) { return contains(log_files, name); }

void commit_result(const fs::path& folder, const std::vector<std::string>& kept) {
  const fs::path working = folder / partial_folder;
  std::vector<std::string> names = names_in(working);
  std::vector<std::string> old;
  for (const std::string& name : kept) {
    if (!contains(names, name) && is_there(folder / name)) old.push_back(name);
  }
  names.insert(names.end(), old.begin(), old.end());
  OutputFile list(folder / list_file, working / list_file);
  for (const std::string& name : names) list.write(name + "\n");
  list.finish();
  if (!commit_by_exchange(folder, old, names)) commit_by_journal(folder, names);
}

void finish_commit(const fs::path& folder) {
  const fs::path complete = folder / complete_folder;
  if (!is_folder(complete)) return;
  try {
    const FolderLock lock(folder);
    if (const auto names = listed(complete)) settle(folder, complete, *names);
  } catch (const OutputError&) {  // somebody is at it, or it may only be read
  }
}

void remove_leftovers(const fs::path& folder) {
  const fs::path complete = folder / complete_folder;
  const auto names = is_folder(complete) ? listed(complete) : std::nullopt;
  if (names) settle(folder, complete, *names);
  remove_working_folder(complete);
  remove_working_folder(folder / partial_folder);
  remove_beside(folder, beside(folder));
}

void refuse_parts_of_result(const fs::path& output, const fs::path& folder) {
  std::error_code missing;
  const fs::path parent = output.has_parent_path() ? output.parent_path() : ".";
  bool part = is_ours(output.filename().string()) && fs::equivalent(parent, folder, missing);
  for (const std::string_view name : result_files) part |= fs::equivalent(output, folder / name, missing);
  if (part)
    throw OutputError("cannot write " + output.string() + ": it is a file of the result in " + folder.string() +
                      "; name another file.");
}

fs::path place_in_result(const fs::path& folder, std::string_view name) {
  const fs::path complete = folder / complete_folder;
  if (!is_folder(complete) || !is_there(complete / name) || !listed(complete)) return folder / name;
  return complete / name;
}

}  // namespace copse
