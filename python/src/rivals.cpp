// Topics, anchors, exemplars, and factors with a graph.
#include "python/src/rivals.h"

#include "copse/cluster/affinity_propagation.h"
#include "copse/cluster/anchor_words.h"
#include "copse/cluster/gnmf.h"
#include "copse/cluster/k_means.h"
#include "copse/cluster/lda.h"
#include "copse/cluster/separable.h"
#include "copse/cluster/sparse_items.h"
#include "copse/graph/similarity.h"
#include "copse/kernels/in_memory.h"
#include "copse/methods/choices.h"
#include "copse/nmf/assign.h"
#include "python/src/items.h"
#include "python/src/settings.h"
#include "python/src/supervisor.h"

namespace copse::python {
namespace {

template <class T>
nb::dict fit_lda(const Items<T>& x, Index topics, double alpha, double beta, bool optimize_alpha, bool optimize_beta,
                 int sweeps, int burn_in, std::uint64_t seed, double time_limit, int threads) {
  const LdaOptions options{.topics = topics,
                           .alpha = alpha,
                           .beta = beta,
                           .optimize_alpha = optimize_alpha,
                           .optimize_beta = optimize_beta,
                           .sweeps = sweeps,
                           .burn_in = burn_in,
                           .time_limit = time_limit,
                           .seed = seed};
  LdaResult<T> result;
  Supervisor().run(threads, [&] {
    const Dataset<T> data = x.dataset();
    result = lda(SparseItems<T>(data).view(), options);
  });
  std::vector<double> history;
  for (const LdaIteration& iteration : result.history) history.push_back(iteration.log_likelihood);
  nb::dict out;
  out["words"] = to_numpy(std::move(result.words));
  out["documents"] = to_numpy(std::move(result.documents));
  out["alpha"] = to_numpy(std::move(result.alpha));
  out["beta"] = result.beta;
  out["log_likelihood"] = result.log_likelihood;
  out["history"] = to_numpy(std::move(history));
  out["stop_reason"] = name_of(result.stop_reason);
  return out;
}

template <class T>
nb::object place_in_lda(const Items<T>& x, const Array<T, 2>& words, const Array<double, 1>& alpha, int threads) {
  Matrix<T> placed;
  const Matrix<T> w = to_matrix(words);
  Supervisor().run(threads, [&] {
    const Dataset<T> data = x.dataset();
    placed = place_documents(SparseItems<T>(data).view(), w, std::span(alpha.data(), alpha.size()));
  });
  return to_numpy(std::move(placed));
}

template <class T>
double perplexity_of(const Items<T>& x, const Array<T, 2>& words, const Array<T, 2>& documents, int threads) {
  double value = 0;
  const Matrix<T> w = to_matrix(words);
  const Matrix<T> h = to_matrix(documents);
  Supervisor().run(threads, [&] {
    const Dataset<T> data = x.dataset();
    value = perplexity(SparseItems<T>(data).view(), w, h);
  });
  return value;
}

template <class T>
nb::dict fit_anchor_topics(const Items<T>& x, Index topics, Index min_documents, int threads) {
  AnchorResult<T> result;
  Supervisor().run(threads, [&] {
    const Dataset<T> data = x.dataset();
    result = anchor_topics(SparseItems<T>(data).view(), {.topics = topics, .min_documents = min_documents});
  });
  nb::dict out;
  out["anchors"] = to_numpy(std::move(result.anchors));
  out["words"] = to_numpy(std::move(result.words));
  out["mixtures"] = to_numpy(std::move(result.mixtures));
  out["topic_shares"] = to_numpy(std::move(result.topic_shares));
  out["residual"] = result.residual;
  return out;
}

// Anchors among the features: the library looks among the columns of X'.
template <class T>
nb::dict fit_separable(const Items<T>& x, const std::string& method, Index anchors, const std::string& selection,
                       int epochs, double primal_step, double dual_step, double decay, double memory_limit,
                       std::uint64_t seed, int threads) {
  SeparableOptions options{.anchors = anchors,
                           .epochs = epochs,
                           .primal_step = primal_step,
                           .dual_step = dual_step,
                           .decay = decay,
                           .memory_limit = memory_limit,
                           .seed = seed};
  options.selection = choice_of<XraySelection>("selection", selection);
  SeparableResult<T> result;
  Supervisor().run(threads, [&] {
    const Dataset<T> data = x.dataset();
    const SparseMatrix<T> features = transpose(SparseItems<T>(data).view());
    result = method == "xray" ? xray<T>(features, options) : hottopixx<T>(features, options);
  });
  std::vector<double> history;
  for (const SeparableIteration& iteration : result.history) history.push_back(iteration.relative_error);
  nb::dict out;
  out["anchors"] = to_numpy(std::move(result.anchors));
  out["w"] = to_numpy(std::move(result.h));
  out["relative_error"] = result.relative_error;
  out["history"] = to_numpy(std::move(history));
  return out;
}

template <class T>
nb::object place_on(const Items<T>& x, const Array<T, 2>& w, bool by_divergence, int threads) {
  Matrix<T> placed;
  const Matrix<T> topics = to_matrix(w);
  Supervisor().run(threads, [&] {
    placed = by_divergence ? assign_items_by_divergence(x.data(), topics) : assign_items(x.data(), topics);
  });
  return to_numpy(std::move(placed));
}

AffinityOptions affinity_options(Index k, const nb::object& preference, double damping, double most_damping,
                                 int max_iterations, int stable_iterations, double time_limit) {
  AffinityOptions options{.k = k,
                          .damping = damping,
                          .max_iterations = max_iterations,
                          .stable_iterations = stable_iterations,
                          .most_damping = most_damping,
                          .time_limit = time_limit};
  if (!preference.is_none()) options.preference = nb::cast<double>(preference);
  return options;
}

nb::dict affinity_dict(AffinityResult result) {
  nb::dict out;
  out["labels"] = to_numpy(std::move(result.labels));
  out["exemplars"] = to_numpy(std::move(result.exemplars));
  out["preference"] = result.preference;
  out["damping"] = result.damping;
  out["converged"] = result.converged;
  out["iterations"] = result.iterations;
  out["runs"] = result.runs;
  out["net_similarity"] = result.net_similarity;
  out["stop_reason"] = name_of(result.stop_reason);
  return out;
}

template <class T>
nb::dict fit_gnmf(const Items<T>& x, Index k, double lambda, const std::string& solver, Index neighbours,
                  int max_iterations, double tolerance, int runs, std::uint64_t seed, int threads) {
  GnmfOptions options{
      .rank = k, .lambda = lambda, .max_iterations = max_iterations, .tolerance = tolerance, .seed = seed};
  if (solver == "hals") options.solver = GnmfSolver::hals;
  GnmfResult<T> result;
  KMeansResult<T> clusters;
  Supervisor().run(threads, [&] {
    const Dataset<T> data = x.dataset();
    SimilarityOptions similarity{.neighbours = std::min(neighbours, std::max<Index>(1, data.items() - 1))};
    similarity.kind = data.is_sparse() ? Similarity::cosine : Similarity::self_tuning;
    const Graph<T> graph = similarity_graph(data, similarity);
    const auto in = in_memory(data);
    result = gnmf<T>(*in, graph.weights, options);
    clusters = k_means_rows(Matrix<T>(result.h), {.clusters = k, .spherical = true, .runs = runs, .seed = seed});
  });
  std::vector<double> history;
  for (const GnmfIteration& iteration : result.history) history.push_back(iteration.objective);
  nb::dict out;
  out["w"] = to_numpy(std::move(result.w));
  out["h"] = to_numpy(std::move(result.h));
  out["labels"] = to_numpy(std::move(clusters.labels));
  out["relative_error"] = result.relative_error;
  out["objective"] = result.objective;
  out["history"] = to_numpy(std::move(history));
  out["stop_reason"] = name_of(result.stop_reason);
  return out;
}

template <class T>
void bind_rivals(nb::module_& module) {
  module.def("lda", &fit_lda<T>, nb::arg("items"), nb::arg("topics"), nb::arg("alpha"), nb::arg("beta"),
             nb::arg("optimize_alpha"), nb::arg("optimize_beta"), nb::arg("sweeps"), nb::arg("burn_in"),
             nb::arg("seed"), nb::arg("time_limit"), nb::arg("threads"));
  module.def("place_in_lda", &place_in_lda<T>, nb::arg("items"), nb::arg("words"), nb::arg("alpha"),
             nb::arg("threads"));
  module.def("perplexity", &perplexity_of<T>, nb::arg("items"), nb::arg("words"), nb::arg("documents"),
             nb::arg("threads"));
  module.def("anchor_topics", &fit_anchor_topics<T>, nb::arg("items"), nb::arg("topics"), nb::arg("min_documents"),
             nb::arg("threads"));
  module.def("separable", &fit_separable<T>, nb::arg("items"), nb::arg("method"), nb::arg("anchors"),
             nb::arg("selection"), nb::arg("epochs"), nb::arg("primal_step"), nb::arg("dual_step"), nb::arg("decay"),
             nb::arg("memory_limit"), nb::arg("seed"), nb::arg("threads"));
  module.def("place_on", &place_on<T>, nb::arg("items"), nb::arg("w"), nb::arg("by_divergence"), nb::arg("threads"));
  module.def("gnmf", &fit_gnmf<T>, nb::arg("items"), nb::arg("k"), nb::arg("weight"), nb::arg("solver"),
             nb::arg("neighbours"), nb::arg("max_iterations"), nb::arg("tolerance"), nb::arg("runs"), nb::arg("seed"),
             nb::arg("threads"));
}

}  // namespace

void bind_rivals(nb::module_& module) {
  bind_rivals<float>(module);
  bind_rivals<double>(module);
  module.def(
      "affinity_propagation",
      [](const Array<double, 2>& similarities, Index k, const nb::object& preference, double damping,
         double most_damping, int max_iterations, int stable_iterations, double time_limit, int threads) {
        const AffinityOptions options =
            affinity_options(k, preference, damping, most_damping, max_iterations, stable_iterations, time_limit);
        const Matrix<double> s = to_matrix(similarities);
        AffinityResult result;
        Supervisor().run(threads, [&] { result = affinity_propagation(s, options); });
        return affinity_dict(std::move(result));
      },
      nb::arg("similarities"), nb::arg("k"), nb::arg("preference").none(), nb::arg("damping"), nb::arg("most_damping"),
      nb::arg("max_iterations"), nb::arg("stable_iterations"), nb::arg("time_limit"), nb::arg("threads"));
  // Row i of the CSR matrix has the similarities of item i to those that may stand for it.
  module.def(
      "affinity_propagation_on_pairs",
      [](const Items<double>& similarities, Index k, const nb::object& preference, double damping, double most_damping,
         int max_iterations, int stable_iterations, double time_limit, int threads) {
        const AffinityOptions options =
            affinity_options(k, preference, damping, most_damping, max_iterations, stable_iterations, time_limit);
        AffinityResult result;
        Supervisor().run(threads, [&] {
          const Dataset<double> data = similarities.dataset();
          result = affinity_propagation(SparseView<double>(std::get<SparseMatrix<double>>(data.values)), options);
        });
        return affinity_dict(std::move(result));
      },
      nb::arg("similarities"), nb::arg("k"), nb::arg("preference").none(), nb::arg("damping"), nb::arg("most_damping"),
      nb::arg("max_iterations"), nb::arg("stable_iterations"), nb::arg("time_limit"), nb::arg("threads"));
}

}  // namespace copse::python
