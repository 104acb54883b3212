// Options of commands whose rows are still to come.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "apps/copse/commands/input_options.h"
#include "copse/choose/consensus_components.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace copse {

void add_output_options(CLI::App& command, OutputOptions& options);
void add_json_and_quiet(CLI::App& command, OutputOptions& options);
// --all: of a tree.
void add_all(CLI::App& command, bool& all);

void add_machine_options(CLI::App& command, MachineOptions& options);
void add_threads(CLI::App& command, int& threads);
void add_memory_limit(CLI::App& command, double& bytes);
// For commands that can leave the entries in their file.
void add_engine(CLI::App& command, MachineOptions& options);
void add_precision(CLI::App& command, Precision& precision);
void add_seed(CLI::App& command, std::uint64_t& seed);

// How a table is to be understood.
void add_table_options(CLI::App& command, ReadOptions& options);
// Of single-cell data.
void add_cell_options(CLI::App& command, ReadOptions& options);

// What a factorization minimises.
void add_loss(CLI::App& command, NmfOptions& options);

// Clusters that many runs have in common.
void add_consensus(CLI::App& command, ConsensusOptions& options);

// When a factorization stops.
void add_stopping_options(CLI::App& command, NmfOptions& options);

// From counts or measurements to the matrix that is factored.
void add_preparation_options(CLI::App& command, PrepareOptions& options);
// The part of them that comes after dropping.
void add_weighting_options(CLI::App& command, PrepareOptions& options);
// --text as a flag: the preparation of counts of words.
void add_text_flag(CLI::App& command, PrepareOptions& options);

// A whole number or a number within [least, most]; anything else is a wrong call, with a sentence. The default shown is
// the value that `target` has now; `unset` is shown as nothing.
template <class Number>
CLI::Option* add_number(CLI::App& command, const std::string& names, Number& target, Number least, Number most,
                        const std::string& description);
// A number of at least 1, or the word auto, which calls `choose`.
CLI::Option* add_number_or_auto(CLI::App& command, const std::string& names, Index& target,
                                const std::function<void()>& choose, const std::string& description);
// The same, in any unit that `parse` understands.
CLI::Option* add_amount(CLI::App& command, const std::string& names, double& target,
                        double (*parse)(const std::string&), const std::string& type, const std::string& description);

// A folder, by a name that other names can be made from: "out/" is out.
CLI::Option* add_folder(CLI::App& command, const std::string& names, std::string& target,
                        const std::string& description);

// take(i) is called when the word is words[i].
CLI::Option* add_words(CLI::App& command, const std::string& names, const std::vector<std::string>& words,
                       const std::string& default_word, const std::function<void(std::size_t)>& take,
                       const std::string& description);

// One of the words for a choice; see copse/options/choices.h.
template <class Value>
CLI::Option* add_choice(CLI::App& command, const std::string& names, Value& target, const std::string& description) {
  return add_words(
      command, names, names_of<Value>(), name_of(target),
      [&target](std::size_t i) { target = choices<Value>()[i].second; }, description);
}

void add_matrix_input(CLI::App& command, InputOptions& options, const char* argument, const char* description);
void add_documents_or_matrix(CLI::App& command, InputOptions& input, std::function<void()> checked = {});
void add_reading_options(CLI::App& command, DocumentOptions& options);
void add_word_options(CLI::App& command, DocumentInputOptions& options);

}  // namespace copse
