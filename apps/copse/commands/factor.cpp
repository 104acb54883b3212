// copse factor: flat nonnegative factorization of a matrix.
#include <CLI/CLI.hpp>
#include <limits>
#include <memory>

#include "apps/copse/commands/device_option.h"
#include "apps/copse/commands/input_options.h"
#include "apps/copse/commands/run.h"
#include "apps/copse/commands/sparse_options.h"
#include "apps/copse/program.h"

namespace copse {
namespace {

constexpr const char* factor_description =
    "flat clusters of a matrix by nonnegative matrix factorization\n"
    "Finds W (features x k) and H (k x items), both nonnegative, with X ~ W H. A column of W says what a cluster is "
    "about; an item belongs to the cluster with the largest entry in its column of H (the first of equal ones; -1 "
    "where all are zero).\n\n"
    "Prints the clusters with their best features. With -o it also writes result.json, assignments.tsv, topics.tsv and "
    "model.safetensors. Ctrl-C stops within a second and keeps the best result so far (exit code 130).";

constexpr const char* factor_examples =
    "Twenty topics from counts of words, with quality measures, into a folder:\n"
    "  copse factor counts.mtx.gz --text -k 20 --truth labels.txt -o out\n"
    "Genes x patients with a baseline common to all, the best of ten starts:\n"
    "  copse factor genes.tsv -k 3 --affine --solver pivoting --runs 10\n"
    "Sparse NMF with the weights of [Kuang 2014], documents in rows:\n"
    "  copse factor X.npz --items rows -k 20 --sparse thesis\n"
    "Programs of genes that come back in a hundred runs:\n"
    "  copse factor cells.h5ad -k 9 --select 2000 --select-by dispersion --consensus 100 -o programs\n"
    "As many clusters as the data supports:\n"
    "  copse factor genes.tsv -k auto --affine -o out\n"
    "Only numbers, for another program:\n"
    "  copse factor X.npz -k 20 --json --quiet | jq .relative_error";

constexpr const char* factorization = "Factorization";

void set_start(FlatRunOptions& options, const std::string& text) {
  for (const auto& [name, start] : choices<Start>()) {
    if (name != text) continue;
    options.nmf.start = start;
    return;
  }
  options.start_file = text;
}

}  // namespace

void add_factor(Program& program) {
  auto options = std::make_shared<FlatRunOptions>();
  auto output = std::make_shared<OutputOptions>();
  auto machine = std::make_shared<MachineOptions>();
  auto automatic = std::make_shared<bool>(false);
  CLI::App& command = program.add("factor", factor_description, factor_examples, [=] {
    return *automatic ? run_choose_command(automatic_survey(*options, false), *output, *machine)
                      : run_flat_command(*options, *output, *machine);
  });
  CLI::App* parsed = &command;
  command.parse_complete_callback([options, parsed, automatic] {
    if (*automatic && options->explain)
      throw CLI::ValidationError("--explain", "no plan knows of a number of clusters that is found on the way");
    if (options->dc && parsed->count("--max-iterations") == 0) options->nmf.max_iterations = 1;
  });
  add_text_flag(command, options->input.prepare);
  add_matrix_input(command, options->input);
  NmfOptions& nmf = options->nmf;
  add_number_or_auto(
      command, "-k,--clusters", nmf.rank, [automatic] { *automatic = true; },
      "Number of clusters; auto: what `copse choose` says, of 2 to 20")
      ->required()
      ->group(factorization);
  add_loss(command, nmf);
  command.get_option("--loss")->group(factorization);
  std::vector<std::string> solvers = names_of<Solver>();
  solvers.push_back("dc");
  add_words(
      command, "--solver", solvers, name_of(nmf.solver),
      [&options = *options](std::size_t i) {
        options.dc = i == choices<Solver>().size();
        if (!options.dc) options.nmf.solver = choices<Solver>()[i].second;
      },
      "hals: the fastest; mu: multiplicative updates; dc: hals from the leaves of a tree, one iteration unless "
      "--max-iterations says more; the others solve each step exactly or by gradients")
      ->group(factorization);
  command
      .add_option_function<std::string>(
          "--start", [&options = *options](const std::string& text) { set_start(options, text); },
          "First factors: from a sample of the items (automatic for hals), random, from singular vectors (zeros kept, "
          "filled with the mean, or with small random numbers), or the model.safetensors of an earlier run")
      ->type_name("automatic|sample|random|nndsvd|nndsvda|nndsvdar|FILE")
      ->default_str(name_of(nmf.start))
      ->group(factorization);
  add_number(command, "--runs", nmf.runs, 1, 1000000, "Random starts to try; the best is kept")->group(factorization);
  add_consensus(command, options->consensus);
  command.get_option("--consensus")->excludes("--runs")->group(factorization);
  command.get_option("--consensus-distance")->group(factorization);
  add_seed(command, nmf.seed);
  command.get_option("--seed")->group(factorization);
  command.add_flag("--affine", nmf.affine, "X ~ w0 1' + W H: a nonnegative baseline w0 that all items share")
      ->group(factorization);
  add_sparse_options(command, *options, factorization);
  add_stopping_options(command, nmf);
  add_output_options(command, *output);
  add_number(command, "--top", options->top, Index(1), std::numeric_limits<Index>::max(),
             "Features to show and write per cluster")
      ->group("Output");
  add_machine_options(command, *machine);
  add_engine(command, *machine);
  add_device(command, options->device, options->explain);
}

}  // namespace copse
