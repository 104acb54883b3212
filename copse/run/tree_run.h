// One run of a tree: from files to a tree with its topics and documents.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "copse/describe/result.h"
#include "copse/input/joint_input.h"
#include "copse/options/option.h"

namespace copse {

class Team;

struct TreeRunOptions {
  std::string command = "tree";
  InputOptions input;
  JointInput joint;  // a graph that has its say when all items are fitted to the leaves' topics
  TreeOptions tree = {.leaves = 20};
  bool auto_leaves = false;           // split only what two topics explain better than one; tree.leaves is the most
  std::optional<Score> score;         // none: mndcg where features have names, else error
  bool flat = true;                   // fit all items to the leaves' topics at the end
  int stability = 0;                  // subsamples that tell how sure the nodes are; 0: not measured
  Index top = 10;                     // terms and items to name per node
  double memory_limit = 0;            // bytes; 0: what the machine has to spare
  Engine engine = Engine::automatic;  // where the entries are: run_tree(options) decides by the limit
  // Others who make this run together, each with some of the items; the first of them gets the result. Null: nobody.
  const Team* team = nullptr;
  std::string device = {};  // that reads large nodes, "opencl" or "opencl:N"; empty: the CPU
  bool keep_texts = true;   // the beginnings of the documents that stand for a topic
  bool explain = false;     // a plan is made before, and notes tell what it said beside what the run took
  // Where finished splits are noted, so that a run which was killed can continue; empty: nowhere. The file goes when
  // the result is complete.
  std::filesystem::path split_log;
  bool resume = false;  // continue with what the log holds
};

template <>
const OptionRows& rows<TreeRunOptions>();  // in options.cpp

// Reads, prepares, splits and describes. An interruption, or a time limit, gives the tree so far. Throws
// InputError, InvalidArgument, OutputError for the log, and Cancelled before the first split.
template <class T>
TreeResult run_tree(const TreeRunOptions& options, const RunEvents& events = {});

// The same for prepared data in memory, of which the model keeps `items`. options.input tells how it was prepared, for
// the settings.
template <class T>
TreeResult run_tree(const TreeRunOptions& options, const RunData<T>& data, ModelItems items,
                    const RunEvents& events = {});

// What makes a leaf worth splitting where nothing was asked for: names are words, and words can be ranked.
Score default_score(const std::vector<std::string>& feature_names);

}  // namespace copse
