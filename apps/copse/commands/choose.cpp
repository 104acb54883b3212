// copse choose: how many clusters, and how sure.
#include <memory>

#include "apps/copse/commands/input_options.h"
#include "apps/copse/commands/run.h"
#include "apps/copse/program.h"
#include "copse/run/options.h"

namespace copse {
namespace {

constexpr const char* choose_description =
    "how many clusters there are, and how sure that is\n"
    "Fits every k of a range many times: to halves of the items, which predict each other; to halves of data without "
    "clusters; to samples of the items; to data with hidden entries; from several starts. Each measure has a choice of "
    "its own, and the verdict says how many clusters come back beyond chance, what else is possible, and whether "
    "there are clusters at all.\n\n"
    "Stability tells how many groups can be told apart (--for clusters); the error of hidden entries tells how many "
    "components the data needs (--for components). These may be different numbers.\n\n"
    "The clusters are those of NMF, or of another method (--method): a tree with k leaves, K-means and its kin, or "
    "SymNMF of the items' nearest neighbours. New items find the leaf, the nearest centre or the neighbours' "
    "cluster.\n\n"
    "Prints a table of all measures and the verdict. With -o it also writes survey.tsv, and the clusters of the chosen "
    "k as `factor` or the command of the method would. Every finished run is kept: Ctrl-C gives the verdict so far, a "
    "killed run continues with "
    "--resume, and more --runs can be added later.";

constexpr const char* choose_examples =
    "Genes x patients, two to eight groups, with a baseline:\n"
    "  copse choose genes.tsv -k 2:8 --affine -o out\n"
    "Mutational signatures: how many components the counts need:\n"
    "  copse choose counts.tsv -k 1:10 --for components -o out\n"
    "Documents: how many leaves of a tree, or clusters of spherical K-means, come back:\n"
    "  copse choose papers.jsonl -k 2:20 --method tree -o out\n"
    "  copse choose papers.jsonl -k 2:20 --method spherical-kmeans -o out\n"
    "More runs of the same survey:\n"
    "  copse choose genes.tsv -k 2:8 --affine --runs 200 --resume -o out\n"
    "Three machines that share a disk, then the verdict:\n"
    "  copse choose genes.tsv -k 2:8 --worker 1/3 -o out     # and 2/3, 3/3\n"
    "  copse choose genes.tsv -k 2:8 --resume -o out";

}  // namespace

void add_choose(Program& program) {
  auto call = std::make_shared<Call<ChooseRunOptions>>();
  ChooseRunOptions& options = call->options;
  options.flat.command = "choose";
  options.flat.nmf.tolerance = tolerance_by_data;
  options.until_settled = true;
  OptionRows rows = copse::rows<ChooseRunOptions>();
  row_of(rows, "clusters").needed();
  for (const char* name : {"resume", "worker"}) row_of(rows, name).only_with("output");
  Command command = program.add("choose", choose_description, choose_examples,
                                [call] { return run_choose_command(call->options, call->output, call->machine); });
  add_documents_or_matrix(command, options.flat.input, rows, &options);
  add_output_and_machine(command, *call);
}

}  // namespace copse
