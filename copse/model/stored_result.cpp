#include "copse/model/stored_result.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "copse/base/error.h"
#include "copse/io/json_value.h"
#include "copse/io/log_files.h"
#include "copse/io/result_folder.h"
#include "copse/methods/choices.h"
#include "copse/methods/options.h"
#include "copse/model/result_file.h"

namespace copse {
namespace {

using Json = nlohmann::ordered_json;  // settings are shown in their order

// Zero, or empty, where there is none.
template <class Value>
Value value_at(const Json& root, const char* place) {
  const Json::json_pointer pointer(place);
  if (!root.contains(pointer)) return Value();
  try {
    return checked_value<Value>(root.at(pointer));
  } catch (const nlohmann::json::exception&) {
    return Value();
  }
}

// JSON has no infinity: null is a limit that does not exist, and the lowest of all scores.
double infinite(const std::string& name) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return name == "min_score" ? -infinity : infinity;
}

Settings settings_in(const Json& object) {
  Settings all;
  for (const auto& [name, value] : object.items()) {
    if (value.is_boolean()) all.emplace_back(name, value.get<bool>());
    if (value.is_number_integer()) all.emplace_back(name, value.get<std::int64_t>());
    if (value.is_number_float()) all.emplace_back(name, value.get<double>());
    if (value.is_string()) all.emplace_back(name, value.get<std::string>());
    if (value.is_null()) all.emplace_back(name, infinite(name));
  }
  return all;
}

RunReport report_of(const Json& root) {
  RunReport report;
  report.command = value_at<std::string>(root, "/command");
  report.version = value_at<std::string>(root, "/version");
  report.settings = settings_in(root["settings"]);
  report.seed = value_at<std::uint64_t>(root, "/seed");
  report.rows = value_at<Index>(root, "/rows");
  report.cols = value_at<Index>(root, "/cols");
  report.nonzeros = value_at<Index>(root, "/nonzeros");
  report.line = value_at<std::string>(root, "/line");
  report.threads = value_at<int>(root, "/threads");
  report.k = value_at<Index>(root, "/k");
  report.iterations = value_at<int>(root, "/iterations");
  report.relative_error = value_at<double>(root, "/relative_error");
  report.projected_gradient_ratio = value_at<double>(root, "/projected_gradient_ratio");
  for (const auto& [name, reason] : choices<StopReason>()) {
    if (name == value_at<std::string>(root, "/stop_reason")) report.stop_reason = reason;
  }
  report.run_errors = value_at<std::vector<double>>(root, "/runs/relative_errors");
  report.best_run = value_at<int>(root, "/runs/best");
  if (root.contains("objective")) report.objective = value_at<double>(root, "/objective");
  report.run_objectives = value_at<std::vector<double>>(root, "/runs/objectives");
  report.w_zero_share = value_at<double>(root, "/zero_share/w");
  report.h_zero_share = value_at<double>(root, "/zero_share/h");
  for (const Json& entry : value_at<std::vector<Json>>(root, "/history")) {
    Iteration& iteration = report.history.emplace_back();
    iteration.number = value_at<int>(entry, "/iteration");
    iteration.relative_error = value_at<double>(entry, "/relative_error");
    iteration.projected_gradient_ratio = value_at<double>(entry, "/projected_gradient_ratio");
    iteration.seconds = value_at<double>(entry, "/seconds");
  }
  report.seconds.read = value_at<double>(root, "/seconds/read");
  report.seconds.prepare = value_at<double>(root, "/seconds/prepare");
  report.seconds.solve = value_at<double>(root, "/seconds/solve");
  report.notes = value_at<std::vector<std::string>>(root, "/notes");
  if (root.contains("measures")) {
    ClusteringMeasures& measures = report.measures.emplace();
    measures.accuracy = value_at<double>(root, "/measures/accuracy");
    measures.nmi = value_at<double>(root, "/measures/nmi");
    measures.ari = value_at<double>(root, "/measures/ari");
  }
  if (root.contains("consensus")) {
    report.consensus = {.runs = value_at<int>(root, "/consensus/runs"),
                        .neighbours = value_at<Index>(root, "/consensus/neighbours"),
                        .distances = value_at<std::vector<double>>(root, "/consensus/distances"),
                        .groups = value_at<std::vector<Index>>(root, "/consensus/groups"),
                        .silhouettes = value_at<std::vector<double>>(root, "/consensus/silhouettes"),
                        .shares = value_at<std::vector<double>>(root, "/consensus/shares")};
  }
  if (root.contains("survey")) report.stored_survey = root["survey"].dump();
  return report;
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

bool is_tree(const Settings& settings) { return find_setting(settings, "leaves") != nullptr; }

// A tree of communities is a tree: see graph_tree_run.h.
bool is_graph(const Settings& settings) {
  return find_setting(settings, "similarity") != nullptr && !is_tree(settings);
}
bool is_segmentation(const Settings& settings) { return find_setting(settings, "picture") != nullptr; }

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
  report = report_of(root);
  try {
    precision();
  } catch (const InvalidArgument& error) {
    throw InputError(fmt::format("{}: {}.", path, error.what()));
  }
}

}  // namespace copse
