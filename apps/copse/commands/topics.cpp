// copse topics: raw documents to flat topics.
#include <CLI/CLI.hpp>
#include <limits>
#include <memory>

#include "apps/copse/commands/input_options.h"
#include "apps/copse/commands/run.h"
#include "apps/copse/program.h"

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
  auto options = std::make_shared<FlatRunOptions>();
  auto output = std::make_shared<OutputOptions>();
  auto machine = std::make_shared<MachineOptions>();
  options->command = "topics";
  options->exact_items = true;
  options->nmf.rank = 20;
  // Labels settle early: on 20 Newsgroups and arXiv the NMI is the same to 1e-3 for tolerances from 1e-4 to 1e-2.
  options->nmf.tolerance = 1e-3;
  options->input = documents_at("");
  DocumentInputOptions& documents = *options->input.documents;
  PrepareOptions& prepare = options->input.prepare;
  auto automatic = std::make_shared<bool>(false);
  CLI::App& command = program.add("topics", topics_description, topics_examples, [=] {
    return *automatic ? run_choose_command(automatic_survey(*options, true), *output, *machine)
                      : run_flat_command(*options, *output, *machine);
  });
  command.add_option("DOCS", options->input.path, documents_description)->type_name("FILE")->required();
  NmfOptions& nmf = options->nmf;
  add_number_or_auto(
      command, "-k,--clusters", nmf.rank, [automatic] { *automatic = true; },
      "Number of topics; auto: what `copse choose` says, of 2 to 60, which takes hundreds of fits");
  command.add_option("--text", documents.reading.text_field, "Where the text is in a table or in JSON objects")
      ->type_name("COLUMN")
      ->default_str(documents.reading.text_field)
      ->group("Documents");
  add_choice(command, "--format", documents.reading.format, "What DOCS is [by its name]")->group("Documents");
  add_reading_options(command, documents.reading);
  add_number(command, "--min-count", prepare.min_feature_total, 0.0, 1e9, "Drop words with fewer occurrences in all")
      ->group("Words");
  add_number(command, "--min-words", prepare.min_item_total, 0.0, 1e9,
             "A document with fewer counted words stays out of the fit and is placed afterwards")
      ->group("Words");
  add_word_options(command, documents);
  add_weighting_options(command, prepare);
  add_loss(command, nmf);
  add_joint_options(command, options->joint);
  add_number(command, "--runs", nmf.runs, 1, 1000000, "Starts to try; the best is kept");
  add_consensus(command, options->consensus);
  command.get_option("--consensus")->excludes("--runs");
  add_number(command, "--stability", options->stability, 0, 1000000,
             "Fit so many subsamples of the documents, too: each topic gets the share of its pairs that stay together");
  add_seed(command, nmf.seed);
  add_stopping_options(command, nmf);
  add_output_options(command, *output);
  add_number(command, "--top", options->top, Index(1), std::numeric_limits<Index>::max(),
             "Words to show and write per topic")
      ->group("Output");
  add_machine_options(command, *machine);
  add_engine(command, *machine);
}

}  // namespace copse
