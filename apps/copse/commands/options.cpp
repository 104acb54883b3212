#include "apps/copse/commands/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "apps/copse/terminal/words.h"
#include "copse/base/error.h"

namespace copse {
namespace {

constexpr const char* matrix_group = "Input";
constexpr const char* output_group = "Output";
constexpr const char* machine_group = "Machine";
constexpr const char* limits_group = "Stopping";
constexpr const char* preparation_group = "Preparation (drop, weigh, scale, in this order)";

// "-o,--output" is called --output in a sentence.
std::string long_name(const std::string& names) { return names.substr(names.rfind(',') + 1); }

template <class Number>
Number parse_number(const std::string& name, const std::string& text, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = std::numeric_limits<Number>::is_integer;
  // A number too large for its type is out of range, not unreadable.
  if (error == std::errc::invalid_argument || end != text.data() + text.size() || value != value) {
    throw CLI::ValidationError(name, fmt::format("'{}' is not a {}number", text, whole ? "whole " : ""));
  }
  if (error != std::errc() || value < least || value > most) {
    // Where there is no upper limit but that of the machine, it matters to those who passed it only.
    const bool too_small = error == std::errc() ? value < least : text.starts_with('-');
    const std::string range = most == std::numeric_limits<Number>::max() && too_small
                                  ? fmt::format("at least {}", least)
                                  : fmt::format("{} to {}", least, most);
    throw CLI::ValidationError(name, fmt::format("{} is out of range: it must be {}", text, range));
  }
  return value;
}

// Other files are called after a folder, so slashes at its end go, and "." and ".." give way to a name.
std::string folder_name(const std::string& given) {
  namespace fs = std::filesystem;
  const auto without_slashes = [](const fs::path& path) { return path.has_filename() ? path : path.parent_path(); };
  const fs::path path = without_slashes(given);
  if (path.filename() != "." && path.filename() != "..") return path.string();
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path), error);
  return error ? path.string() : without_slashes(whole).string();
}

}  // namespace

template <class Number>
CLI::Option* add_number(CLI::App& command, const std::string& names, Number& target, Number least, Number most,
                        const std::string& description) {
  CLI::Option* option = command.add_option(
      names,
      [&target, names, least, most](const CLI::results_t& given) {
        target = parse_number(long_name(names), given.front(), least, most);
        return true;
      },
      description);
  if (least <= target && target <= most) option->default_str(fmt::format("{}", target));
  return option->type_name(std::numeric_limits<Number>::is_integer ? "N" : "X");
}

CLI::Option* add_number_or_auto(CLI::App& command, const std::string& names, Index& target,
                                const std::function<void()>& choose, const std::string& description) {
  CLI::Option* option = command.add_option(
      names,
      [&target, names, choose](const CLI::results_t& given) {
        if (given.front() == "auto") {
          choose();
        } else {
          target = parse_number(long_name(names), given.front(), Index(1), std::numeric_limits<Index>::max());
        }
        return true;
      },
      description);
  if (target >= 1) option->default_str(std::to_string(target));
  return option->type_name("N|auto");
}

template CLI::Option* add_number(CLI::App&, const std::string&, int&, int, int, const std::string&);
template CLI::Option* add_number(CLI::App&, const std::string&, Index&, Index, Index, const std::string&);
template CLI::Option* add_number(CLI::App&, const std::string&, std::uint64_t&, std::uint64_t, std::uint64_t,
                                 const std::string&);
template CLI::Option* add_number(CLI::App&, const std::string&, double&, double, double, const std::string&);

CLI::Option* add_amount(CLI::App& command, const std::string& names, double& target,
                        double (*parse)(const std::string&), const std::string& type, const std::string& description) {
  CLI::Option* option = command.add_option(
      names,
      [&target, names, parse](const CLI::results_t& given) {
        try {
          target = parse(given.front());
        } catch (const InvalidArgument& error) {
          throw CLI::ValidationError(long_name(names), error.what());
        }
        return true;
      },
      description);
  return option->type_name(type);
}

