// What the classes for flat results and for trees have in common.
#pragma once

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include "copse/base/error.h"
#include "copse/describe/names.h"
#include "copse/describe/read_result.h"
#include "copse/model/result_json.h"
#include "copse/nmf/clusters.h"
#include "copse/report/result_page.h"
#include "copse/report/write_result.h"
#include "python/src/settings.h"
#include "python/src/supervisor.h"
#include "python/src/text.h"

namespace copse::python {

inline const AnyMatrix& topics_of(const FlatResult& result) { return result.model.w; }
inline const AnyMatrix& topics_of(const TreeResult& result) { return result.model.topics; }

template <class Result>
Result read(const StoredResult& stored) {
  if constexpr (std::is_same_v<Result, FlatResult>) {
    return read_flat_result(stored);
  } else if constexpr (std::is_same_v<Result, TreeResult>) {
    return read_tree_result(stored);
  } else {
    return read_graph_result(stored);
  }
}

inline nb::object to_numpy(const AnyMatrix& matrix) {
  return std::visit([]<class T>(const Matrix<T>& values) { return nb::object(to_numpy(Matrix<T>(values))); },
                    matrix.values());
}

// From one value for each item that preparation kept to one for each item; -1 for the others.
std::vector<Index> of_all(const ModelItems& items, const std::vector<Index>& values);

// Nobody else's, and gone in the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  void write(const char* name, std::string_view bytes) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};
std::string bytes_of(const std::filesystem::path& path);

// Pickled: result.json and the bytes of the model.

template <class Result>
nb::tuple state_of(const Result& result) {
  std::string model;
  {
    const nb::gil_scoped_release no_gil;
    const TemporaryFolder folder;
    OutputFile file(folder.path() / "model.safetensors");
    write_model(file, result.model, result.report.settings);
    file.finish();
    model = bytes_of(file.place());
  }
  return nb::make_tuple(to_json(result.report), nb::bytes(model.data(), model.size()));
}

template <class Result>
Result from_state(const nb::tuple& state) {
  const auto json = nb::cast<std::string>(state[0]);
  const auto model = nb::cast<nb::bytes>(state[1]);
  const TemporaryFolder folder;
  folder.write("result.json", json);
  folder.write("model.safetensors", {model.c_str(), model.size()});
  return read<Result>(StoredResult(folder.path().string()));
}

// What a person knows of all items beyond what was fitted; an empty list leaves what is there.
template <class Result>
void tell(Result& result, std::vector<std::string> names, std::vector<std::string> classes,
          std::vector<std::string> times) {
  ModelItems& items = result.model.items;
  const auto take = [&](std::vector<std::string>& target, std::vector<std::string>& given, const char* what) {
    if (given.empty()) return;
    if (given.size() != items.item_names.size()) {
      throw InvalidArgument("There are " + std::to_string(given.size()) + " " + what + " for " +
                            std::to_string(items.item_names.size()) + " samples.");
    }
    target = std::move(given);
  };
  if (!names.empty()) items.titles.clear();
  take(items.item_names, names, "names");
  take(items.classes, classes, "labels");
  take(items.times, times, "times");
  describe(result);
}

// Of the best: name, weight, number.
nb::list words_of(const Topic& topic, std::size_t most);
nb::list pairs_of(const std::vector<Ranked>& ranked);

// The entries of the features that stand in a topic, for names and coherence; dense data as a whole, as its sums count.
template <class T, class Result>
Dataset<T> entries_of_words(const Items<T>& x, const Result& result) {
  if (!x.is_sparse()) return x.dataset();
  std::vector<char> wanted(static_cast<std::size_t>(x.features()), 0);
  for (const Topic& topic : result.view.nodes) {
    for (const Ranked& word : topic.words) wanted[word.number] = 1;
  }
  return x.dataset_of(wanted);
}

// The topics, or all nodes of a tree with the root first, as the page and `copse show` have them.
template <class Result>
nb::list topics(const Result& result, std::size_t most) {
  nb::list out;
  for (const Topic& topic : result.view.nodes) {
    nb::dict entry;
    entry["id"] = topic.id;
    entry["parent"] = topic.parent < 0 ? nb::object(nb::none()) : nb::cast(result.view.nodes[topic.parent].id);
    entry["name"] = topic.name;
    entry["label"] = topic.label;
    entry["size"] = topic.size;
    entry["is_leaf"] = topic.leaf;
    entry["score"] = topic.score;
    entry["coherence"] = topic.coherence;
    entry["words"] = words_of(topic, most);
    entry["representatives"] = pairs_of(topic.representatives);
    out.append(entry);
  }
  return out;
}

template <class T>
NewItems<T> matched(const Settings& settings, const ModelItems& known, const Items<T>& x,
                    std::vector<std::string> names) {
  Dataset<T> data = x.dataset();
  data.feature_names = std::move(names);
  try {
    return match_items(std::move(data), settings, known);
  } catch (const InputError& error) {
    throw InputError(std::string("X does not fit the model: ") + error.what());
  }
}

// The data of the fit, once more.
template <class Result, class T>
std::unique_ptr<Items<T>> items_again(const Result& result, const Items<T>& x, const std::vector<std::string>& names,
                                      int threads) {
  std::unique_ptr<Items<T>> items;
  Supervisor().run(threads, [&] {
    Dataset<T> data = x.dataset();
    data.feature_names = names;
    match_features(result.model.items, data);
    data.feature_names.clear();
    items = std::make_unique<Items<T>>(std::move(data), result.report.settings);
  });
  return items;
}

template <class Result, class T>
nb::object transform(const Result& result, const Items<T>& x, const std::vector<std::string>& names, int threads) {
  Matrix<T> h;
  const auto& settings = result.report.settings;
  Supervisor().run(threads, [&] {
    if (fits_as_it_is(x.features(), names, settings, result.model.items)) {
      h = coefficients(result.model, x.data());
    } else {
      h = coefficients(result.model, matched(settings, result.model.items, x, names));
    }
  });
  return to_numpy(std::move(h));
}

// What `copse assign` writes: cluster, weight, and for a tree the leaf where the splits lead.
nb::tuple to_tuple(const std::vector<PlacedItem>& placed);

template <class Result>
void write_page(const Result& result, const std::filesystem::path& path, const std::string& title) {
  Page page = page_of(result.view, result.model.items, result.report);
  if (!title.empty()) page.title = title;
  const std::string html = page_html(page);
  OutputFile file(path);
  file.write(html);
  file.commit();
}

template <class Result>
nb::class_<Result> bind_result(nb::module_& module, const char* name) {
  return nb::class_<Result>(module, name)
      .def_prop_ro("settings", [](const Result& result) { return to_dict(result.report.settings); })
      .def_prop_ro("json", [](const Result& result) { return to_json(result.report); })
      .def_prop_ro("seed", [](const Result& result) { return result.report.seed; })
      .def_prop_ro("notes", [](const Result& result) { return result.report.notes; })
      .def_prop_ro("stop_reason", [](const Result& result) { return name_of(result.report.stop_reason); })
      .def_prop_ro("iterations", [](const Result& result) { return result.report.iterations; })
      .def_prop_ro("relative_error", [](const Result& result) { return result.report.relative_error; })
      .def_prop_ro("is_text", [](const Result& result) { return result.model.items.is_text(); })
      .def_prop_ro("text_model", [](const Result& result) { return text_model(result.report, result.model.items); })
      .def_prop_ro("feature_names", [](const Result& result) { return result.model.items.feature_names; })
      .def_prop_ro("kept_features",
                   [](const Result& result) { return to_numpy(std::vector(result.model.items.kept_features)); })
      .def_prop_ro("item_names", [](const Result& result) { return result.model.items.item_names; })
      .def_prop_ro("classes", [](const Result& result) { return result.model.items.classes; })
      .def_prop_ro("times", [](const Result& result) { return result.model.items.times; })
      .def_prop_ro("excerpts",
                   [](const Result& result) {
                     nb::dict texts;
                     const ModelItems& items = result.model.items;
                     for (std::size_t e = 0; e < items.excerpts.size(); ++e)
                       texts[nb::cast(items.excerpt_items[e])] = items.excerpts[e];
                     return texts;
                   })
      // One for every item: the number among those that preparation kept, or -1.
      .def_prop_ro("kept_numbers", [](const Result& result) { return to_numpy(result.model.items.kept_numbers()); })
      .def_prop_ro("labels", [](const Result& result) { return to_numpy(cluster_labels(result)); })
      // Features x topics.
      .def_prop_ro("w", [](const Result& result) { return to_numpy(topics_of(result)); })
      .def_prop_ro("k", [](const Result& result) { return topics_of(result).cols(); })
      .def("topics", &topics<Result>, nb::arg("words"))
      .def("tell", &tell<Result>, nb::arg("names"), nb::arg("classes"), nb::arg("times"))
      .def(
          "documents_again",
          [](const Result& result, const nb::list& documents, int threads) {
            return with_precision(topics_of(result).precision(), [&]<class T> {
              return nb::cast(std::make_unique<Items<T>>(documents, result.report.settings,
                                                         result.model.items.vocabulary, threads));
            });
          },
          nb::arg("documents"), nb::arg("threads"))
      .def(
          "transform_documents",
          [](const Result& result, const nb::list& documents, int threads) {
            return with_precision(topics_of(result).precision(), [&]<class T> {
              const auto items = new_documents<T>(documents, result.report.settings, result.model.items, threads);
              Matrix<T> h;
              Supervisor().run(threads, [&] { h = coefficients(result.model, items); });
              return nb::object(to_numpy(std::move(h)));
            });
          },
          nb::arg("documents"), nb::arg("threads"))
      .def(
          "place_documents",
          [](const Result& result, const nb::list& documents, int threads) {
            return with_precision(topics_of(result).precision(), [&]<class T> {
              const auto items = new_documents<T>(documents, result.report.settings, result.model.items, threads);
              std::vector<PlacedItem> placed;
              Supervisor().run(threads, [&] { placed = copse::place(result.model, items); });
              return to_tuple(placed);
            });
          },
          nb::arg("documents"), nb::arg("threads"))
      .def("write_page", &write_page<Result>, nb::arg("path"), nb::arg("title"),
           nb::call_guard<nb::gil_scoped_release>())
      .def(
          "save",
          [](Result& result, const std::filesystem::path& path, bool replace) {
            OutputFolder folder(path, replace);
            if (replace) folder.keep(own_documents_file);
            write_result(folder, result, page_is_built());
          },
          nb::arg("folder"), nb::arg("replace"), nb::call_guard<nb::gil_scoped_release>())
      .def("__deepcopy__", [](const Result& result, const nb::handle&) { return Result(result); })
      .def("__getstate__", &state_of<Result>)
      .def("__setstate__",
           [](Result& result, const nb::tuple& state) { new (&result) Result(from_state<Result>(state)); });
}

// What takes items, of either precision.
template <class T, class Result>
void bind_items(nb::class_<Result>& bound) {
  bound.def("transform", &transform<Result, T>, nb::arg("items"), nb::arg("names"), nb::arg("threads"))
      .def(
          // Of the items of the fit.
          "fit_coefficients",
          [](const Result& result, const Items<T>& x, int threads) {
            Matrix<T> h;
            Supervisor().run(threads, [&] { h = coefficients(result.model, x.data()); });
            return to_numpy(std::move(h));
          },
          nb::arg("items"), nb::arg("threads"))
      .def("items_again", &items_again<Result, T>, nb::arg("items"), nb::arg("names"), nb::arg("threads"))
      .def(
          "place",
          [](const Result& result, const Items<T>& x, const std::vector<std::string>& names, int threads) {
            std::vector<PlacedItem> placed;
            const auto& settings = result.report.settings;
            Supervisor().run(
                threads, [&] { placed = copse::place(result.model, matched(settings, result.model.items, x, names)); });
            return to_tuple(placed);
          },
          nb::arg("items"), nb::arg("names"), nb::arg("threads"));
}

// For a run that asks `progress` (may be None) after every step whether to go on.
template <class Step>
std::function<bool(const Step&)> asks(Supervisor& supervisor, const nb::object& progress) {
  return [&](const Step& step) {
    if (progress.is_none()) return !supervisor.stopping();
    return supervisor.ask([&] { return nb::cast<bool>(progress(step)); });
  };
}

}  // namespace copse::python
