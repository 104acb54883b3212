// Clusters of one graph, for graph.py: reads a graph or items, clusters, and prints what that gave and took as JSON.
// Usage: graph FILE -k K [OPTION VALUE]...; the options stand in parse(). With a truth the nodes of an edge list are
// the numbers 0, 1, ...; --write writes the edges that were clustered, --tree 1 builds a tree with k leaves.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <map>
#include <string>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/graph/cluster_graph.h"
#include "copse/graph/graph_tree.h"
#include "copse/graph/read_graph.h"
#include "copse/graph/similarity.h"
#include "copse/io/matrix_file.h"
#include "copse/measure/clustering.h"

namespace {

using namespace copse;
using Clock = std::chrono::steady_clock;

struct Call {
  std::string path, truth, similarity, write;
  GraphClusterOptions options;
  SimilarityOptions graph;
  bool tree = false, history = false, only_similarity = false;
  int threads = 2;
};

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

template <class Value>
Value choice(const std::string& word, const std::map<std::string, Value>& values) {
  const auto found = values.find(word);
  if (found == values.end()) throw InvalidArgument("unknown: " + word);
  return found->second;
}

Call parse(int count, char** words) {
  Call call;
  if (count < 2) throw InvalidArgument("a file is missing");
  call.path = words[1];
  for (int w = 2; w < count; ++w) {
    const std::string name = words[w];
    if (w + 1 == count) throw InvalidArgument(name + " needs a value");
    const std::string value = words[++w];
    GraphClusterOptions& options = call.options;
    if (name == "-k")
      options.k = std::atol(value.c_str());
    else if (name == "--truth")
      call.truth = value;
    else if (name == "--similarity")
      call.similarity = value;
    else if (name == "--sigma")
      call.graph.sigma = std::atof(value.c_str());
    else if (name == "--neighbours")
      call.graph.neighbours = std::atol(value.c_str());
    else if (name == "--search")
      call.graph.search = choice<NeighbourSearch>(
          value, {{"exact", NeighbourSearch::exact}, {"approximate", NeighbourSearch::approximate}});
    else if (name == "--tree")
      call.tree = value == "1";
    else if (name == "--history")
      call.history = value == "1";
    else if (name == "--only-similarity")
      call.only_similarity = value == "1";
    else if (name == "--tolerance")
      options.tolerance = std::atof(value.c_str());
    else if (name == "--low-rank")
      options.low_rank = std::atol(value.c_str());
    else if (name == "--least-component")
      options.least_component = std::atol(value.c_str());
    else if (name == "--model")
      options.model = choice<GraphModel>(value, {{"symmetric", GraphModel::symmetric}, {"blocks", GraphModel::blocks}});
    else if (name == "--choice")
      options.choice = choice<RunChoice>(value, {{"modularity", RunChoice::modularity},
                                                 {"normalized-cut", RunChoice::normalized_cut},
                                                 {"objective", RunChoice::objective}});
    else if (name == "--write")
      call.write = value;
    else if (name == "--tau")
      options.tau = std::atof(value.c_str());
    else if (name == "--iterations")
      options.max_iterations = std::atoi(value.c_str());
    else if (name == "--runs")
      options.runs = std::atoi(value.c_str());
    else if (name == "--seed")
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--threads")
      call.threads = std::atoi(value.c_str());
    else if (name == "--start")
      options.start = choice<GraphStart>(
          value,
          {{"multilevel", GraphStart::multilevel}, {"spectral", GraphStart::spectral}, {"random", GraphStart::random}});
    else if (name == "--labels")
      options.labels = choice<LabelSource>(value, {{"better", LabelSource::better}, {"factor", LabelSource::factor}});
    else if (name == "--solver")
      options.solver = choice<SymSolver>(value, {{"coordinate", SymSolver::coordinate},
                                                 {"hals", SymSolver::hals},
                                                 {"anls", SymSolver::anls},
                                                 {"anls-growing", SymSolver::anls_growing},
                                                 {"newton", SymSolver::newton},
                                                 {"projected-gradient", SymSolver::projected_gradient},
                                                 {"gauss-newton", SymSolver::gauss_newton}});
    else
      throw InvalidArgument("unknown: " + name);
  }
  return call;
}

std::vector<Index> read_truth(const std::string& path) {
  std::map<std::string, Index> numbers;
  std::vector<Index> truth;
  for (const std::string& label : read_names(path))
    truth.push_back(numbers.emplace(label, std::ssize(numbers)).first->second);
  return truth;
}

void print_agreement(const std::vector<Index>& labels, const std::vector<Index>& truth) {
  const auto agreement = compare_clusterings(labels, truth);
  std::printf(", \"nmi\": %.4f, \"accuracy\": %.4f", agreement.nmi, agreement.accuracy);
}

void run_tree(const Graph<float>& graph, const Call& call, const std::vector<Index>& truth) {
  GraphTreeOptions options;
  options.tree.leaves = call.options.k;
  options.tree.seed = call.options.seed;
  options.tau = call.options.tau;
  options.least_component = call.options.least_component;
  const auto began = Clock::now();
  const auto found = cluster_graph_tree(graph, options);
  std::printf(
      "{\"nodes\": %ld, \"edges\": %ld, \"seconds\": %.3f, \"leaves\": %ld, \"modularity\": %.4f, \"pieces\": %ld",
      static_cast<long>(graph.nodes()), static_cast<long>(graph.edges()), seconds_since(began),
      static_cast<long>(found.tree.leaves), found.quality.modularity, static_cast<long>(found.pieces));
  if (!truth.empty()) print_agreement(found.labels, truth);
  std::printf("}\n");
}

void run(const Call& call) {
  const std::vector<Index> truth = call.truth.empty() ? std::vector<Index>{} : read_truth(call.truth);
  Clock::time_point began = Clock::now();
  Graph<float> graph;
  double similarity_seconds = 0;
  if (call.similarity.empty()) {
    ReadGraphOptions options;
    for (std::size_t v = 0; v < truth.size(); ++v) options.nodes.push_back(std::to_string(v));
    graph = read_graph<float>(call.path, options).graph;
  } else {
    const Dataset<float> items = read_matrix<float>(call.path).dataset;
    began = Clock::now();
    SimilarityOptions options = call.graph;
    options.kind = choice<Similarity>(
        call.similarity,
        {{"cosine", Similarity::cosine}, {"gaussian", Similarity::gaussian}, {"self-tuning", Similarity::self_tuning}});
    SimilarityReport report;
    graph = similarity_graph(items, options, &report);
    similarity_seconds = seconds_since(began);
    if (call.only_similarity) {
      std::printf("{\"nodes\": %ld, \"edges\": %ld, \"similarity\": %.3f, \"recall\": %.4f}\n",
                  static_cast<long>(graph.nodes()), static_cast<long>(graph.edges()), similarity_seconds,
                  report.recall);
      return;
    }
  }
  const double read_seconds = seconds_since(began) - similarity_seconds;
  if (!call.write.empty()) {
    std::ofstream out(call.write);
    for (Index j = 0; j < graph.nodes(); ++j) {
      for (Index p = graph.weights.offsets[j]; p < graph.weights.offsets[j + 1]; ++p) {
        if (graph.weights.indices[p] < j)
          out << graph.weights.indices[p] << '\t' << j << '\t' << graph.weights.values[p] << '\n';
      }
    }
  }
  began = Clock::now();
  if (call.tree) return run_tree(graph, call, truth);
  GraphClusterOptions cluster_options = call.options;
  std::map<int, double>
      cpu_seconds;  // of all threads since the begin, by iteration: the clock means little on a busy machine
  const std::clock_t cpu_began = std::clock();
  cluster_options.progress = [&](const SymIteration& step) {
    cpu_seconds[step.number] = static_cast<double>(std::clock() - cpu_began) / CLOCKS_PER_SEC;
    return true;
  };
  const auto found = cluster_graph(graph, cluster_options);
  const double seconds = seconds_since(began);
  std::printf(
      "{\"nodes\": %ld, \"edges\": %ld, \"read\": %.3f, \"similarity\": %.3f, \"seconds\": %.3f, \"modularity\": %.4f, "
      "\"normalized_cut\": %.3f, \"pieces\": %ld, \"iterations\": %d, \"relative_error\": %.6f, \"of_start\": %s",
      static_cast<long>(graph.nodes()), static_cast<long>(graph.edges()), read_seconds, similarity_seconds, seconds,
      found.quality.modularity, found.quality.normalized_cut, static_cast<long>(found.pieces),
      found.history.back().number, found.history.back().relative_error, found.labels_of_start ? "true" : "false");
  if (!truth.empty()) {
    print_agreement(found.labels, truth);
    std::vector<Index> soft = found.labels;  // the largest membership; among equal ones the label's
    for (Index i = 0; i < graph.nodes(); ++i) {
      const auto row = found.weights.row(i);
      const auto largest = std::max_element(row.begin(), row.end());
      const bool tie = soft[i] < found.weights.cols() && row[soft[i]] == *largest;
      if (*largest > 0 && !tie) soft[i] = largest - row.begin();
    }
    std::printf(", \"soft_nmi\": %.4f", compare_clusterings(soft, truth).nmi);
  }
  if (call.history) {
    const char* comma = "";
    std::printf(", \"history\": [");
    for (const SymIteration& step : found.history) {
      std::printf("%s[%d, %.9g, %.6g, %.6f, %.6f]", comma, step.number, step.relative_error,
                  step.projected_gradient_ratio, step.seconds, cpu_seconds[step.number]);
      comma = ", ";
    }
    std::printf("]");
  }
  std::printf("}\n");
}

}  // namespace

int main(int count, char** words) {
  try {
    const Call call = parse(count, words);
    with_threads(call.threads, nullptr, [&] { run(call); });
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
