#include "copse/model/stored_result.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "copse/base/error.h"
#include "copse/io/log_files.h"
#include "copse/io/result_folder.h"
#include "copse/methods/choices.h"
#include "copse/methods/options.h"
#include "copse/model/result_file.h"
#include "copse/model/result_json.h"

namespace copse {
namespace {

using Json = nlohmann::ordered_json;

// Of a result from before `kind` was a word in it.
std::string kind_by_settings(const Settings& settings) {
  const auto has = [&](const char* name) { return find_setting(settings, name) != nullptr; };
  if (has("picture")) return "segments";
  if (has("leaves")) return has("similarity") ? "community-tree" : "tree";
  return has("similarity") ? "communities" : "flat";
}

struct OpenResult {
  Input json, model;
};

// Which result is there: a new one has a new result.json.
std::array<std::int64_t, 4> identity(const std::string& folder) {
  struct stat status {};
  if (::stat(place_in_result(folder, "result.json").c_str(), &status) != 0) return {};
  return {static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino), status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

// Both files of the same result, although another may take its place at any moment.
OpenResult open_result(const std::string& folder) {
  finish_commit(folder);
  constexpr int most_tries = 200;
  for (int tried = 1;; ++tried) {
    const auto before = identity(folder);
    try {
      const bool picture = std::filesystem::exists(place_in_result(folder, "segmentations.npy"));
      OpenResult files{open_in_result(folder, "result.json"),
                       open_in_result(folder, picture ? "segmentations.npy" : "model.safetensors")};
      if (identity(folder) == before) return files;
    } catch (const InputError&) {  // what was there a moment ago may be gone
      if (identity(folder) == before) throw;
    }
    if (tried == most_tries) throw InputError(folder + " is being written again and again; it cannot be read.");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

Input open_in_result(const std::string& folder, const char* name) {
  struct stat status {};
  if (::stat(place_in_result(folder, comparison_table_file).c_str(), &status) == 0)
    throw InputError(folder +
                     " holds a comparison of methods, not one result: `copse show` has its table, and "
                     "`copse cluster --method NAME` makes the result of one method.");
  for (;;) {
    const std::filesystem::path place = place_in_result(folder, name);
    // A commit that goes on beside us moves files: what is no longer there may be in its new place.
    const auto moved = [&] { return place_in_result(folder, name) != place; };
    if (::stat(place.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
      if (moved()) continue;
      throw InputError(fmt::format("{}/{} cannot be read: is {} the folder of a result?", folder, name, folder));
    }
    try {
      return Input::open(place);
    } catch (const InputError&) {
      if (!moved()) throw;
    }
  }
}

Precision precision_in(const Settings& settings) {
  const std::string word = text_setting(settings, "precision");
  if (word.empty()) refuse_setting("precision");
  return choice_of<Precision>("precision", word);
}

TreeOptions tree_options_in(const Settings& settings, std::uint64_t seed) {
  TreeOptions options;
  take_settings(settings, options);
  options.seed = seed;
  return options;
}

StoredResult::StoredResult(const std::string& place) : folder(place), model({}, "") {
  const OpenResult files = open_result(folder);
  model = files.model;
  const std::string path = folder + "/result.json";
  const Json root = Json::parse(files.json.bytes().begin(), files.json.bytes().end(), nullptr, false);
  if (root.is_discarded() || !root.is_object() || !root.contains("settings") || !root["settings"].is_object())
    throw InputError(fmt::format("{} is not the result of a run of copse.", path));
  report = report_in(root);
  if (report.kind.empty()) report.kind = kind_by_settings(report.settings);
  try {
    precision();
  } catch (const InvalidArgument& error) {
    throw InputError(fmt::format("{}: {}.", path, error.what()));
  }
}

}  // namespace copse