CLI::Option* add_words(CLI::App& command, const std::string& names, const std::vector<std::string>& words,
                       const std::string& default_word, const std::function<void(std::size_t)>& take,
                       const std::string& description) {
  CLI::Option* option = command.add_option(
      names,
      [words, names, take](const CLI::results_t& given) {
        const auto found = std::find(words.begin(), words.end(), given.front());
        if (found == words.end()) {
          throw CLI::ValidationError(long_name(names),
                                     fmt::format("'{}' is not one of {}{}", given.front(), joined(words, ", "),
                                                 suggestion(given.front(), words)));
        }
        take(static_cast<std::size_t>(found - words.begin()));
        return true;
      },
      description);
  return option->type_name(joined(words, "|"))->default_str(default_word);
}

CLI::Option* add_folder(CLI::App& command, const std::string& names, std::string& target,
                        const std::string& description) {
  CLI::Option* option = command.add_option(
      names,
      [&target, names](const CLI::results_t& given) {
        if (given.front().empty()) throw CLI::ValidationError(long_name(names), "the name of the folder is empty");
        target = folder_name(given.front());
        return true;
      },
      description);
  return option->type_name("DIR");
}

void add_json_and_quiet(CLI::App& command, OutputOptions& options) {
  command.add_flag("--json", options.json, "Print the result as one JSON object on stdout")->group(output_group);
  command.add_flag("--quiet", options.quiet, "Say nothing but errors")->group(output_group);
}

void add_all(CLI::App& command, bool& all) {
  command.add_flag("--all", all, "Print all topics, where a terminal gets a screen of the largest")
      ->group(output_group);
}

void add_output_options(CLI::App& command, OutputOptions& options) {
  add_folder(command, "-o,--output", options.folder,
             "Write the result into this folder. It is created, or must be empty; its files appear together when all "
             "are complete")
      ->group(output_group);
  command.add_flag("--force", options.force, "Replace an earlier result in the output folder")->group(output_group);
  command.add_flag("!--no-page", options.page, "Write no report.html, and keep no text of documents in the model")
      ->group(output_group);
  add_json_and_quiet(command, options);
}

void add_threads(CLI::App& command, int& threads) {
  add_number(command, "--threads", threads, 1, 4096,
             "Threads to use; the result does not depend on it [all that the machine has]")
      ->group(machine_group);
}

void add_precision(CLI::App& command, Precision& precision) {
  add_choice(command, "--precision", precision, "Numbers of 4 or of 8 bytes")->group(machine_group);
}

void add_memory_limit(CLI::App& command, double& bytes) {
  add_amount(command, "--memory-limit", bytes, parse_bytes, "SIZE",
             "Memory to use at most, such as 8G; what cannot do with it does not start [what the machine has to spare]")
      ->group(machine_group);
}

void add_engine(CLI::App& command, MachineOptions& options) {
  add_choice(command, "--engine", options.engine,
             "Where the entries are: in memory, or in a file (.copse, .h5ad, .h5, .npz without compression; a scratch "
             "file for "
             "documents), which is read again and again; automatic: in memory if they fit")
      ->group(machine_group);
}

void add_machine_options(CLI::App& command, MachineOptions& options) {
  add_threads(command, options.threads);
  add_precision(command, options.precision);
  add_memory_limit(command, options.memory_limit);
}

void add_seed(CLI::App& command, std::uint64_t& seed) {
  add_number(command, "--seed", seed, std::uint64_t(0), std::numeric_limits<std::uint64_t>::max(),
             "Seed of the random numbers: the same seed gives the same bits");
}

void add_table_options(CLI::App& command, ReadOptions& options) {
  add_choice(command, "--header", options.header, "Names in the first line of a .csv or .tsv file")
      ->group(matrix_group);
  add_choice(command, "--row-names", options.row_names, "Names in its first column")->group(matrix_group);
}

void add_cell_options(CLI::App& command, ReadOptions& options) {
  command.add_option("--layer", options.layer, "Layer of an .h5ad file to read in place of its X")
      ->type_name("NAME")
      ->group(matrix_group);
  command
      .add_option("--cell-labels", options.label,
                  "Column of obs in an .h5ad file with the true class of each cell, as --truth")
      ->type_name("COLUMN")
      ->group(matrix_group);
}

