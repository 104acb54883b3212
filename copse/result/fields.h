// The options of a run by name. Each list stands once; writing, reading and the command line all go through it.
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>

#include "copse/result/choices.h"
#include "copse/result/graph_input.h"
#include "copse/result/input.h"
#include "copse/result/joint_input.h"
#include "copse/result/segment_run.h"
#include "copse/result/settings.h"
#include "copse/result/wording.h"

namespace copse {

template <class Options, class Base>
concept OptionsOf = std::same_as<std::remove_const_t<Options>, Base>;

// visit_fields(options, visit) calls visit(name, field) for every field, in the order in which they are shown.

template <OptionsOf<PrepareOptions> Options, class Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit("min_count", options.min_feature_total);
  visit("min_words", options.min_item_total);
  visit("drop_empty", options.drop_empty);
  visit("drop_duplicates", options.drop_duplicates);
  visit("library_size", options.library_size);
  visit("select", options.select_features);
  visit("select_by", options.select_by);
  visit("weights", options.weighting);
  visit("scale", options.feature_scaling);
  visit("unit_columns", options.unit_items);
  visit("normalized_cut", options.normalized_cut);
}

template <OptionsOf<DocumentOptions> Options, class Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit("format", options.format);
  visit("text", options.text_field);
  visit("id", options.id_field);
  visit("label", options.label_field);
  visit("time", options.time_field);
  visit("title", options.title_field);
  visit("skip_bad", options.skip_bad);
}

template <OptionsOf<DocumentInputOptions> Options, class Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit_fields(options.reading, visit);
  auto& text = options.text;
  visit("language", text.stop_words);
  visit("stop_words", options.stop_word_file);
  visit("stem", text.stemmer);
  visit("bigrams", text.bigrams);
  visit("max_share", text.max_share);
  visit("max_features", text.max_terms);
  visit("numbers", text.tokens.numbers);
  visit("addresses", text.tokens.links);
  visit("words", text.tokens.rule);
  visit("drop_headers", text.mail.drop_headers);
  visit("drop_quotes", text.mail.drop_quotes);
  visit("drop_signatures", text.mail.drop_signature);
}

// Of documents if options.documents is there, else of a matrix.
template <OptionsOf<InputOptions> Options, class Visit>
void visit_fields(Options& options, const Visit& visit) {
  if (options.documents) {
    visit("documents", options.path);
    if (options.documents->own) {
      visit("name", options.documents->own->name);
      visit("origin", options.documents->own->origin);
    }
    visit_fields(*options.documents, visit);
  } else {
    visit("matrix", options.path);
    visit("items", options.reading.items);
    visit("features", options.feature_names);
    visit("item_names", options.item_names);
    visit("truth", options.truth);
    visit("layer", options.reading.layer);
    visit("cell_labels", options.reading.label);
  }
  visit_fields(options.prepare, visit);
}

template <OptionsOf<JointInput> Options, class Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit("links", options.links);
  visit("vectors", options.vectors);
  visit("neighbour_graph", options.neighbours);
  visit("graph_weight", options.weight);
}

template <OptionsOf<NmfOptions> Options, class Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit("loss", options.loss);
  visit("solver", options.solver);
  visit("start", options.start);
  visit("runs", options.runs);
  visit("alpha", options.alpha);
  visit("beta", options.beta);
  visit("affine", options.affine);
  visit("max_iterations", options.max_iterations);
  visit("tolerance", options.tolerance);
  visit("time_limit", options.time_limit);
}

template <OptionsOf<TreeOptions> Options, class Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit("leaves", options.leaves);
  visit("score", options.score);
  visit("pick", options.pick);
  visit("min_score", options.min_score);
  visit("outlier_trials", options.outlier_trials);
  visit("imbalance", options.imbalance);
  visit("large_share", options.large_share);
  visit("start", options.start);
  visit("tolerance", options.tolerance);
  visit("max_iterations", options.max_iterations);
  visit("time_limit", options.time_limit);
}

