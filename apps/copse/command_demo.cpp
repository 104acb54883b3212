// copse demo: the main job on text that is already on the machine.
#include <fmt/format.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/copse/interrupt.h"
#include "apps/copse/package_texts.h"
#include "apps/copse/program.h"
#include "apps/copse/tree_run.h"
#include "apps/copse/words.h"
#include "copse/base/error.h"
#include "copse/generate/corpus.h"
#include "copse/io/output_file.h"

namespace copse {
namespace {

constexpr const char* description =
    "the main job, on text that is already on this machine\n"
    "Takes the descriptions of Debian's packages (apt-cache) and makes a topic tree of them, with a page to look "
    "at. The sections of the packages (games, science, ...) serve as the truth to compare with. Where there are no "
    "such descriptions, a generated corpus takes their place.";

constexpr const char* examples =
    "A tree of forty topics, in the folder copse-demo:\n"
    "  copse demo\n"
    "Fewer, elsewhere:\n"
    "  copse demo --leaves 12 -o packages";

// Fewer texts than these say little; a generated corpus shows more.
constexpr std::size_t enough_texts = 100;

// A folder for the documents that goes when the demo is over.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "copse-demo-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw OutputError("there is no place for temporary files: set TMPDIR.");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

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
  const Planted<float> corpus = generate_corpus<float>({.documents = 20000, .branch = 5, .counts = true, .seed = seed});
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

// The documents as a file of JSON lines; says what they are.
std::filesystem::path write_documents(const std::filesystem::path& folder, std::uint64_t seed, Terminal& terminal) {
  terminal.show("reading the descriptions of packages ...");
  const PackageTexts texts = parse_packages(dump_packages());
  check_cancelled();
  const bool real = texts.names.size() >= enough_texts;
  terminal.say(
      real ? fmt::format("the descriptions of {} Debian packages", counted(static_cast<Index>(texts.names.size())))
           : "no descriptions of packages on this machine: a generated corpus takes their place");
  std::filesystem::path path = folder / (real ? "debian-packages.jsonl" : "generated.jsonl");
  OutputFile file(path.string());
  file.write(real ? package_lines(texts) : generated_lines(seed));
  file.commit();
  return path;
}

int run(TreeRunOptions options) {
  Terminal terminal(options.output.quiet);
  const TemporaryFolder folder;
  with_threads(options.machine.threads, &interruption(),
               [&] { options.input.path = write_documents(folder.path(), options.tree.seed, terminal).string(); });
  options.input.prepare = text_preparation();
  options.input.prepare.min_feature_total = 0;
  options.input.prepare.min_item_total = 3;  // many descriptions are one line
  options.input.documents.emplace().text.min_words = 3;
  // What a demo left behind may go.
  if (options.output.folder.empty()) {
    options.output.folder = "copse-demo";
    options.output.force = true;
  }
  return run_tree(options);
}

}  // namespace

void add_demo(Program& program) {
  auto options = std::make_shared<TreeRunOptions>();
  options->command = "demo";
  options->tree.leaves = 40;
  CLI::App& command = program.add("demo", description, examples, [options] { return run(*options); });
  add_number(command, "--leaves", options->tree.leaves, Index(1), Index(1000), "Leaves of the tree");
  add_seed(command, options->tree.seed);
  add_output_options(command, options->output);
  add_threads(command, options->machine.threads);
}

}  // namespace copse