void add_loss(CLI::App& command, NmfOptions& options) {
  add_choice(
      command, "--loss", options.loss,
      "frobenius: |X - W H|^2; kl: the Kullback-Leibler divergence of counts, the sum of x log(x / (W H)) - x + (W H)");
}

void add_consensus(CLI::App& command, ConsensusOptions& options) {
  add_number(command, "--consensus", options.runs, 2, 1000000,
             "Make so many runs (100 is usual) and take the components that come back in them, in place of the best "
             "run [Kotliar et al. 2019]");
  add_number(command, "--consensus-distance", options.most_distance, 0.0, 2.0,
             "Leave out components with a larger mean distance, as vectors of length 1, to those nearest to them; 2: "
             "none")
      ->needs("--consensus");
}

void add_stopping_options(CLI::App& command, NmfOptions& options) {
  add_number(command, "--max-iterations", options.max_iterations, 1, std::numeric_limits<int>::max(),
             "At most so many iterations")
      ->group(limits_group);
  add_number(
      command, "--tolerance", options.tolerance, 0.0, 1.0,
      "Stop when the norm of the projected gradient, for X / |X| and unit columns of W, is at most this times sqrt(k)")
      ->group(limits_group);
  add_amount(command, "--time-limit", options.time_limit, parse_seconds, "TIME",
             "Stop after this time with the best result so far, such as 90s or 5m [none]")
      ->group(limits_group);
}

void add_text_flag(CLI::App& command, PrepareOptions& options) {
  // A flag and not an option of prepare(): what the named options say comes after it, whatever their order.
  command
      .add_flag_callback(
          "--text", [&options] { options = text_preparation(); },
          "Counts of words: --min-count 3 --min-words 1 --drop-empty --weights text --unit-columns")
      ->group(preparation_group)
      ->trigger_on_parse();
}

void add_preparation_options(CLI::App& command, PrepareOptions& options) {
  const auto minimum = [&](const char* names, double& target, const char* description) {
    add_number(command, names, target, 0.0, std::numeric_limits<double>::max(), description)->group(preparation_group);
  };
  minimum("--min-count", options.min_feature_total, "Drop features whose entries add up to less");
  minimum("--min-words", options.min_item_total,
          "Keep items whose entries add up to less out of the fit; they are placed afterwards");
  command.add_flag("--drop-empty", options.drop_empty, "Drop features and items with no entry but zeros")
      ->group(preparation_group);
  command.add_flag("--drop-duplicates", options.drop_duplicates, "Drop items that equal an earlier one")
      ->group(preparation_group);
  add_number(command, "--library-size", options.library_size, 0.0, std::numeric_limits<double>::max(),
             "Counts of genes: multiply each item so that its entries add up to this, such as 10000; 0: do not")
      ->group(preparation_group);
  add_number(command, "--select", options.select_features, Index(0), std::numeric_limits<Index>::max(),
             "Keep so many features, those that vary most, such as 5000; 0: all")
      ->group(preparation_group);
  add_choice(
      command, "--select-by", options.select_by,
      "What varies most: standard deviation / mean [Kuang 2014, 4.7], or variance / mean, which prefers features "
      "with many counts")
      ->group(preparation_group);
  add_weighting_options(command, options);
}

void add_weighting_options(CLI::App& command, PrepareOptions& options) {
  const auto flag = [&](const char* names, bool& target, const char* description) {
    command.add_flag(names, target, description)->group(preparation_group);
  };
  add_choice(
      command, "--weights", options.weighting,
      "Of a count x of a feature that df of n items have. text, for words: log(1 + x) log(n / df)^1.5, and items that "
      "share little with others count a little more; tf-idf, as in the papers: x log(n / df); smooth-tf-idf: "
      "x (log((n + 1) / (df + 1)) + 1); log-tf-idf: log(1 + x) log(n / df); log: log(1 + x)")
      ->group(preparation_group);
  add_choice(command, "--scale", options.feature_scaling,
             "Divide each feature by its largest entry or its standard deviation")
      ->group(preparation_group);
  flag("--unit-columns,!--no-unit-columns", options.unit_items, "Scale each item to length one");
  flag("--normalized-cut", options.normalized_cut,
       "Weigh the items as a normalized cut does [Kuang 2014, eq. 7], not damped");
}

}  // namespace copse
