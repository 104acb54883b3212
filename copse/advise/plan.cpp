#include "copse/advise/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>
#include <memory>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/engines/disk/file_items.h"
#include "copse/generate/corpus.h"
#include "copse/input/shared_input.h"
#include "copse/io/item_blocks.h"
#include "copse/io/open_blocks.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/nmf.h"
#include "copse/options/wording.h"
#include "copse/tree/tree.h"

namespace copse {
namespace {

constexpr Index sampled_entries = 1'000'000;
constexpr Index most_sampled_features = 400'000;
constexpr Index sampled_leaves = 8;
constexpr int sampled_iterations = 12;
// Reads of the file beside those of the iterations: |X|^2, the sample, and what preparation learns.
constexpr double other_reads = 3;
// nmf/sample_start.h: alternations on the sample, with twice the components and with as many.
constexpr double crowded_alternations = 10, merged_alternations = 4;
// Bytes of an entry in a .copse file of short items, about.
constexpr double packed_entry = 5;

double cpu_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The least of a few tries, for others use the machine as well.
template <class Work>
double seconds_of(const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const double before = cpu_now();
    work();
    least = std::min(least, cpu_now() - before);
  }
  return std::max(least, 1e-9);
}

// Some items, as the file has them or as a corpus of these sizes would.
template <class T>
Dataset<T> sampled_items(const PlannedFile& file, const ItemBlocks* blocks, Speed& speed) {
  const MatrixSummary& summary = file.summary;
  if (blocks != nullptr && blocks->blocks() > 0) {
    const FileItems<T> items{std::shared_ptr<const ItemBlocks>(std::shared_ptr<void>(), blocks)};
    Index count = 1;
    while (count < items.blocks() && items.first_entries()[count] < sampled_entries) ++count;
    SparseMatrix<T> block, all{.rows = items.rows()};
    double fetching = 0;
    for (Index b = 0; b < count; ++b) {
      const double before = cpu_now();
      items.read(b, block);
      fetching += cpu_now() - before;
      const Index first = all.nonzeros();
      all.indices.insert(all.indices.end(), block.indices.begin(), block.indices.end());
      all.values.insert(all.values.end(), block.values.begin(), block.values.end());
      for (Index j = 1; j <= block.cols; ++j) all.offsets.push_back(first + block.offsets[j]);
      all.cols += block.cols;
    }
    speed.fetch = fetching / static_cast<double>(std::max<Index>(1, all.nonzeros()));
    return {.values = std::move(all)};
  }
  const Index features = std::clamp<Index>(summary.features, 1, most_sampled_features);
  if (!summary.sparse) {
    const Index items = std::clamp<Index>(sampled_entries / features, 1, std::max<Index>(1, summary.items));
    Matrix<T> values(items, features);
    for (Index j = 0; j < items; ++j) {
      Random random(0, static_cast<std::uint64_t>(j));
      for (T& value : values.row(j)) value = static_cast<T>(random.uniform());
    }
    return {.values = std::move(values)};
  }
  const double each = static_cast<double>(summary.nonzeros) / static_cast<double>(std::max<Index>(1, summary.items));
  const Index items = std::clamp<Index>(static_cast<Index>(static_cast<double>(sampled_entries) / std::max(each, 1.0)),
                                        2, std::max<Index>(2, summary.items));
  return generate_corpus<T>({.documents = items,
                             .terms = features,
                             .k = std::min<Index>(sampled_leaves, items),
                             .terms_per_document = std::clamp(each, 1.0, static_cast<double>(features) / 2)})
      .data;
}

template <class T>
Matrix<T> random_rows(Index rows, Index k, std::uint64_t seed) {
  Matrix<T> factor(rows, k);
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, static_cast<std::uint64_t>(i));
    for (T& value : factor.row(i)) value = static_cast<T>(random.uniform());
  }
  return factor;
}

template <class T>
void measure_iteration(const Dataset<T>& items, const MemoryJob& job, Speed& speed) {
  const auto x = in_memory(items);
  const Index k = std::min(job.clusters, std::min(x->rows(), x->cols()));
  const Matrix<T> w = random_rows<T>(x->rows(), k, 1), h = random_rows<T>(x->cols(), k, 2);
  Matrix<T> product;
  x->times(h, product);  // makes the copies that products read
  x->transpose_times(w, product);
  const double products =
      seconds_of([&] { x->transpose_times(w, product); }) + seconds_of([&] { x->times(h, product); });
  speed.entry = products / static_cast<double>(std::max<Index>(1, x->nonzeros()));
  // What else there is to an iteration goes with the rows of both factors.
  const double before = cpu_now();
  factorize(
      *x,
      {.rank = k, .solver = job.solver, .start = Start::random, .max_iterations = sampled_iterations, .tolerance = 0});
  const double others = (cpu_now() - before) / sampled_iterations - products;
  speed.row = std::max(others, 1e-9) / static_cast<double>(x->rows() + x->cols());
}

