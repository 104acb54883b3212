// Data from files and from generators, and measures of clusterings.
#include <nanobind/stl/filesystem.h>

#include <optional>

#include "copse/generate/corpus.h"
#include "copse/generate/gene_expression.h"
#include "copse/generate/graph.h"
#include "copse/generate/mixture.h"
#include "copse/generate/uniform_sparse.h"
#include "copse/input/choices.h"
#include "copse/io/matrix_file.h"
#include "copse/measure/clustering.h"
#include "python/src/bind.h"
#include "python/src/supervisor.h"

namespace copse::python {

template <class T>
nb::dict to_dict(Planted<T> planted) {
  nb::dict out = to_dict(std::move(planted.data));
  out["labels"] = to_numpy(std::move(planted.labels));
  out["parents"] = to_numpy(std::move(planted.parents));
  return out;
}

namespace {

// The value that make() returns, made under supervision.
template <class Make>
auto supervised(int threads, const Make& make) {
  std::optional<decltype(make())> made;
  Supervisor().run(threads, [&] { made.emplace(make()); });
  return std::move(*made);
}

template <class T>
nb::dict read(const std::filesystem::path& path, const ReadOptions& options, int threads) {
  ReadResult<T> result = supervised(threads, [&] { return read_matrix<T>(path, options); });
  nb::dict out = to_dict(std::move(result.dataset));
  out["notes"] = std::move(result.notes);
  out["labels"] = std::move(result.labels);
  return out;
}

// `name`: of the class for the options, and of the function that takes them and the precision.
template <class Options>
nb::class_<Options> bind_generator(nb::module_& module, const char* options_name, const char* name, auto single,
                                   auto full) {
  module.def(
      name,
      [single, full](const Options& options, bool single_precision, int threads) {
        return single_precision ? to_dict(supervised(threads, [&] { return single(options); }))
                                : to_dict(supervised(threads, [&] { return full(options); }));
      },
      nb::arg("options"), nb::arg("single_precision"), nb::arg("threads"));
  return nb::class_<Options>(module, options_name).def(nb::init<>()).def_rw("seed", &Options::seed);
}

void bind_generators(nb::module_& module) {
  bind_generator<CorpusOptions>(
      module, "CorpusOptions", "generate_corpus",
      [](const CorpusOptions& options) { return generate_corpus<float>(options); },
      [](const CorpusOptions& options) { return generate_corpus<double>(options); })
      .def_rw("documents", &CorpusOptions::documents)
      .def_rw("terms", &CorpusOptions::terms)
      .def_rw("k", &CorpusOptions::k)
      .def_rw("branch", &CorpusOptions::branch)
      .def_rw("terms_per_document", &CorpusOptions::terms_per_document)
      .def_rw("zipf", &CorpusOptions::zipf)
      .def_rw("strength", &CorpusOptions::strength)
      .def_rw("counts", &CorpusOptions::counts);
  bind_generator<MixtureOptions>(module, "MixtureOptions", "generate_mixture", generate_mixture<float>,
                                 generate_mixture<double>)
      .def_rw("k", &MixtureOptions::k)
      .def_rw("features", &MixtureOptions::features)
      .def_rw("items", &MixtureOptions::items)
      .def_rw("variance", &MixtureOptions::variance);
  bind_generator<GeneExpressionOptions>(module, "GeneExpressionOptions", "generate_gene_expression",
                                        generate_gene_expression<float>, generate_gene_expression<double>)
      .def_rw("k", &GeneExpressionOptions::k)
      .def_rw("features", &GeneExpressionOptions::features)
      .def_rw("nuisance_features", &GeneExpressionOptions::nuisance_features)
      .def_rw("items_per_cluster", &GeneExpressionOptions::items_per_cluster)
      .def_rw("deviation", &GeneExpressionOptions::deviation)
      .def_rw("outlier_fraction", &GeneExpressionOptions::outlier_fraction)
      .def_rw("largest_outlier", &GeneExpressionOptions::largest_outlier);
  bind_generator<GraphOptions>(module, "GraphOptions", "generate_graph", generate_graph<float>, generate_graph<double>)
      .def_rw("nodes", &GraphOptions::nodes)
      .def_rw("k", &GraphOptions::k)
      .def_rw("degree", &GraphOptions::degree)
      .def_rw("mixing", &GraphOptions::mixing);
  bind_generator<UniformSparseOptions>(module, "UniformSparseOptions", "generate_uniform_sparse",
                                       generate_uniform_sparse<float>, generate_uniform_sparse<double>)
      .def_rw("features", &UniformSparseOptions::features)
      .def_rw("items", &UniformSparseOptions::items)
      .def_rw("density", &UniformSparseOptions::density);
}

}  // namespace

void bind_data(nb::module_& module) {
  module.def(
      "read_matrix",
      [](const std::filesystem::path& path, const std::string& items, const std::string& header,
         const std::string& row_names, const std::string& layer, const std::string& label, bool single_precision,
         int threads) {
        ReadOptions options;
        options.layer = layer;
        options.label = label;
        options.items = choice_of<copse::Items>("items", items);
        options.header = choice_of<Presence>("header", header);
        options.row_names = choice_of<Presence>("row_names", row_names);
        return single_precision ? read<float>(path, options, threads) : read<double>(path, options, threads);
      },
      nb::arg("path"), nb::arg("items"), nb::arg("header"), nb::arg("row_names"), nb::arg("layer"), nb::arg("label"),
      nb::arg("single_precision"), nb::arg("threads"));
  bind_generators(module);
  nb::class_<ClusteringMeasures>(module, "ClusteringMeasures")
      .def_ro("items", &ClusteringMeasures::items)
      .def_ro("clusters", &ClusteringMeasures::clusters)
      .def_ro("classes", &ClusteringMeasures::classes)
      .def_ro("accuracy", &ClusteringMeasures::accuracy)
      .def_ro("nmi", &ClusteringMeasures::nmi)
      .def_ro("ari", &ClusteringMeasures::ari)
      .def_ro("purity", &ClusteringMeasures::purity)
      .def_ro("entropy", &ClusteringMeasures::entropy);
  module.def(
      "compare_clusterings",
      [](const Array<std::int64_t, 1>& clusters, const Array<std::int64_t, 1>& classes) {
        return compare_clusterings(std::span(clusters.data(), clusters.size()),
                                   std::span(classes.data(), classes.size()));
      },
      nb::arg("clusters"), nb::arg("classes"));
}

}  // namespace copse::python
