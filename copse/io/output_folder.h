// The folder of a result while a run writes it. Its files appear together at the end, in one step.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/io/folder_lock.h"
#include "copse/io/output_file.h"
#include "copse/io/result_folder.h"

namespace copse {

class OutputFolder {
 public:
  // Finds out before the work starts whether the folder can be written. Creates it where it is missing, and locks it.
  // One that exists must be empty, or with `replace` hold an earlier result; files of others in it stay. A link to a
  // folder stays a link. Throws OutputError.
  OutputFolder(const std::filesystem::path& path, bool replace);
  // Without commit() nothing stays behind, and an earlier result stays as it was.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // A new file of the result, to be written before commit(). `name` is one of result_files.
  OutputFile& add(std::string_view name);
  // A file of the earlier result that belongs to the new one, too; or split_log_file.
  void keep(std::string_view name);

  // Makes the files the result of the folder, after every byte of all of them is on the disk. Links are replaced, never
  // followed.
  void commit();

  const std::filesystem::path& path() const { return path_; }
  // What the user should know: links in the folder that commit() replaces.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void open(bool replace);
  void check_existing(bool replace);

  std::filesystem::path path_;   // as it was named
  std::filesystem::path place_;  // without links
  bool created_ = false;
  bool committed_ = false;
  std::optional<FolderLock> lock_;
  std::vector<std::unique_ptr<OutputFile>> files_;
  std::vector<std::string> kept_;
  std::vector<std::string> notes_;
};

}  // namespace copse