double levels(double leaves) { return std::log2(std::max(2.0, leaves)) + 1; }

template <class T>
void measure_tree(const Dataset<T>& items, const MemoryJob& job, Speed& speed) {
  const auto data = tree_data(items);
  const double before = cpu_now();
  const Tree tree = build_tree(*data, TreeOptions{.leaves = std::min(job.clusters, sampled_leaves)});
  const double seconds = cpu_now() - before;
  const double read = std::max(1.0, tree.cost.entries_read);
  speed.entry = seconds / read;
  const double each = read / static_cast<double>(std::max<Index>(1, items.nonzeros()));
  speed.reads_per_level = each / levels(static_cast<double>(tree.leaves));
  speed.reads_per_split =
      static_cast<double>(tree.cost.iterations) / static_cast<double>(std::max<Index>(1, tree.cost.factorizations));
}

double entries_of(const MatrixSummary& summary) {
  return summary.nonzeros >= 0 ? static_cast<double>(summary.nonzeros)
                               : static_cast<double>(summary.features) * static_cast<double>(summary.items);
}

// Where the entries are, and what that takes; as read_or_refuse() and load_shared() decide.
void choose_engine(const PlannedFile& file, const PlanOptions& options, Plan& plan, double& left) {
  MemoryJob job = options.job;
  job.may_spill = job.gives == Gives::flat && options.processes == 1;
  const double limit = limit_of(job);
  plan.limit = limit;
  const double whole = estimate_memory(file.summary, job, options.precision).total();
  const auto streamed = [&] {
    const StreamedEstimate estimate = estimate_streamed(file.summary, file.blocks, job, options.precision);
    plan.spilled = estimate.spilled;
    return estimate.memory.total();
  };
  const auto refuse = [&](double needed) {
    if (needed > limit)
      plan.problem =
          fmt::format("it needs about {} of memory, and {} {}", in_bytes(needed),
                      job.memory_limit > 0 ? "`memory_limit` allows" : "the machine can spare", in_bytes(limit));
  };
  if (options.processes == 1) {
    plan.engine = job.engine == Engine::disk || (job.engine == Engine::automatic && whole > limit && file.has_blocks)
                      ? "disk"
                      : "memory";
    plan.in_file = plan.engine == "disk";
    plan.memory = plan.in_file ? streamed() : whole;
    if (plan.in_file && !file.has_blocks)
      plan.problem = "the file cannot be read in blocks; copse convert makes one that can";
    refuse(plan.memory);
    left = limit - plan.memory;
    return;
  }
  plan.engine = "mpi";
  if (!file.has_blocks) plan.problem = "several processes read a .copse file; copse convert makes one";
  plan.memory = streamed();
  left = limit - plan.memory;
  const double share = bytes_of_share(file.summary.nonzeros, job.clusters, options.precision, options.processes);
  plan.in_file = job.engine == Engine::disk || (job.engine == Engine::automatic && share > left);
  if (!plan.in_file && job.gives == Gives::flat) {
    plan.memory += share;
    left -= share;
  }
  refuse(plan.memory);
}

void plan_flat(const PlannedFile& file, const Speed& speed, const PlanOptions& options, Plan& plan) {
  const MatrixSummary& summary = file.summary;
  const MemoryJob& job = options.job;
  const double p = options.processes, n = static_cast<double>(summary.items), m = static_cast<double>(summary.features);
  const double k = static_cast<double>(job.clusters), entries = entries_of(summary);
  const double width = options.precision == Precision::single ? 4 : 8;
  const double rows = (m + n) / p * speed.row, products = entries / p * speed.entry;
  const double share = job.samples ? std::min(std::max(n / 10, 100 * k), n / 2) / std::max(n, 1.0) : 0;
  // With twice the components products take twice and a step four times as long.
  const double start =
      share * (crowded_alternations * (2 * products + 4 * rows) + merged_alternations * (products + rows));
  plan.file_reads = plan.in_file ? options.iterations + other_reads : options.processes > 1 ? other_reads : 1;
  plan.cpu_seconds = options.iterations * (products + rows) + start;
  if (plan.in_file) plan.cpu_seconds += plan.file_reads * entries / p * speed.fetch;
  const auto traffic = [&](Index columns, bool with_gradient) {
    return iteration_traffic(summary.features, columns, width, options.processes, options.network, with_gradient);
  };
  plan.iteration = traffic(job.clusters, true);
  plan.traffic = options.iterations * plan.iteration;
  if (job.samples) {
    plan.traffic += crowded_alternations * traffic(2 * job.clusters, false);
    plan.traffic += merged_alternations * traffic(job.clusters, false);
  }
  // In the end the factors come to all.
  for (const double all : {m * k * width, n * k * width})
    plan.traffic += all_gather(all / p, all, options.processes, options.network);
}

