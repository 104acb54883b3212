// One run of flat NMF: from files to topics with their words and documents.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "copse/base/stopwatch.h"
#include "copse/choose/consensus_components.h"
#include "copse/describe/result.h"
#include "copse/input/joint_input.h"
#include "copse/options/option.h"

namespace copse {

class Team;

// A weight given as a number, or the rule of a paper that computes it from the data.
enum class SparseRule { thesis, snmf };
using SparseWeight = std::variant<double, SparseRule>;

struct FlatRunOptions {
  std::string command = "factor";
  InputOptions input;
  JointInput joint;  // a graph to be factored together with the words
  NmfOptions nmf;
  bool auto_k = false;                   // as many clusters as a survey says: automatic_survey() makes it of this run
  bool dc = false;                       // start from the leaves of a tree
  bool exact_items = false;              // at the end, H becomes the exact solution for W, as assign() would find it
  ConsensusOptions consensus;            // of many runs, in place of the best of nmf.runs; runs = 0: none
  std::optional<SparseWeight> sparse;    // beta
  std::optional<SparseWeight> sparse_w;  // alpha
  std::string start_file;                // model.safetensors to start from, or empty
  int stability = 0;                     // subsamples that tell how sure the topics are; 0: not measured
  Index top = 10;                        // features to name per topic
  double memory_limit = 0;               // bytes; 0: what the machine has to spare
  Engine engine = Engine::automatic;     // where the entries are: run_flat(options) decides by the limit
  // Others who make this run together, each with some of the items; the first of them gets the result. Null: nobody.
  const Team* team = nullptr;
  std::string device = {};  // that computes the products, "opencl" or "opencl:N"; empty: the CPU
  bool keep_texts = true;   // the beginnings of the documents that stand for a topic
  bool explain = false;     // a plan is made before, and notes tell what it said beside what the run took
};

template <>
const OptionRows& rows<FlatRunOptions>();  // in options.cpp

// Reads, prepares, factors and describes. An interruption (options.nmf.progress, or a Cancellation of with_threads())
// gives the best result so far. Throws InputError, InvalidArgument, and Cancelled if there is no result yet.
template <class T>
FlatResult run_flat(const FlatRunOptions& options, const RunEvents& events = {});

// The same for prepared data in memory, of which the model keeps `items`. options.input tells how it was prepared, for
// the settings; alpha and beta are those of options.nmf. Where there is a `start`, it is where the factors start. With
// a team, the data are one's own items, and so are those of the result, which everyone gets.
template <class T>
FlatResult run_flat(const FlatRunOptions& options, const RunData<T>& data, ModelItems items,
                    std::optional<StartFactors<T>> start = {}, const RunEvents& events = {});

// alpha and beta from what was asked for, by the rules of the papers. `largest` is the largest entry of the data.
SparseWeights sparse_weights(const std::optional<SparseWeight>& beta, const std::optional<SparseWeight>& alpha,
                             double largest, bool data_is_sparse);

// nmf.alpha and nmf.beta for this data, where options.sparse or sparse_w asks for them.
template <class T>
void give_sparse_weights(FlatRunOptions& options, const Dataset<T>& data);

}  // namespace copse
