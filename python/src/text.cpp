// Documents as a matrix of weighted terms, without a model on top.
#include "python/src/text.h"

#include "copse/input/options.h"
#include "copse/input/stored_input.h"
#include "copse/methods/options.h"
#include "python/src/settings.h"
#include "python/src/supervisor.h"

namespace copse::python {
namespace {

// What is needed to treat new documents as those of a fit.
TextModel text_model(const Settings& settings, const ModelItems& items) {
  TextModel model{settings, {}};
  model.items.feature_names = items.feature_names;
  model.items.kept_features = items.kept_features;
  model.items.feature_factors = items.feature_factors;
  model.items.feature_totals = items.feature_totals;
  model.items.vocabulary = items.vocabulary;
  return model;
}

nb::tuple text_state_of(const TextModel& model) {
  const ModelItems& items = model.items;
  return nb::make_tuple(to_dict(model.settings), items.vocabulary, items.feature_names, items.kept_features,
                        items.feature_factors, items.feature_totals);
}

TextModel from_state(const nb::tuple& state) {
  TextModel model{to_settings(nb::cast<nb::dict>(state[0])), {}};
  model.items.vocabulary = nb::cast<std::string>(state[1]);
  model.items.feature_names = nb::cast<std::vector<std::string>>(state[2]);
  model.items.kept_features = nb::cast<std::vector<Index>>(state[3]);
  model.items.feature_factors = nb::cast<std::vector<double>>(state[4]);
  model.items.feature_totals = nb::cast<std::vector<double>>(state[5]);
  return model;
}

template <class T>
nb::tuple fit(const nb::list& documents, const nb::dict& settings, const std::vector<std::string>& more_stop_words,
              int threads) {
  Items<T> items(documents, settings, more_stop_words, {}, threads);
  const ModelItems kept = items.model_items({});
  nb::dict out = to_dict(items.take_dataset());
  out["kept"] = to_numpy(std::vector<Index>(kept.kept_items));
  return nb::make_tuple(text_model(settings_of(items.input()), kept), out);
}

template <class T>
nb::dict transform(const TextModel& model, const nb::list& documents, int threads) {
  NewItems<T> items = new_documents<T>(documents, model.settings, model.items, threads);
  nb::dict out = to_dict(std::move(items.data));
  return out;
}

}  // namespace

template <class T>
NewItems<T> new_documents(const nb::list& documents, const Settings& settings, const ModelItems& items, int threads) {
  const Texts texts(documents);
  NewItems<T> result;
  Supervisor().run(threads, [&] {
    InputOptions input = input_options_in(settings, items.vocabulary, "");
    input.documents->source = texts.source();
    std::shared_ptr<const DocumentSource> source;
    Dataset<T> data;
    data.values = count_words<T>(input, 0, {}, source).counts;
    result = match_items(std::move(data), settings, items);
  });
  return result;
}

template NewItems<float> new_documents(const nb::list&, const Settings&, const ModelItems&, int);
template NewItems<double> new_documents(const nb::list&, const Settings&, const ModelItems&, int);

TextModel text_model(const RunReport& report, const ModelItems& items) { return text_model(report.settings, items); }

void bind_text(nb::module_& module) {
  nb::class_<TextModel>(module, "TextModel")
      .def_prop_ro("settings", [](const TextModel& model) { return to_dict(model.settings); })
      .def_prop_ro("names", [](const TextModel& model) { return model.items.feature_names; })
      .def_prop_ro("factors", [](const TextModel& model) { return to_numpy(std::vector(model.items.feature_factors)); })
      .def_prop_ro("languages",
                   [](const TextModel& model) {
                     return parse_vocabulary(model.items.vocabulary, "the vocabulary").options.stop_words;
                   })
      .def_prop_ro("more_stop_words",
                   [](const TextModel& model) {
                     return parse_vocabulary(model.items.vocabulary, "the vocabulary").options.more_stop_words;
                   })
      .def(
          "transform",
          [](const TextModel& model, const nb::list& documents, bool single_precision, int threads) {
            return single_precision ? transform<float>(model, documents, threads)
                                    : transform<double>(model, documents, threads);
          },
          nb::arg("documents"), nb::arg("single_precision"), nb::arg("threads"))
      .def("__getstate__", &text_state_of)
      .def("__setstate__", [](TextModel& model, const nb::tuple& state) { new (&model) TextModel(from_state(state)); });
  module.def(
      "fit_text",
      [](const nb::list& documents, const nb::dict& settings, const std::vector<std::string>& more_stop_words,
         bool single_precision, int threads) {
        return single_precision ? fit<float>(documents, settings, more_stop_words, threads)
                                : fit<double>(documents, settings, more_stop_words, threads);
      },
      nb::arg("documents"), nb::arg("settings"), nb::arg("more_stop_words"), nb::arg("single_precision"),
      nb::arg("threads"));
}

}  // namespace copse::python
