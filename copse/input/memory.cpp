#include "copse/input/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/choose/consensus_components.h"
#include "copse/kernels/in_memory.h"
#include "copse/kernels/scatter.h"
#include "copse/kernels/sliced_transpose.h"
#include "copse/kernels/streamed_data.h"
#include "copse/options/wording.h"
#include "copse/prepare/near_duplicates.h"
#include "copse/tree/constants.h"
#include "copse/tree/flatten.h"

namespace copse {
namespace {

// What the program takes without any data: its code, as far as a run needs it, and what libraries keep. It is a
// constant, so that a limit that was named once is enough the next time.
constexpr double run_program_bytes = 24.6e6;
// The part of its code that is not needed before documents are read.
constexpr double later_code_bytes = 3e6;

// Pages that are used in part, what an allocator keeps, and what is not counted here.
constexpr double slack = 1.04;

// A name that is a number: a short std::string.
constexpr double number_name = sizeof(std::string);

// Preparation, of a feature: sixteen partial sums and their total, and its number. Of an item: its hash, the items in
// the order of their hashes, which are sorted with a copy, a mark, and its number.
constexpr double prepared_feature = 18 * sizeof(double);
constexpr double prepared_item = sizeof(double) * 5 + 1;

// What a result holds of an item: a TopicItem and its label; while that is made, its cluster with its weight, and its
// place in a list that grows. Then what is written: its number among those that were kept.
constexpr double viewed_item = 72;
constexpr double viewing_item = 80;
constexpr double written_item = 36;
// The page: an entry, of which it holds so many bytes at most, and an item's place among those that could be there.
constexpr double page_entry = 180;
constexpr double page_bytes = 26e6;
constexpr double page_place = 84;
double page_memory(double items) { return std::min(items * page_entry, page_bytes) + items * page_place; }

// Documents: the numbers under which they may meet a near duplicate. Their many small strings leave gaps.
constexpr double compared_item = 8 + 9 * NearDuplicateOptions{}.bands + 32;
constexpr double text_gaps = 1.06;

// A tree that grows: the nodes cut out of the data and those that wait for their turn, as a share of the data; an
// item's place in them; and what the program takes more with its threads at work. Measured over 2 to 400 leaves,
// 200,000 to 7 million entries, 5 to 300 of them in an item.
constexpr double tree_copies = 1.4;
constexpr double tree_item = 150;
constexpr double tree_program_bytes = 6e6;
// A feature of a node: its number and its weight; and what else a node has. How many features the nodes have is known
// only when the tree is grown.
constexpr double node_feature_bytes = 12;
constexpr double tree_node_bytes = 12e3;
// The exact solver takes so many rows at once (copse/nnls/pivoting.cpp): right-hand side, solution and gradient.
constexpr double solver_rows = 1024, solver_row_bytes = 3 * sizeof(double);
// What is written of an item: its paths, weights and lines, which are longer in a deep tree.
double written_tree_item(double leaves) { return 400 + 75 * std::log2(std::max(leaves, 1.0)); }

// A run in numbers.
struct RunNumbers {
  double width = 0;  // bytes of a value
  double features = 0, items = 0, entries = 0, k = 0;
  bool sparse = false;

