// Communities of graphs: fitted, opened, asked, written.
#include "copse/describe/read_result.h"
#include "copse/input/stored_input.h"
#include "copse/report/graph_page.h"
#include "copse/report/write_result.h"
#include "copse/run/graph_assign.h"
#include "copse/run/graph_run.h"
#include "python/src/graph_arrays.h"
#include "python/src/items.h"
#include "python/src/results.h"

namespace copse::python {
namespace {

// The arrays of a CSR matrix of weights, copied.
template <class T>
nb::dict to_csr(SparseMatrix<T> a) {
  Dataset<T> data;
  data.values = std::move(a);
  return to_dict(std::move(data));
}

// New items with the features of the model, prepared as its items were. Items that were taken as they are may have
// negative entries: only similarities matter.
template <class T>
Dataset<T> new_items(const Settings& settings, const ModelItems& known, const Items<T>& x,
                     const std::vector<std::string>& names) {
  const PrepareOptions prepare = input_options_in(settings, known.vocabulary, "").prepare;
  const bool as_they_are = prepare.weighting == Weighting::none && prepare.feature_scaling == FeatureScaling::none &&
                           !prepare.unit_items && !prepare.normalized_cut;
  if (!as_they_are) return matched(settings, known, x, names).data;
  Dataset<T> data = x.dataset();
  data.feature_names = names;
  match_features(known, data);
  return data;
}

nb::list communities_of(const GraphResult& result) {
  nb::list out;
  for (const Topic& topic : result.report.topics) {
    const CommunityFacts& community = *topic.community;
    nb::dict entry;
    entry["id"] = topic.id;
    entry["label"] = topic.label;
    entry["size"] = topic.size;
    entry["overlapping"] = community.overlapping;
    entry["inside"] = community.inside;
    entry["leaving"] = community.leaving;
    entry["conductance"] = community.conductance;
    nb::list central, features;
    for (const Ranked& node : topic.representatives)
      central.append(nb::make_tuple(node.number, node.name, node.weight));
    for (const Ranked& word : topic.words) features.append(nb::make_tuple(word.name, word.weight));
    entry["central"] = central;
    entry["neighbours"] = community.neighbours;
    entry["features"] = features;
    entry["main_class"] = topic.main_class;
    out.append(entry);
  }
  return out;
}

template <class T>
GraphResult fit(GraphRunOptions options, const nb::dict& input, const nb::dict& settings, Index k, std::uint64_t seed,
                double overlap, const std::string& line, int threads, const nb::object& progress, bool keep_interrupted,
                const std::function<GraphInput<T>(const GraphInputOptions&)>& make) {
  take(input, options.input);
  take(settings, options.cluster);
  options.cluster.k = k;
  options.cluster.seed = seed;
  options.overlap = overlap;
  Supervisor supervisor(keep_interrupted);
  options.cluster.progress = asks<SymIteration>(supervisor, progress);
  GraphResult result;
  supervisor.run(threads, [&] {
    result = run_graph(options, make(options.input));
    result.report.line = line;
  });
  return result;
}

template <class T>
void bind_graph(nb::module_& module, nb::class_<GraphResult>& bound) {
  using Result = GraphResult;
  bound
      // New items: cluster and weight of each.
      .def(
          "place",
          [](const Result& result, const Items<T>& x, const std::vector<std::string>& names, int threads) {
            std::vector<PlacedItem> placed;
            const Settings& settings = result.report.settings;
            Supervisor().run(threads, [&] {
              placed = copse::place(result.model, edges_of_items(new_items(settings, result.model.items, x, names),
                                                                 settings, result.model));
            });
            return to_tuple(placed);
          },
          nb::arg("items"), nb::arg("names"), nb::arg("threads"))
      // New nodes, given as rows of weights to the nodes of the graph.
      .def(
          "place_edges",
          [](const Result& result, Index columns, const Array<std::int64_t, 1>& offsets,
             const Array<std::int32_t, 1>& indices, const Array<T, 1>& values) {
            return to_tuple(copse::place(result.model, to_sparse<T>(columns, offsets, indices, values)));
          },
          nb::arg("columns"), nb::arg("offsets"), nb::arg("indices"), nb::arg("values"));

  module.def(
      "cluster_items",
      [](const Items<T>& x, const nb::dict& settings, const nb::dict& input, Index k, std::uint64_t seed,
         double overlap, std::vector<std::string> feature_names, const std::string& line, int threads,
         const nb::object& progress, bool keep_interrupted) {
        GraphRunOptions options;
        options.input.items = x.input();
        return fit<T>(options, input, settings, k, seed, overlap, line, threads, progress, keep_interrupted,
                      [&](const GraphInputOptions& known) {
                        GraphInput<T> made;
                        made.data = x.dataset();
                        made.items = x.model_items(std::move(feature_names));
                        made.graph = graph_of_items(made.data, known);
                        return made;
                      });
      },
      nb::arg("items"), nb::arg("settings"), nb::kw_only(), nb::arg("input"), nb::arg("k"), nb::arg("seed"),
      nb::arg("overlap"), nb::arg("feature_names"), nb::arg("line"), nb::arg("threads"), nb::arg("progress").none(),
      nb::arg("keep_interrupted"));
  // Rows of weights between nodes; the two of a pair are averaged.
  module.def(
      "cluster_graph",
      [](const nb::tuple& arrays, const nb::dict& settings, Index k, std::uint64_t seed, double overlap,
         std::vector<std::string> names, const std::string& line, int threads, const nb::object& progress,
         bool keep_interrupted) {
        const SparseMatrix<T> a = to_square<T>(arrays);
        return fit<T>({}, {}, settings, k, seed, overlap, line, threads, progress, keep_interrupted,
                      [&](const GraphInputOptions&) {
                        GraphInput<T> made;
                        made.graph = graph_from_matrix<T>(a);
                        made.items.item_names = std::move(names);
                        for (Index i = static_cast<Index>(made.items.item_names.size()); i < a.cols; ++i)
                          made.items.item_names.push_back(std::to_string(i));
                        return made;
                      });
      },
      nb::arg("arrays"), nb::arg("settings"), nb::kw_only(), nb::arg("k"), nb::arg("seed"), nb::arg("overlap"),
      nb::arg("names"), nb::arg("line"), nb::arg("threads"), nb::arg("progress").none(), nb::arg("keep_interrupted"));
  module.def(
      "neighbour_graph",
      [](const Items<T>& x, const nb::dict& input, int threads) {
        GraphInputOptions options;
        take(input, options);
        Graph<T> graph;
        Supervisor().run(threads, [&] { graph = graph_of_items(x.dataset(), options); });
        return to_csr<T>(std::move(graph.weights));
      },
      nb::arg("items"), nb::arg("input"), nb::arg("threads"));
  module.def(
      "graph_quality",
      [](const nb::tuple& arrays, const Array<std::int64_t, 1>& labels) {
        const SparseMatrix<T> a = to_square<T>(arrays);
        const GraphQuality quality =
            graph_quality<T>(graph_from_matrix<T>(a).weights, std::span(labels.data(), labels.size()));
        nb::dict out;
        out["modularity"] = quality.modularity;
        out["normalized_cut"] = quality.normalized_cut;
        out["coverage"] = quality.coverage;
        out["conductance"] = to_numpy(std::vector(quality.conductance));
        return out;
      },
      nb::arg("arrays"), nb::arg("labels"));
}

template <class T>
nb::dict read(const std::filesystem::path& path, const std::string& format, int threads) {
  GraphInputOptions options;
  options.items.path = path.string();
  options.format = choice_of<GraphFormat>("format", format);
  GraphInput<T> input;
  Supervisor().run(threads, [&] {
    Seconds seconds;
    input = load_graph<T>(options, 1, 0, {}, seconds);
  });
  nb::dict out = to_csr<T>(std::move(input.graph.weights));
  out["names"] = std::move(input.items.item_names);
  out["notes"] = std::move(input.notes);
  return out;
}

}  // namespace

void bind_graphs(nb::module_& module) {
  nb::class_<SymIteration>(module, "SymIteration")
      .def_ro("number", &SymIteration::number)
      .def_ro("relative_error", &SymIteration::relative_error)
      .def_ro("projected_gradient_ratio", &SymIteration::projected_gradient_ratio)
      .def_ro("seconds", &SymIteration::seconds);
  nb::dict choices;
  choices["similarity"] = names_of<ItemSimilarity>();
  choices["model"] = names_of<GraphModel>();
  choices["start"] = names_of<GraphStart>();
  choices["solver"] = names_of<SymSolver>();
  choices["choose"] = names_of<RunChoice>();
  choices["labels"] = names_of<LabelSource>();
  choices["format"] = names_of<GraphFormat>();
  module.attr("graph_choices") = choices;
  using Result = GraphResult;
  nb::class_<Result> bound(module, "GraphResult");
  bound.def_prop_ro("settings", [](const Result& result) { return to_dict(result.report.settings); })
      .def_prop_ro("json", [](const Result& result) { return to_json(result.report); })
      .def_prop_ro("seed", [](const Result& result) { return result.report.seed; })
      .def_prop_ro("k", [](const Result& result) { return result.model.k(); })
      .def_prop_ro("notes", [](const Result& result) { return result.report.notes; })
      .def_prop_ro("stop_reason", [](const Result& result) { return name_of(result.report.stop_reason); })
      .def_prop_ro("iterations", [](const Result& result) { return result.report.iterations; })
      .def_prop_ro("relative_error", [](const Result& result) { return result.report.relative_error; })
      .def_prop_ro("modularity", [](const Result& result) { return result.report.graph->modularity; })
      .def_prop_ro("normalized_cut", [](const Result& result) { return result.report.graph->normalized_cut; })
      .def_prop_ro("conductance", [](const Result& result) { return result.report.graph->conductance; })
      .def_prop_ro("item_names", [](const Result& result) { return result.model.items.item_names; })
      .def_prop_ro("feature_names", [](const Result& result) { return result.model.items.feature_names; })
      .def_prop_ro("kept_features",
                   [](const Result& result) { return to_numpy(std::vector(result.model.items.kept_features)); })
      .def_prop_ro("kept_numbers", [](const Result& result) { return to_numpy(result.model.items.kept_numbers()); })
      .def_prop_ro("has_items", [](const Result& result) { return result.model.has_items(); })
      .def_prop_ro("labels",
                   [](const Result& result) { return to_numpy(of_all(result.model.items, result.model.labels)); })
      .def_prop_ro("memberships", [](const Result& result) { return to_numpy(result.model.memberships); })
      .def_prop_ro("b", [](const Result& result) { return to_numpy(result.model.b); })
      .def_prop_ro("affinity",
                   [](const Result& result) {
                     return std::visit([]<class T>(const CommunityGraph<T>& graph) { return to_csr<T>(graph.weights); },
                                       result.model.graph);
                   })
      .def_prop_ro("communities", &communities_of)
      .def_prop_ro("history",
                   [](const Result& result) {
                     const auto& history = result.report.history;
                     Matrix<double> rows(static_cast<Index>(history.size()), 4);
                     for (Index i = 0; i < rows.rows(); ++i) {
                       rows(i, 0) = history[i].number;
                       rows(i, 1) = history[i].relative_error;
                       rows(i, 2) = history[i].projected_gradient_ratio;
                       rows(i, 3) = history[i].seconds;
                     }
                     return to_numpy(std::move(rows));
                   })
      .def(
          "tell",
          [](Result& result, std::vector<std::string> names, std::vector<std::string> classes) {
            ModelItems& items = result.model.items;
            if (!names.empty()) items.item_names = std::move(names);
            if (!classes.empty()) items.classes = std::move(classes);
            describe(result);
          },
          nb::arg("names"), nb::arg("classes"))
      .def(
          "write_page",
          [](const Result& result, const std::filesystem::path& path, const std::string& title) {
            OutputFile file(path);
            file.write(graph_page_html(result, title));
            file.commit();
          },
          nb::arg("path"), nb::arg("title"), nb::call_guard<nb::gil_scoped_release>())
      .def(
          "save",
          [](Result& result, const std::filesystem::path& path, bool replace) {
            OutputFolder folder(path, replace);
            write_result(folder, result, page_is_built());
          },
          nb::arg("folder"), nb::arg("replace"), nb::call_guard<nb::gil_scoped_release>())
      .def("__deepcopy__", [](const Result& result, const nb::handle&) { return Result(result); })
      .def("__getstate__", &state_of<Result>)
      .def("__setstate__",
           [](Result& result, const nb::tuple& pickled) { new (&result) Result(from_state<Result>(pickled)); });
  bind_graph<float>(module, bound);
  bind_graph<double>(module, bound);
  module.attr("GraphResultFloat") = module.attr("GraphResultDouble") = bound;  // in pickles of before
  module.def(
      "read_graph",
      [](const std::filesystem::path& path, const std::string& format, bool single_precision, int threads) {
        return single_precision ? read<float>(path, format, threads) : read<double>(path, format, threads);
      },
      nb::arg("path"), nb::arg("format"), nb::arg("single_precision"), nb::arg("threads"));
}

}  // namespace copse::python