// Of the items of a matrix, or of a graph that is given.
template <OptionsOf<GraphInputOptions> Options, class Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit("similarity", options.similarity);
  if (!options.has_items()) {
    visit("graph", options.items.path);
    visit("format", options.format);
    visit("nodes", options.nodes);
    visit("item_names", options.items.item_names);
    visit("truth", options.items.truth);
    return;
  }
  visit_fields(options.items, visit);
  visit("neighbours", options.neighbours);
  visit("sigma", options.sigma);
  visit("scale_neighbour", options.scale_neighbour);
}

template <>
const Choices<GraphModel>& choices();  // in choices.cpp, as the others

template <OptionsOf<GraphClusterOptions> Options, class Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit("model", options.model);
  visit("tau", options.tau);
  visit("least_component", options.least_component);
  visit("start", options.start);
  visit("solver", options.solver);
  visit("runs", options.runs);
  visit("choose", options.choice);
  visit("labels", options.labels);
  visit("low_rank", options.low_rank);
  visit("alpha", options.alpha);
  visit("beta", options.beta);
  visit("max_iterations", options.max_iterations);
  visit("tolerance", options.tolerance);
  visit("time_limit", options.time_limit);
}

template <OptionsOf<SegmentRunOptions> Options, class Visit>
void visit_fields(Options& options, const Visit& visit) {
  auto& segment = options.segment;
  visit("picture", options.path);
  visit("method", segment.method);
  visit("hierarchy", segment.hierarchy);
  visit("segments", options.segments);
  visit("pixels", options.pixels);
  visit("rank", segment.rank);
  visit("superpixels", segment.superpixels);
  visit("radius", segment.graph.radius);
  visit("scale", segment.graph.scale);
  visit("smallest", segment.smallest);
  visit("edge_cost", segment.edge_cost);
  visit("time_limit", segment.time_limit);
}

template <class Field>
Setting to_setting(const Field& field) {
  if constexpr (std::is_enum_v<Field>) {
    return name_of(field);
  } else if constexpr (std::same_as<Field, std::vector<std::string>>) {
    return joined(field, ",");
  } else if constexpr (std::integral<Field> && !std::same_as<Field, bool>) {
    return static_cast<std::int64_t>(field);
  } else {
    return field;
  }
}

// Throws InvalidArgument for a setting of another type.
template <class Field>
void from_setting(const std::string& name, const Setting& setting, Field& field) {
  const auto take = [&]<class Value>(Value& target) {
    if (const auto* value = std::get_if<Value>(&setting)) {
      target = *value;
      return;
    }
    if constexpr (std::same_as<Value, double>) {
      if (const auto* value = std::get_if<std::int64_t>(&setting)) {
        target = static_cast<double>(*value);
        return;
      }
    }
    refuse_setting(name);
  };
  if constexpr (std::is_enum_v<Field> || std::same_as<Field, std::vector<std::string>>) {
    std::string word;
    take(word);
    if constexpr (std::is_enum_v<Field>) {
      field = choice_of<Field>(name, word);
    } else {
      field = split(word, ',');
    }
  } else if constexpr (std::integral<Field> && !std::same_as<Field, bool>) {
    std::int64_t number = 0;
    take(number);
    if (!std::in_range<Field>(number)) refuse_setting(name);
    field = static_cast<Field>(number);
  } else {
    take(field);
  }
}

// All fields as settings.
template <class Options>
void add_settings(const Options& options, Settings& settings) {
  visit_fields(options, [&](const char* name, const auto& field) { settings.emplace_back(name, to_setting(field)); });
}

// Options that results of older versions do not name: what they were is the default.
inline bool is_newer(std::string_view name) {
  return name == "library_size" || name == "select" || name == "select_by";
}

// All fields from settings. Throws InvalidArgument for one that is missing or of another type.
template <class Options>
void take_settings(const Settings& settings, Options& options) {
  visit_fields(options, [&](const char* name, auto& field) {
    const Setting* setting = find_setting(settings, name);
    if (setting == nullptr && is_newer(name)) return;
    if (setting == nullptr) refuse_setting(name);
    from_setting(name, *setting, field);
  });
}

}  // namespace copse
