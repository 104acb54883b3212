// copse demo: the main job on text that is already on the machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>

#include "apps/copse/factor_run.h"
#include "apps/copse/interrupt.h"
#include "apps/copse/package_texts.h"
#include "apps/copse/program.h"
#include "apps/copse/words.h"
#include "copse/generate/corpus.h"

namespace copse {
namespace {

constexpr const char* description =
    "the main job, on text that is already on this machine\n"
    "Takes the descriptions of Debian's packages (apt-cache dumpavail), counts their words, weighs them by tf-idf, "
    "factors the matrix and prints the topics it found. The sections of the packages (games, science, ...) serve as "
    "the "
    "truth to compare with. Where there are no such descriptions, a generated corpus takes their place.";

constexpr const char* examples =
    "Find twenty topics:\n"
    "  copse demo\n"
    "Keep the result:\n"
    "  copse demo -k 40 -o topics";

// Fewer texts than these say little; a generated corpus shows more.
constexpr std::size_t enough_texts = 100;

MatrixInput<float> packages(const PackageTexts& texts) {
  MatrixInput<float> input;
  input.data = count_words<float>(texts.descriptions, 0.1);
  input.data.item_names = texts.names;
  input.classes = texts.sections;
  return input;
}

MatrixInput<float> generated(std::uint64_t seed) {
  MatrixInput<float> input;
  Planted<float> corpus = generate_corpus<float>({.counts = true, .seed = seed});
  input.data = std::move(corpus.data);
  for (Index i = 0; i < input.data.features(); ++i) input.data.feature_names.push_back("term" + std::to_string(i));
  for (Index j = 0; j < input.data.items(); ++j) input.data.item_names.push_back("document" + std::to_string(j));
  for (const Index label : corpus.labels) input.classes.push_back("topic" + std::to_string(label));
  return input;
}

int run(FactorRunOptions options) {
  Terminal terminal(options.output.quiet);
  const auto folder = open_folder(options.output);
  const auto start = std::chrono::steady_clock::now();
  Seconds seconds;
  MatrixInput<float> input;
  with_threads(options.machine.threads, &interruption(), [&] {
    terminal.show("reading the descriptions of packages ...");
    const PackageTexts texts = parse_packages(dump_packages());
    check_cancelled();
    const bool real = texts.names.size() >= enough_texts;
    terminal.say(
        real ? fmt::format("the descriptions of {} Debian packages", counted(static_cast<Index>(texts.names.size())))
             : "no descriptions of packages on this machine: a generated corpus takes their place");
    input = real ? packages(texts) : generated(options.nmf.seed);
    options.input.path = real ? "the descriptions of packages" : "the generated corpus";
    seconds.read = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    options.input.prepare = text_preparation();
    options.input.prepare.min_item_total = 3;  // most descriptions are one line
    options.input.prepare.drop_duplicates = true;
    prepare_input(options.input, input, terminal, seconds);
    // A cluster should have some twenty texts to speak of.
    options.nmf.rank = std::clamp<Index>(options.nmf.rank, 1, std::max<Index>(1, input.data.items() / 20));
    terminal.say(fmt::format("{} words x {} texts, {} entries", counted(input.data.features()),
                             counted(input.data.items()), counted(input.data.nonzeros())));
  });
  return run_factor(options, input, terminal, folder.get(), seconds);
}

}  // namespace

void add_demo(Program& program) {
  auto options = std::make_shared<FactorRunOptions>();
  options->command = "demo";
  options->nmf.rank = 20;
  CLI::App& command = program.add("demo", description, examples, [options] { return run(*options); });
  add_number(command, "-k,--clusters", options->nmf.rank, Index(1), Index(1000),
             "Topics; fewer where there are few texts");
  add_seed(command, options->nmf.seed);
  add_output_options(command, options->output);
  add_threads(command, options->machine.threads);
}

}  // namespace copse
