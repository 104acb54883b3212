// How often a tree that several processes grow together is another than that of one: sums in another order round
// otherwise. The processes are threads here, which sends the same numbers in the same order as MPI does.
// Usage: ranks DOCUMENTS TERMS TOPICS FIRST_SEED LAST_SEED [--mndcg] [--double] [--sizes 2 3 4]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "copse/generate/corpus.h"
#include "copse/measure/clustering.h"
#include "copse/tree/shared_tree.h"
#include "copse/tree/tree.h"
#include "tests/support/blocked.h"
#include "tests/support/thread_team.h"

namespace {

using namespace copse;

struct Call {
  CorpusOptions corpus;
  TreeOptions tree;
  std::uint64_t last_seed = 0;
  std::vector<int> sizes = {2, 3, 4};  // of the teams
};

std::vector<Index> leaves_of(const Tree& tree) { return tree.partition(tree.splits()); }

// The first split that differs, counted from 1, or 0; and by how many items of the node that is split.
std::pair<int, Index> first_difference(const Tree& a, const Tree& b) {
  for (int split = 1; split <= std::min(a.splits(), b.splits()); ++split) {
    const auto of = [&](const Tree& tree) {
      for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
        if (tree.nodes[n].split == split) return static_cast<Index>(n);
      }
      return Index(0);
    };
    const Index n = of(a), m = of(b);
    if (a.id(n) != b.id(m)) return {split, -1};
    std::vector<RowIndex> moved;
    std::ranges::set_symmetric_difference(a.nodes[a.nodes[n].first].items, b.nodes[b.nodes[m].first].items,
                                          std::back_inserter(moved));
    if (!moved.empty() || a.nodes[n].outliers != b.nodes[m].outliers) return {split, static_cast<Index>(moved.size())};
  }
  return {a.splits() == b.splits() ? 0 : -1, 0};
}

void compare(const char* name, const Tree& a, const Tree& b, std::span<const Index> truth) {
  const std::vector<Index> la = leaves_of(a), lb = leaves_of(b);
  Index same = 0;
  for (std::size_t j = 0; j < la.size(); ++j) same += la[j] == lb[j];
  const ClusteringMeasures measures = compare_clusterings(lb, la);
  const auto [split, moved] = first_difference(a, b);
  std::printf(" | %s %.4f %.4f nmi %.4f, split %d moves %lld, truth %.4f", name,
              static_cast<double>(same) / static_cast<double>(la.size()), measures.accuracy, measures.nmi, split,
              static_cast<long long>(moved), compare_clusterings(lb, truth).nmi);
}

template <class T>
void run(Call call) {
  for (; call.corpus.seed <= call.last_seed; ++call.corpus.seed) {
    const Planted<T> planted = generate_corpus<T>(call.corpus);
    const auto& x = std::get<SparseMatrix<T>>(planted.data.values);
    const testing::OddBlocks<T> blocks(x, 50);
    const Tree alone = build_tree(*tree_data(SparseView<T>(x)), call.tree);
    const std::vector<Index>& truth = planted.labels;
    std::printf("seed %llu: truth %.4f", static_cast<unsigned long long>(call.corpus.seed),
                compare_clusterings(leaves_of(alone), truth).nmi);
    for (const int size : call.sizes) {
      Tree together;
      testing::with_team(size, [&](const Team& team) {
        auto tree = build_tree(*shared_tree_data<T>(blocks, 1e12, team, team.starts_of(x.cols)), call.tree);
        if (team.rank() == 0) together = std::move(tree);
      });
      compare(std::to_string(size).c_str(), alone, together, truth);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 6)
    return std::fprintf(stderr, "Usage: ranks DOCUMENTS TERMS TOPICS FIRST_SEED LAST_SEED [--double]\n"), 2;
  Call call;
  call.corpus = {.documents = std::atol(words[1]), .terms = std::atol(words[2]), .k = std::atol(words[3])};
  call.corpus.seed = std::strtoull(words[4], nullptr, 10);
  call.last_seed = std::strtoull(words[5], nullptr, 10);
  call.tree.leaves = call.corpus.k;
  call.tree.score = Score::error;
  bool in_double = false;
  for (int w = 6; w < count; ++w) {
    const std::string word = words[w];
    if (word == "--double") in_double = true;
    if (word == "--mndcg") call.tree.score = Score::mndcg;
    if (word == "--sizes") {
      for (call.sizes.clear(); w + 1 < count; ++w) call.sizes.push_back(std::atoi(words[w + 1]));
    }
  }
  try {
    in_double ? run<double>(call) : run<float>(call);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
