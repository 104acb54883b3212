// The folder of a result. Its files appear together at the end; result.json comes last, so a folder that has it is
// complete.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "copse/io/output_file.h"

namespace copse {

// All names that a result may hold.
inline constexpr std::array<std::string_view, 16> result_files = {
    "assignments.tsv", "topics.tsv",        "tree.json",         "partitions.tsv",
    "tree.newick",     "model.safetensors", "report.html",       "demo-documents.jsonl",
    "labels.png",      "labels.npy",        "segmentations.npy", "picture.png",
    "overlay.png",     "segments.png",      "boundaries.png",    "result.json"};

class OutputFolder {
 public:
  // Finds out before the work starts whether the folder can be written. Creates it where it is missing. One that
  // exists must be empty, or with `replace` hold nothing but an earlier result. Throws OutputError.
  OutputFolder(const std::filesystem::path& path, bool replace);
  // Without commit() nothing stays behind, and an earlier result stays as it was.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // A new file of the result, to be written before commit(). `name` is one of result_files.
  OutputFile& add(std::string_view name);
  // A file of the earlier result that belongs to the new one, too.
  void keep(std::string_view name);

  // Gives all files their names, after every byte of all of them is on the disk.
  void commit();

  const std::filesystem::path& path() const { return path_; }

 private:
  void take_existing(bool replace) const;
  void lock();

  std::filesystem::path path_;
  bool created_ = false;
  bool committed_ = false;
  int lock_ = -1;
  std::vector<std::unique_ptr<OutputFile>> files_;
  std::vector<std::string> kept_;
};

}  // namespace copse
