// copse demo: the main job on text that is already on the machine.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/copse/commands/package_texts.h"
#include "apps/copse/commands/run.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/interrupt.h"
#include "apps/copse/terminal/terminal.h"
#include "apps/copse/terminal/words.h"
#include "copse/base/parallel.h"
#include "copse/generate/corpus.h"
#include "copse/run/options.h"

namespace copse {
namespace {

constexpr const char* demo_description =
    "the main job, on text that is already on this machine\n"
    "Takes the descriptions of Debian's packages (apt-cache) and makes a topic tree of them, with a page to look "
    "at. The sections of the packages (games, science, ...) serve as the truth to compare with. Where there are no "
    "such descriptions, a generated corpus takes their place.\n\n"
    "The result is what `copse tree -o` writes, and with it the texts (demo-documents.jsonl), so that `show`, `edit`, "
    "`assign` and `report` all work on it.";

constexpr const char* demo_examples =
    "A tree of forty topics, in the folder copse-demo:\n"
    "  copse demo\n"
    "Fewer, elsewhere:\n"
    "  copse demo --leaves 12 -o packages\n"
    "Then see its topics with their ids, and open a leaf further:\n"
    "  copse show copse-demo\n"
    "  copse edit copse-demo --split ID --into 4";

// Fewer texts than these say little; a generated corpus shows more.
constexpr Index enough_texts = 100;
constexpr Index generated_documents = 20000;

void add_line(std::string& lines, const std::string& id, const std::string& title, const std::string& label,
              const std::string& text) {
  const nlohmann::json line = {{"id", id}, {"title", title}, {"label", label}, {"text", text}};
  lines += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string package_lines(const PackageTexts& texts) {
  std::string lines;
  for (std::size_t j = 0; j < texts.names.size(); ++j) {
    const std::string& text = texts.descriptions[j];
    add_line(lines, texts.names[j], texts.names[j] + ": " + text.substr(0, text.find('\n')), texts.sections[j], text);
  }
  return lines;
}

std::string generated_lines(std::uint64_t seed) {
  const Planted<float> corpus =
      generate_corpus<float>({.documents = generated_documents, .branch = 5, .counts = true, .seed = seed});
  std::string lines;
  for (Index j = 0; j < corpus.data.items(); ++j) {
    std::string text;
    visit_nonzeros(corpus.data, j, [&](Index i, float count) {
      for (int c = 0; c < static_cast<int>(count); ++c) text += fmt::format("term{} ", i);
    });
    const std::string name = fmt::format("document {}", j);
    add_line(lines, name, name, fmt::format("topic {}", corpus.labels[j]), text);
  }
  return lines;
}

struct DemoTexts {
  OwnDocuments about;
  std::string lines;
};

DemoTexts find_texts(std::uint64_t seed, Terminal& terminal) {
  terminal.show("reading the descriptions of packages ...");
  const PackageTexts texts = parse_packages(dump_packages());
  check_cancelled();
  const auto count = static_cast<Index>(texts.names.size());
  if (count >= enough_texts) {
    return {
        {"Debian packages", fmt::format("the descriptions of {} packages, as apt-cache gives them", counted(count))},
        package_lines(texts)};
  }
  return {{"Generated corpus", fmt::format("{} documents of random words with known topics, since there are no "
                                           "descriptions of packages",
                                           counted(generated_documents))},
          generated_lines(seed)};
}

// The texts become a file of the result, read before the result is complete.
void take_texts(const DemoTexts& texts, OutputFolder& folder, InputOptions& input) {
  OutputFile& file = folder.add(own_documents_file);
  file.write(texts.lines);
  file.finish();
  input = documents_at(file.place().string());
  input.documents->own = texts.about;
  input.documents->reading.format = DocumentFormat::json_lines;
}

int run(TreeRunOptions options, OutputOptions output, const MachineOptions& machine) {
  // What a demo left behind may go.
  if (output.folder.empty()) {
    output.folder = "copse-demo";
    output.force = true;
  }
  OutputFolder folder(output.folder, output.force);
  with_threads(machine.threads, &interruption(), [&] {
    Terminal terminal(output.quiet);
    const DemoTexts texts = find_texts(options.tree.seed, terminal);
    terminal.say(texts.about.name + ": " + texts.about.origin);
    take_texts(texts, folder, options.input);
  });
  return run_tree_command(options, output, machine, &folder);
}

}  // namespace

void add_demo(Program& program) {
  auto options = std::make_shared<TreeRunOptions>();
  options->command = "demo";
  options->tree.leaves = 40;
  auto output = std::make_shared<OutputOptions>();
  auto machine = std::make_shared<MachineOptions>();
  OptionRows rows = only(copse::rows<TreeRunOptions>(), {"leaves", "seed"});
  row_of(rows, "leaves").means("Leaves of the tree").within(1, 1000);
  program.add("demo", demo_description, demo_examples, [=] { return run(*options, *output, *machine); })
      .add(*options, rows)
      .add(*output)
      .add(*machine, only(copse::rows<MachineOptions>(), {"threads"}));
}

}  // namespace copse
