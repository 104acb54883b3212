// copse show: topics and documents of a result in the terminal.
#include <memory>

#include "apps/copse/commands/options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/interrupt.h"
#include "apps/copse/terminal/show_topics.h"
#include "apps/copse/terminal/terminal.h"

namespace copse {
namespace {

constexpr const char* show_description =
    "topics and documents of a result in the terminal\n"
    "Takes the folder that `topics`, `tree`, `factor` or `graph` wrote with -o. Without --topic it lists the topics: "
    "size, "
    "share of the documents, coherence (closer to zero is better), and the best words. A terminal gets a screen of "
    "the largest, --all lists all. With --topic it shows one: its "
    "words with their weights, the classes and times of its documents, and the documents that stand for it. The topics "
    "\"outlier\" and \"none\" are the documents that the splits set aside, and those without any topic.\n\n"
    "Of a graph it lists the communities: size, conductance and central nodes; --topic shows one with its neighbours. "
    "Of a "
    "comparison it shows the table.";

constexpr const char* show_examples =
    "All topics:\n"
    "  copse show out\n"
    "One of them, with five documents:\n"
    "  copse show out --topic 3.1 --docs 5\n"
    "What fits nowhere:\n"
    "  copse show out --topic outlier --docs 20\n"
    "A text that asks for better names, and the answer:\n"
    "  copse show out --prompt > prompt.txt\n"
    "  copse edit out --names answer.tsv";

OptionRows show_rows() {
  using Of = ShowOptions;
  RowsOf<Of> rows;
  make_argument(rows.row("result", &Of::folder, "The folder of a result").as(OptionKind::folder), "RESULT");
  rows.row("topic", &Of::topic,
           "One topic: its id (3; in a tree 1.2.1, or 1x4.2 for 1.1.1.1.2), its name, outlier or none")
      .shown_as("ID");
  rows.row("docs", &Of::documents, "Documents to show of the topic").within(0, 1000);
  rows.row("words", &Of::words, "Words to show of each topic").within(1, 1000);
  rows.row("all", &Of::all, "Print all topics, where a terminal gets a screen of the largest").in("Output");
  rows.row("json", &Of::json, "Print one JSON object on stdout");
  rows.row("prompt", &Of::prompt,
           "Print all topics for a person or a language model to name; `copse edit --names` reads the answer")
      .not_with("json", "a prompt is for people and language models")
      .not_with("topic", "a prompt has all of them");
  return rows.done();
}

int run(const ShowOptions& options) {
  std::string text;
  with_threads(0, &interruption(), [&] { text = show_result(options); });
  options.json ? print_json(text) : print_table(text);
  return interrupted_exit_code();
}

}  // namespace

void add_show(Program& program) {
  auto options = std::make_shared<ShowOptions>();
  program.add("show", show_description, show_examples, [options] { return run(*options); }).add(*options, show_rows());
}

}  // namespace copse