void plan_tree(const PlannedFile& file, const Speed& speed, const PlanOptions& options, double left, Plan& plan) {
  const MatrixSummary& summary = file.summary;
  const MemoryJob& job = options.job;
  const double p = options.processes, leaves = static_cast<double>(job.clusters), entries = entries_of(summary);
  const double width = options.precision == Precision::single ? 4 : 8;
  const double depth = levels(leaves);
  plan.cpu_seconds = entries / p * speed.reads_per_level * depth * speed.entry;
  plan.file_reads = 1;
  // Halves of halves. Nodes that do not fit are read from the file for every read, the others once.
  Traffic traffic;
  const double node_bytes = entries / p * (width + sizeof(RowIndex));
  double reads = 0;
  for (double level = 0, nodes = 1; level < depth && nodes < 2 * leaves; ++level, nodes *= 2) {
    const double here = std::min(nodes, 2 * leaves - nodes);
    const bool fits = node_bytes / nodes <= left;
    if (plan.engine != "memory") reads += here * (fits ? 1 : speed.reads_per_split);
    const double of_node = entries / nodes;
    const double features = static_cast<double>(summary.features) *
                            -std::expm1(-of_node / std::max(1.0, static_cast<double>(summary.features)));
    Traffic split;
    split += scatter_sum(2 * features * width / p, 2 * features * width, options.processes, options.network);
    split += all_gather(2 * features * width / p, 2 * features * width, options.processes, options.network);
    split += sum_of(4, options.processes, options.network);
    split = speed.reads_per_split * split;
    const double h = static_cast<double>(summary.items) / nodes * 2 * width;
    split += all_gather(h / p, h, options.processes, options.network);
    traffic += here * split;
  }
  plan.file_reads += reads;
  if (plan.engine != "memory") plan.cpu_seconds += reads * entries / p * speed.fetch;
  plan.traffic = traffic;
}

}  // namespace

PlannedFile planned_file(const InputOptions& options) {
  PlannedFile file;
  file.summary = peek_matrix(options.path, options.reading);
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(options.path, unknown);
  if (!unknown) file.bytes = static_cast<double>(bytes);
  if (const auto blocks = open_blocks(options.path, options.reading)) {
    file.has_blocks = true;
    file.blocks = {static_cast<double>(blocks->most_entries()) * (sizeof(float) + sizeof(RowIndex)),
                   static_cast<double>(blocks->most_items())};
    file.bytes = blocks->bytes_read();
  }
  return file;
}

PlannedFile planned_file(Index features, Index items, Index entries, Precision precision) {
  const double width = precision == Precision::single ? 4 : 8;
  const double each = static_cast<double>(entries) / static_cast<double>(std::max<Index>(1, items));
  constexpr double block_entries = 0x1p16;
  return {.summary = {.features = features, .items = items, .nonzeros = entries, .sparse = true},
          .bytes = packed_entry * static_cast<double>(entries),
          .blocks = {block_entries * (width + sizeof(RowIndex)), block_entries / std::max(each, 1.0)},
          .has_blocks = true};
}

Speed measure_speed(const PlannedFile& file, const std::string& path, const ReadOptions& reading,
                    const PlanOptions& options) {
  Speed speed;
  with_threads(1, nullptr, [&] {
    with_precision(options.precision, [&]<class T> {
      const auto blocks = path.empty() ? nullptr : open_blocks(path, reading);
      const Dataset<T> items = sampled_items<T>(file, blocks.get(), speed);
      if (options.job.gives == Gives::tree) {
        measure_tree(items, options.job, speed);
      } else {
        measure_iteration(items, options.job, speed);
      }
    });
  });
  return speed;
}

Plan plan_run(const PlannedFile& file, const Speed& speed, const PlanOptions& options) {
  Plan plan;
  double left = 0;
  choose_engine(file, options, plan, left);
  if (options.job.gives == Gives::tree) {
    plan_tree(file, speed, options, left, plan);
  } else {
    plan_flat(file, speed, options, plan);
  }
  // Everyone reads all of the file to prepare, and then its own share.
  plan.bytes_read = file.bytes * (plan.in_file && options.processes > 1
                                      ? other_reads + (plan.file_reads - other_reads) / options.processes
                                      : plan.file_reads);
  plan.seconds = plan.cpu_seconds / options.threads + plan.traffic.seconds;
  return plan;
}

}  // namespace copse
