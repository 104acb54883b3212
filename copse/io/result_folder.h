// How a new result takes the place of an old one in one step: whoever looks, and whenever a run is killed, the folder
// holds the old result or the new one, whole. docs/design/012-commit.md has the steps and why they suffice.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace copse {

// All names that a result may hold.
inline constexpr std::array<std::string_view, 21> result_files = {
    "assignments.tsv", "topics.tsv",     "communities.tsv",   "tree.json",      "partitions.tsv",
    "tree.newick",     "survey.tsv",     "model.safetensors", "report.html",    "demo-documents.jsonl",
    "labels.png",      "labels.npy",     "segmentations.npy", "picture.png",    "overlay.png",
    "segments.png",    "boundaries.png", "survey.runs",       "comparison.tsv", "comparison.runs",
    "result.json"};
bool is_result_file(std::string_view name);

// The finished factorizations of a tree that is still growing (model/split_log.h). It goes with the next result that
// does not keep it.
inline constexpr std::string_view split_log_file = ".partial-splits";

// In the folder: the files of a result that is being written.
inline constexpr std::string_view partial_folder = ".partial-result";
// The same when all of it is on the disk. It is the result then, and what lies beside it is the old one, until
// finish_commit() has moved its files.
inline constexpr std::string_view complete_folder = ".complete-result";

// Makes the files in folder/partial_folder, and those of the old result in `kept`, the result of `folder`. Files that
// are not part of a result stay. The caller holds the lock of the folder, and the files are on the disk. Throws
// OutputError, and then the old result is there.
void commit_result(const std::filesystem::path& folder, const std::vector<std::string>& kept);

// Finishes what a killed commit left half done, if the folder can be written and nobody else is at it. Never throws.
void finish_commit(const std::filesystem::path& folder);
// Removes what killed runs left in a folder and beside it. The caller holds the lock of the folder.
void remove_leftovers(const std::filesystem::path& folder);

// Where the file of the result lies now: a commit that was killed and cannot be finished, since the disk is read-only
// for example, has it in complete_folder.
std::filesystem::path place_in_result(const std::filesystem::path& folder, std::string_view name);

// Throws OutputError if `output` would take the place of a file of the result in the folder, or lie in its midst under
// such a name.
void refuse_parts_of_result(const std::filesystem::path& output, const std::filesystem::path& folder);

}  // namespace copse
