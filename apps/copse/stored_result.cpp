#include "apps/copse/stored_result.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "apps/copse/tree_run.h"
#include "copse/base/error.h"

namespace copse {

struct StoredResult::Json {
  nlohmann::ordered_json root;  // settings are shown in their order

  // Zero, or empty, where there is none.
  template <class Value>
  Value get(const char* place) const {
    const nlohmann::ordered_json::json_pointer pointer(place);
    if (!root.contains(pointer)) return Value();
    try {
      return root.at(pointer).get<Value>();
    } catch (const nlohmann::json::exception&) {
      return Value();
    }
  }
};

StoredResult::StoredResult(const std::string& folder) : folder_(folder), json_(std::make_unique<Json>()) {
  const std::string path = folder + "/result.json";
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{} cannot be read: is {} the folder of a result?", path, folder));
  json_->root = nlohmann::ordered_json::parse(file, nullptr, false);
  if (json_->root.is_discarded() || !json_->root.is_object() || !json_->root.contains("settings") ||
      !json_->root["settings"].is_object()) {
    throw InputError(fmt::format("{} is not the result of a run of copse.", path));
  }
}

StoredResult::~StoredResult() = default;

template <class Value>
Value StoredResult::setting(const char* name) const {
  try {
    return json_->root.at("settings").at(name).get<Value>();
  } catch (const nlohmann::json::exception&) {
    throw InputError(fmt::format("{}/result.json has no usable setting \"{}\".", folder_, name));
  }
}

template <class Value>
Value StoredResult::choice(const char* name, const Choices<Value>& choices) const {
  const auto word = setting<std::string>(name);
  for (const auto& [text, value] : choices) {
    if (text == word) return value;
  }
  throw InputError(fmt::format("{}/result.json has the unknown setting \"{}\": \"{}\".", folder_, name, word));
}

bool StoredResult::is_tree() const { return json_->root["settings"].contains("leaves"); }

Precision StoredResult::precision() const { return choice("precision", precision_choices()); }

std::uint64_t StoredResult::seed() const { return json_->get<std::uint64_t>("/seed"); }

Index StoredResult::nonzeros() const { return json_->get<Index>("/nonzeros"); }

double StoredResult::beta() const { return is_tree() ? 0 : setting<double>("beta"); }

MatrixInputOptions StoredResult::input(const std::string& vocabulary) const {
  MatrixInputOptions options;
  if (vocabulary.empty()) {
    options.path = setting<std::string>("matrix");
    options.reading.items = setting<std::string>("items") == "rows" ? Items::rows : Items::columns;
    options.feature_names = setting<std::string>("features");
    options.item_names = setting<std::string>("item_names");
    options.truth = setting<std::string>("truth");
    options.prepare.min_feature_total = setting<double>("min_count");
  } else {
    DocumentInputOptions& documents = options.documents.emplace();
    options.path = setting<std::string>("documents");
    if (json_->root["settings"].contains("origin")) {
      documents.own = {setting<std::string>("name"), setting<std::string>("origin")};
      options.path = folder_ + "/" + options.path;
    }
    documents.reading.format = choice("format", format_choices());
    documents.reading.text_field = setting<std::string>("text");
    documents.reading.id_field = setting<std::string>("id");
    documents.reading.label_field = setting<std::string>("label");
    documents.reading.time_field = setting<std::string>("time");
    documents.reading.title_field = setting<std::string>("title");
    documents.reading.skip_bad = setting<bool>("skip_bad");
    documents.vocabulary = parse_vocabulary(vocabulary, model_path());
  }
  options.prepare.min_item_total = setting<double>("min_words");
  options.prepare.drop_empty = setting<bool>("drop_empty");
  options.prepare.drop_duplicates = setting<bool>("drop_duplicates");
  options.prepare.weighting = choice("weights", weighting_choices());
  options.prepare.feature_scaling = choice("scale", scaling_choices());
  options.prepare.unit_items = setting<bool>("unit_columns");
  options.prepare.normalized_cut = setting<bool>("normalized_cut");
  return options;
}

TreeOptions StoredResult::tree() const {
  TreeOptions options;
  options.score = choice("score", score_choices());
  options.pick = choice("pick", pick_choices());
  options.min_score = json_->root["settings"]["min_score"].is_null() ? -std::numeric_limits<double>::infinity()
                                                                     : setting<double>("min_score");
  options.outlier_trials = setting<int>("outlier_trials");
  options.imbalance = setting<double>("imbalance");
  options.start = choice("start", split_start_choices());
  options.tolerance = setting<double>("tolerance");
  options.max_iterations = setting<int>("max_iterations");
  options.seed = seed();
  return options;
}

RunReport StoredResult::report() const {
  RunReport report;
  report.command = json_->get<std::string>("/command");
  report.version = json_->get<std::string>("/version");
  report.settings = settings();
  report.seed = seed();
  report.rows = json_->get<Index>("/rows");
  report.cols = json_->get<Index>("/cols");
  report.nonzeros = nonzeros();
  report.seconds.read = json_->get<double>("/seconds/read");
  report.seconds.prepare = json_->get<double>("/seconds/prepare");
  report.seconds.solve = json_->get<double>("/seconds/solve");
  report.notes = json_->get<std::vector<std::string>>("/notes");
  if (json_->root.contains("measures")) {
    ClusteringMeasures& measures = report.measures.emplace();
    measures.accuracy = json_->get<double>("/measures/accuracy");
    measures.nmi = json_->get<double>("/measures/nmi");
    measures.ari = json_->get<double>("/measures/ari");
  }
  return report;
}

Settings StoredResult::settings() const {
  Settings all;
  for (const auto& [name, value] : json_->root["settings"].items()) {
    if (value.is_boolean()) all.emplace_back(name, value.get<bool>());
    if (value.is_number_integer()) all.emplace_back(name, value.get<std::int64_t>());
    if (value.is_number_float()) all.emplace_back(name, value.get<double>());
    if (value.is_string()) all.emplace_back(name, value.get<std::string>());
    if (value.is_null()) all.emplace_back(name, -std::numeric_limits<double>::infinity());
  }
  return all;
}

}  // namespace copse