  double factors(double components) const { return (features + items) * components * width; }
  double data() const {
    return sparse ? entries * (width + sizeof(RowIndex)) + (items + 1) * sizeof(Index) : features * items * width;
  }
  // Both factors and their extrapolated twins, the products X H' and X'W, H before it ran ahead, and X H' in another
  // order of rows. Large arrays end with a whole huge page.
  double alternation(double components, bool extrapolates) const {
    constexpr double huge_page = 0x1p21, arrays = 8;
    const double bytes = 3 * factors(components) + (extrapolates ? items * components * width : 0) +
                         (sparse ? features * components * width : 0);
    return bytes + std::min(bytes / 8, arrays * huge_page / 2);
  }
  // Copies of the data that products make: X', or the other factor with its rows padded to whole vectors.
  double product_copies(double components, Precision precision) const {
    if (sparse && entries < static_cast<double>(SliceOptions{}.least_entries))
      return entries * (width + sizeof(RowIndex)) + features * sizeof(Index);
    if (sparse) {
      const auto columns = static_cast<Index>(components);
      return entries * with_precision(precision, [&]<class T> { return copied_bytes_per_entry<T>(columns); });
    }
    constexpr double longest_vector = 16;
    return std::max(features, items) * std::ceil(components / longest_vector) * longest_vector * width;
  }
};

// What one run of the solver holds at once, beside the data.
double solving_once(const RunNumbers& run, const MemoryJob& job, Precision precision) {
  const bool extrapolates = job.solver == Solver::hals;
  double bytes = run.alternation(run.k, extrapolates) + run.product_copies(run.k, precision);
  // The passive sets of the exact solvers, and the right-hand sides in their order.
  if (job.solver == Solver::active_set || job.solver == Solver::pivoting) bytes += 1.3 * run.factors(run.k);
  if (job.breathes && 1.5 * run.k <= std::min(run.features, run.items)) {
    // The factors wait, with the components that joined them, while half as many more alternate.
    const double breath = 1.5 * run.factors(run.k) + run.alternation(1.5 * run.k, true);
    bytes = std::max(bytes, breath + run.product_copies(1.5 * run.k, precision));
  }
  // The tree, whose nodes are parts of the data; some of their memory is not given back.
  if (job.from_a_tree) bytes = std::max(bytes + 0.8 * run.data(), 1.8 * run.data());
  if (job.samples) {
    // Twice the components on some of the items, before X' is made.
    RunNumbers sample = run;
    sample.items = std::min(std::max(run.items / 10, 100 * run.k), run.items / 2);
    sample.entries = run.entries * sample.items / std::max(run.items, 1.0);
    bytes = std::max(bytes,
                     sample.data() + sample.product_copies(2 * run.k, precision) + sample.alternation(2 * run.k, true));
  }
  return bytes;
}

// The same of all its runs.
double solving(const RunNumbers& run, const MemoryJob& job, Precision precision) {
  const ConsensusMemory consensus = consensus_memory(job.consensus_runs, run.k, run.features, run.width);
  return std::max(solving_once(run, job, precision) + consensus.kept,
                  run.factors(run.k) + run.product_copies(run.k, precision) + consensus.grouped);
}

MemoryEstimate flat_memory(const RunNumbers& run, double held, double reading, const MemoryJob& job,
                           Precision precision) {
  const double numbers = sizeof(Index) * (run.features + run.items);
  const double preparing = run.features * prepared_feature + run.items * prepared_item;
  const double factors = run.factors(run.k);
  const double view = run.items * viewed_item;
  const double transposed = run.sparse ? run.product_copies(run.k, precision) : 0;
  const double compared = job.is_text ? run.items * compared_item : 0;
  const double describing = numbers + factors + transposed + std::max(view + run.items * viewing_item, compared);
  // The data are gone by then.
  const double page = job.has_page ? page_memory(run.items) : 0;
  const double writing = numbers + factors + view + run.items * written_item + page - run.data();
  const double most = std::max({preparing, numbers + solving(run, job, precision), describing, writing});
  const double total = std::max(reading, held + most);
  const double matrix = std::min(total, std::max(reading, held + run.product_copies(run.k, precision)));
  return {.matrix = matrix, .factors = total - matrix};
}

// The topics of all nodes. A node of so few entries has this many features, were they spread evenly.
double tree_nodes(const RunNumbers& run) {
  const double features = run.features * -std::expm1(-run.entries / std::max(run.k, 1.0) / std::max(run.features, 1.0));
  return 2 * run.k * (features * node_feature_bytes + tree_node_bytes);
}

// All items are fitted to the leaves, so many at a time (copse/tree/flatten.h): their entries, if they are not all of
// them, products and coefficients, and the leaves' topics.
double tree_fitting(const RunNumbers& run, bool fetched = false) {
  const auto count = [](double number) { return static_cast<Index>(number); };
  const double at_once =
      std::min(run.items,
               static_cast<double>(items_to_fit_at_once(count(run.items), count(run.entries), count(run.k), fetched)));
  const double share = at_once < run.items ? at_once / run.items : 0;
  const double topics = run.features * run.k * run.width;
  return 2 * at_once * run.k * run.width + 1.1 * share * run.data() + (share > 0 ? 2 : 1) * topics +
         static_cast<double>(thread_count()) * solver_rows * run.k * solver_row_bytes;
}

MemoryEstimate tree_memory(const RunNumbers& run, double held, double reading) {
  // The largest nodes come first, when there are few of them.
  const double growing = held + tree_program_bytes + tree_copies * run.data() + run.items * tree_item;
  // The leaves' topics, their rows in the model, and its bytes. The data are gone by then.
  const double writing =
      held - run.data() + 3.5 * run.features * run.k * run.width + run.items * written_tree_item(run.k);
  const double matrix = std::max(reading, growing);
  const double total = std::max(matrix, tree_nodes(run) + std::max(held + tree_fitting(run), writing));
  return {.matrix = matrix, .factors = total - matrix};
}

// Of entries in a file. Preparation: for an item its number, a mark and two factors.
constexpr double streamed_item = 2 * sizeof(Index) + 1 + 2 * sizeof(double);
// In the nodes of a tree, of which those that fit are loaded.
constexpr double streamed_tree_item = 400;
// The blocks that are read at once, at most.
constexpr double most_streamed_blocks = 16;
// One of a thread.
double streamed_blocks() { return std::min(most_streamed_blocks, static_cast<double>(thread_count())); }

// The partial sums of X H' (copse/kernels/streamed_data.h).
double streamed_sums(const RunNumbers& run, double components, Precision precision) {
  const auto features = static_cast<Index>(run.features), columns = static_cast<Index>(components);
  return with_precision(precision, [&]<class T> {
    return static_cast<double>(streamed_parts<T>(features, columns, static_cast<Index>(most_streamed_blocks))) *
           ScatteredProduct<T>::bytes(features, columns);
  });
}

// Flat clusters: what stands in memory, and arrays of items.
struct StreamedFlat {
  double memory = 0;
  double item_arrays = 0;
};
StreamedFlat streamed_flat(const RunNumbers& run, const BlockSizes& blocks, const MemoryJob& job, Precision precision,
                           bool spills) {
  const double w = run.features * run.k * run.width, h = run.items * run.k * run.width;
  const double block_products = 2 * blocks.items * run.k * run.width;
  double reading = streamed_blocks() * (2.6 * blocks.bytes + block_products);
  if (job.solver == Solver::active_set || job.solver == Solver::pivoting) reading += streamed_blocks() * block_products;
  // H that is kept, that runs ahead, and as it was before; W likewise, and its products. While components join, half as
  // many more, and the factors wait.
  const bool breathes = job.breathes && 1.5 * run.k <= std::min(run.features, run.items);
  const double item_arrays = (breathes ? 5.5 : 3) * h;
  const double resident = static_cast<double>(StreamedEstimate::resident_bytes);
  // The watch over scratch files looks now and then.
  const auto of_items = [&](double bytes) { return spills ? std::min(bytes, 2 * resident) : bytes; };
  double most = of_items(item_arrays) + (breathes ? 8 : 5) * w +
                streamed_sums(run, breathes ? 1.5 * run.k : run.k, precision) + (breathes ? 1.5 : 1) * reading;
  if (job.samples) {
    RunNumbers sample = run;
    sample.items = std::min(std::max(run.items / 10, 100 * run.k), run.items / 2);
    sample.entries = run.entries * sample.items / std::max(run.items, 1.0);
    // The blocks' parts of a sample wait until all are there.
    most = std::max(most, 2 * sample.data() + reading);
    most = std::max(most,
                    sample.data() + sample.product_copies(2 * run.k, precision) + sample.alternation(2 * run.k, true));
  }
  const ConsensusMemory consensus = consensus_memory(job.consensus_runs, run.k, run.features, run.width);
  most = std::max(most + consensus.kept, w + of_items(h) + consensus.grouped);
  const double described = w + of_items(h) + run.items * (viewed_item + viewing_item);
  const double page = job.has_page ? page_memory(run.items) : 0;
  const double written = w + of_items(h) + run.items * (viewed_item + written_item) + page;
  return {.memory = std::max({most, described, written}), .item_arrays = item_arrays};
}

// The least array that belongs to the items of a run and is not small: half of H, for components that join. 0: W has
// arrays as large, and they are read at random.
std::size_t least_item_array(const RunNumbers& run) {
  const double half = run.items * run.k * run.width / 2, largest_of_w = 2 * run.features * run.k * run.width;
  return half > largest_of_w && half >= 0x1p20 ? static_cast<std::size_t>(half) : 0;
}

double streamed_tree(const RunNumbers& run, const BlockSizes& blocks) {
  // Two nodes at once, each with its own X H' for every block.
  const double reading = 2 * most_streamed_blocks * (blocks.bytes + 3 * run.features * run.width);
  // The items that are fitted at once are read into memory: their blocks' parts wait until all are there.
  const double fitting = tree_fitting(run, true) + 1.1 * std::min(run.data(), static_cast<double>(entries_at_once) *
                                                                                  (run.width + sizeof(RowIndex)));
  return tree_nodes(run) + run.features * run.k * run.width +
         std::max(run.items * streamed_tree_item + std::max(reading, fitting), run.items * written_tree_item(run.k));
}

}  // namespace

StreamedEstimate estimate_streamed(const MatrixSummary& summary, const BlockSizes& blocks, const MemoryJob& job,
                                   Precision precision) {
  RunNumbers run{.width = precision == Precision::single ? 4.0 : 8.0,
                 .features = static_cast<double>(summary.features),
                 .items = static_cast<double>(summary.items),
                 .entries = static_cast<double>(summary.nonzeros),
                 .k = static_cast<double>(job.clusters),
                 .sparse = true};
  const double names = 2 * summary.name_bytes + run.items * number_name;
  const double held = run_program_bytes + names + run.items * streamed_item;
  const double preparing = run.features * prepared_feature;
  const auto estimate = [&](double factors) {
    return MemoryEstimate{.matrix = slack * held, .factors = slack * std::max(factors, preparing)};
  };
  if (job.gives == Gives::tree) return {.memory = estimate(streamed_tree(run, blocks))};
  const StreamedFlat all = streamed_flat(run, blocks, job, precision, false);
  StreamedEstimate result{.memory = estimate(all.memory)};
  const std::size_t least = job.may_spill ? least_item_array(run) : 0;
  if (result.memory.total() <= limit_of(job) || least == 0) return result;
  const MemoryEstimate spilled = estimate(streamed_flat(run, blocks, job, precision, true).memory);
  if (spilled.total() < result.memory.total())
    result = {.memory = spilled, .spilled_from = least, .spilled = all.item_arrays};
  return result;
}

MemoryEstimate estimate_memory(const MatrixSummary& summary, const MemoryJob& job, Precision precision) {
  RunNumbers run{.width = precision == Precision::single ? 4.0 : 8.0,
                 .features = static_cast<double>(summary.features),
                 .items = static_cast<double>(summary.items),
                 .k = static_cast<double>(job.clusters),
                 .sparse = summary.sparse};
  run.entries = summary.nonzeros >= 0 ? static_cast<double>(summary.nonzeros) : run.features * run.items;
  // The names of the items stand in the data and in the model.
  const double names = 2 * summary.name_bytes + run.items * number_name;
  const double held = job.held > 0 ? job.held + later_code_bytes : run_program_bytes + run.data() + names;
  const double reading =
      job.held > 0 ? 0 : held + summary.reading_bytes + summary.reading_copies * run.entries * run.width;
  if (job.clusters == 0) return {.matrix = std::max(held, reading), .factors = 0};
  MemoryEstimate estimate =
      job.gives == Gives::tree ? tree_memory(run, held, reading) : flat_memory(run, held, reading, job, precision);
  if (job.entries)
    estimate.matrix += 2 * run.entries * (run.width + sizeof(RowIndex)) + (run.features + run.items) * sizeof(Index);
  if (job.is_text) estimate = {.matrix = text_gaps * estimate.matrix, .factors = text_gaps * estimate.factors};
  return {.matrix = slack * estimate.matrix, .factors = slack * estimate.factors};
}

double limit_of(const MemoryJob& job) { return job.memory_limit > 0 ? job.memory_limit : available_memory(); }

void check_fits(const MatrixSummary& summary, const MemoryJob& job, Precision precision) {
  const double limit = limit_of(job);
  const MemoryEstimate needed = estimate_memory(summary, job, precision);
  if (needed.total() <= limit) return;
  const std::string& option = job.option;
  std::string sentence = fmt::format("this run needs about {} of memory", in_bytes(needed.total()));
  if (job.clusters > 0 && !option.empty()) {
    sentence += fmt::format(" ({} for the matrix, {} for {} {})", in_bytes(needed.matrix), in_bytes(needed.factors),
                            option, job.clusters);
  }
  sentence += fmt::format(", and {} {}", job.memory_limit > 0 ? "`memory_limit` allows" : "the machine can spare",
                          in_bytes(limit));
  if (job.clusters == 0 || option.empty()) throw InputError(sentence + ".");
  const auto total = [&](Index clusters, Precision with) {
    MemoryJob other = job;
    other.clusters = clusters;
    return estimate_memory(summary, other, with).total();
  };
  // The largest number of clusters that fits, by bisection.
  Index fits = 0;
  for (Index low = job.gives == Gives::tree ? 2 : 1, high = job.clusters - 1; low <= high;) {
    const Index middle = low + (high - low) / 2;
    const bool enough = total(middle, precision) <= limit;
    if (enough) fits = middle;
    (enough ? low : high) = enough ? middle + 1 : middle - 1;
  }
  if (precision == Precision::full && total(job.clusters, Precision::single) <= limit) {
    sentence += fmt::format(". `precision` float would fit, with {}", in_bytes(total(job.clusters, Precision::single)));
  } else if (fits >= 1) {
    sentence += fmt::format(". {} {} would fit", option, fits);
  } else {
    const Index least = job.gives == Gives::tree ? 2 : 1;
    sentence += fmt::format(". No {} would fit: even {} {} needs {}", option, option, least,
                            in_bytes(total(least, Precision::single)));
  }
  throw InputError(sentence + ".");
}

}  // namespace copse
