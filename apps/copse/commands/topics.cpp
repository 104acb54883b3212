// copse topics: raw documents to flat topics.
#include <memory>

#include "apps/copse/commands/input_options.h"
#include "apps/copse/commands/run.h"
#include "apps/copse/program.h"
#include "copse/run/options.h"

namespace copse {
namespace {

constexpr const char* topics_description =
    "flat topics of raw documents\n"
    "Reads documents, counts their words, weighs them (--weights text) and factors the counts: each topic comes "
    "with its best words, its documents and its coherence. A document without any "
    "known word has no topic. Links between documents, or a vector for each, can have their say beside the words "
    "(--links, --vectors).\n\n"
    "Prints the topics. With -o it also writes result.json, assignments.tsv, topics.tsv, model.safetensors (which "
    "`assign` uses for new documents) and report.html, a page that opens in any browser without a network. Ctrl-C "
    "stops within a second and keeps the best result so far.";

constexpr const char* topics_examples =
    "Twenty-five topics of a folder of mails:\n"
    "  copse topics mails/ -k 25 --drop-headers --drop-quotes -o out\n"
    "Reviews in a table, by the names of its columns:\n"
    "  copse topics reviews.csv --text body --id key --label stars --time date -o out\n"
    "Anything from the standard input, words stemmed, with pairs of words:\n"
    "  zcat papers.jsonl.gz | copse topics - -k 40 --stem english --bigrams -o out\n"
    "Words and citations together:\n"
    "  copse topics papers.jsonl --links cites.tsv -k 30 -o out\n"
    "Words and sentence vectors together:\n"
    "  copse topics papers.jsonl --vectors embeddings.npy -k 30 -o out\n"
    "Then put new documents into the same topics:\n"
    "  copse assign out new.jsonl";

}  // namespace

void add_topics(Program& program) {
  auto call = std::make_shared<Call<FlatRunOptions>>();
  FlatRunOptions& options = call->options;
  options.command = "topics";
  options.exact_items = true;
  options.nmf.rank = 20;
  // Labels settle early: on 20 Newsgroups and arXiv the NMI is the same to 1e-3 for tolerances from 1e-4 to 1e-2.
  options.nmf.tolerance = 1e-3;
  options.input = documents_at("");
  OptionRows rows = without(copse::rows<FlatRunOptions>(),
                            {"drop_empty", "drop_duplicates", "library_size", "select", "select_by", "solver", "start",
                             "alpha", "beta", "affine", "sparse", "sparse_w", "device", "explain"});
  make_argument(row_of(rows, "documents"), "DOCS").means(documents_description);
  row_of(rows, "min_count").means("Drop words with fewer occurrences in all").in("Words");
  row_of(rows, "min_words")
      .means("A document with fewer counted words stays out of the fit and is placed afterwards")
      .in("Words");
  row_of(rows, "clusters")
      .means("Number of topics; auto: what `copse choose` says, of 2 to 60, which takes hundreds of fits");
  row_of(rows, "top").means("Words to show and write per topic");
  Command command = program.add("topics", topics_description, topics_examples, [call] {
    return call->options.auto_k ? run_choose_command(automatic_survey(call->options, true), call->output, call->machine)
                                : run_flat_command(call->options, call->output, call->machine);
  });
  command.add(options, rows);
  add_output_and_machine(command, *call);
}

}  // namespace copse
