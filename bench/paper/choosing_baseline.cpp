// How sure a verdict may be where all items share a baseline and NMF has none of its own: simulations with and without
// one, of other seeds than tables 12 and 13 of Kuang's thesis. A line for each survey: kind of data, planted number,
// deviation, seed, share of a baseline, chosen number, how sure it says it is.
// ./run bench paper/choosing_baseline [REPETITIONS] [RUNS] [FIRST SEED]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/choose/baseline.h"
#include "copse/generate/gene_expression.h"
#include "copse/run/choose_run.h"

namespace copse {
namespace {

// Clusters of 60 items whose centres are half zeros, with a factor for each item, noise, and `baseline` for every
// feature, whose clean entries have a mean square near 1.
Matrix<float> parts_with_baseline(Index k, double deviation, double baseline, std::uint64_t seed) {
  constexpr Index features = 100, per_cluster = 60;
  Random random(seed, 77);
  Matrix<double> centres(k, features);
  for (double& value : centres.values()) value = std::max(0.0, 1.4 * random.normal());
  std::vector<double> base;
  for (Index i = 0; i < features; ++i) base.push_back(baseline * (0.5 + random.uniform()));
  Matrix<float> items(k * per_cluster, features);
  for (Index j = 0; j < items.rows(); ++j) {
    const double size = 0.7 + 0.6 * random.uniform();
    for (Index i = 0; i < features; ++i)
      items(j, i) =
          static_cast<float>(std::max(0.0, base[i] + size * centres(j % k, i) + 2 * deviation * random.normal()));
  }
  return items;
}

// What is left of gene expression without the part of a baseline that nine tenths of the items have.
Matrix<float> without_baseline(Matrix<float> items, double part) {
  for (Index i = 0; i < items.cols(); ++i) {
    std::vector<float> values;
    for (Index j = 0; j < items.rows(); ++j) values.push_back(items(j, i));
    const auto tenth = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 10);
    std::nth_element(values.begin(), tenth, values.end());
    for (Index j = 0; j < items.rows(); ++j)
      items(j, i) = std::max(0.0F, items(j, i) - static_cast<float>(part) * *tenth);
  }
  return items;
}

void run(int repetitions, int runs, std::uint64_t first_seed) {
  std::printf("kind\tK\tsigma\tseed\tbaseline\tk\tsure\n");
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (const double deviation : {0.25, 0.3, 0.35, 0.4, 0.45, 0.5}) {
      for (const Index k : {1, 2, 3, 4, 5, 6}) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(1000 * repetition + 10 * k) +
                                   static_cast<std::uint64_t>(100 * deviation);
        const auto genes = std::get<Matrix<float>>(
            generate_gene_expression<float>({.k = k, .deviation = deviation, .seed = seed}).data.values);
        std::map<std::string, Matrix<float>> sets;
        sets["genes"] = genes;
        sets["genes, half"] = without_baseline(genes, 0.5);
        for (const double baseline : {1.0, 3.0}) {
          char name[100];
          std::snprintf(name, sizeof name, "parts, %.0f", baseline);
          sets[name] = parts_with_baseline(k, deviation, baseline, seed);
        }
        for (auto& [name, items] : sets) {
          const Dataset<float> data{.values = std::move(items)};
          ChooseRunOptions options;
          options.survey.ks = {2, 3, 4, 5, 6, 7};
          options.survey.kinds = {RunKind::split, RunKind::null_split, RunKind::shuffled_split};
          options.survey.runs = runs;
          options.survey.seed = seed;
          options.flat.nmf.tolerance = tolerance_by_data;
          const Verdict verdict = run_survey(data, options).report.verdict;
          std::vector<Index> all(static_cast<std::size_t>(data.items()));
          std::iota(all.begin(), all.end(), Index(0));
          std::printf("%s\t%d\t%.2f\t%llu\t%.3f\t%d\t%.3f\n", name.c_str(), static_cast<int>(k), deviation,
                      static_cast<unsigned long long>(seed), baseline_share<float>(data, all),
                      static_cast<int>(verdict.k), verdict.sure);
          std::fflush(stdout);
        }
      }
    }
  }
}

}  // namespace
}  // namespace copse

int main(int count, char** arguments) {
  const int repetitions = count > 1 ? std::atoi(arguments[1]) : 3, runs = count > 2 ? std::atoi(arguments[2]) : 10;
  const long first = count > 3 ? std::atol(arguments[3]) : 100000;
  copse::with_threads(1, nullptr, [&] { copse::run(repetitions, runs, static_cast<std::uint64_t>(first)); });
}
