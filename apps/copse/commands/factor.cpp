// copse factor: flat nonnegative factorization of a matrix.
#include <memory>

#include "apps/copse/commands/input_options.h"
#include "apps/copse/commands/run.h"
#include "apps/copse/program.h"
#include "copse/run/options.h"

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

}  // namespace

void add_factor(Program& program) {
  auto call = std::make_shared<Call<FlatRunOptions>>();
  FlatRunOptions& options = call->options;
  OptionRows rows = without(copse::rows<FlatRunOptions>(),
                            {"alpha", "beta", "links", "vectors", "neighbour_graph", "graph_weight", "stability"});
  make_argument(row_of(rows, "matrix"), "MATRIX").means(matrix_description);
  row_of(rows, "clusters").needed();
  Command command = program.add("factor", factor_description, factor_examples, [call] {
    return call->options.auto_k
               ? run_choose_command(automatic_survey(call->options, false), call->output, call->machine)
               : run_flat_command(call->options, call->output, call->machine);
  });
  command.add(options.input.prepare, text_flag()).add(options, rows);
  command.then([call, command] {
    if (call->options.dc && !command.has("max_iterations")) call->options.nmf.max_iterations = 1;
  });
  add_output_and_machine(command, *call);
}

}  // namespace copse
