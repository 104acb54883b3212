// copse tree: a tree of clusters by repeated rank-2 NMF.
#include <memory>

#include "apps/copse/commands/input_options.h"
#include "apps/copse/commands/run.h"
#include "apps/copse/program.h"
#include "copse/run/options.h"

namespace copse {
namespace {

constexpr const char* tree_description =
    "a topic tree of documents, or a tree of clusters of a matrix\n"
    "The input is documents if it is a folder, a .jsonl or .txt file, a table (.csv, .tsv) with a column named by "
    "--text, "
    "or the standard input; otherwise it is a matrix. --format says it where the name does not.\n\n"
    "HierNMF2: each split is a nonnegative factorization of rank 2. The leaf to split next is the one whose words "
    "divide best between its would-be children (--score mndcg, for text), or whose error falls most (--score error). "
    "Small groups that do not look like a topic are set aside as outliers, and get the nearest topic. At the "
    "end all items are fitted to the topics of the leaves, which gives each its cluster; links between them, or a "
    "vector for each, can have their say there (--links, --vectors).\n\n"
    "Prints the tree as a reader sees it: splits that belong together are one node with many children, and 1x4.2 is "
    "short for the id 1.1.1.1.2. A terminal gets a screen of it, --all prints all. With -o it also writes tree.json, "
    "assignments.tsv (topic, leaf, path and soft weights of every item), "
    "topics.tsv, partitions.tsv (the partitions with 2, 3, ... leaves), tree.newick, model.safetensors, "
    "report.html (a page that opens in any browser without a network) and result.json. Ctrl-C keeps the tree "
    "so far; a run that was stopped or killed continues with --resume.";

constexpr const char* tree_examples =
    "A topic tree of reviews in a table, with classes and time:\n"
    "  copse tree reviews.csv --text body --id key --label stars --time date -o out\n"
    "Documents from the standard input, as JSON lines:\n"
    "  zcat papers.jsonl.gz | copse tree - --leaves 60 -o out\n"
    "Forty topics of word counts, with the words' names:\n"
    "  copse tree counts.mtx.gz --text --features terms.txt --leaves 40 -o out\n"
    "Genes x patients, where there are no words:\n"
    "  copse tree genes.tsv --score error --leaves 6\n"
    "A tree that knows when to stop:\n"
    "  copse tree papers.jsonl --leaves auto -o out\n"
    "Then look closer at one node:\n"
    "  copse edit out --split 1.2 --into 4";

}  // namespace

void add_tree(Program& program) {
  auto call = std::make_shared<Call<TreeRunOptions>>();
  TreeRunOptions& options = call->options;
  Command command = program.add("tree", tree_description, tree_examples, [call] {
    return run_tree_command(call->options, call->output, call->machine,
                            call->options.resume ? SplitLogUse::resume : SplitLogUse::start);
  });
  OptionRows rows = copse::rows<TreeRunOptions>();
  row_of(rows, "resume").only_with("output");
  add_documents_or_matrix(command, options, std::move(rows));
  add_output_and_machine(command, *call, true);
}

}  // namespace copse
