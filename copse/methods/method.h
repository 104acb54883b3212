// A method said once: what it reads and gives, its options, what it costs, how it is fitted and surveyed. The program,
// Python, `choose`, `compare` and `plan` walk methods(); nobody else names one.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "copse/cluster/iteration.h"
#include "copse/cluster/place_by.h"
#include "copse/graph/graph.h"
#include "copse/image/colour.h"
#include "copse/matrix/dataset.h"
#include "copse/methods/clusterer.h"
#include "copse/methods/gives.h"
#include "copse/nmf/nmf.h"
#include "copse/options/option.h"

namespace copse {

// Whether `compare` tries it where nobody names methods.
enum class Compared { always, with_time_limit, when_named };

struct Traits {
  Reads reads = Reads::items;
  Gives gives = Gives::flat;       // of items; from a graph alone, communities
  bool factors = false;            // it minimises |X - W H|: entries that were hidden can be foretold
  bool has_components = false;     // in a survey: directions that can be compared
  bool k_within_features = false;  // k is the rank of a factor
  bool chooses_k = false;          // k is what it finds; options.k is searched for, or ignored where it is 0
  bool random = true;              // its outcome depends on the seed
  bool soft = false;               // items have weights for several clusters
  bool unit_text = false;          // lengths count where they should not in text: documents get unit length
  PlaceBy place = PlaceBy::angle;  // of new items
  double growth = 1;               // time grows as items^growth, for estimates
  Compared compared = Compared::always;

  bool reads_graph() const { return reads == Reads::graph || reads == Reads::items_and_graph; }
};

struct Method;

// What all methods have in common, and what is of one alone.
struct MethodOptions {
  const Method* method = nullptr;  // required
  Index k = 0;                     // required: 1 <= k <= items
  int runs = 1;                    // starts to try; the one with the best objective is kept
  int max_iterations = 0;          // of a run; 0: as the method has it
  double tolerance = -1;           // as the method has it; below 0: its own
  double time_limit = std::numeric_limits<double>::infinity();  // seconds, all runs together
  std::uint64_t seed = 0;                                       // same seed, same bits, any number of threads
  // Its own options, of the type that its file names; empty: as the method has them. Method::rows reaches them.
  std::any own = {};
  bool places_items = true;  // false: no labels where a method finds its topics first and then places the items
  std::function<bool(const MethodIteration&)> progress = {};  // once per iteration; false asks to stop
};

// The graph of a picture is made of these; see image/segment.h.
struct PixelLines {
  const Plane& strength;
  const Plane& lines;
  PixelShape shape;
  const LabPlanes* colours = nullptr;
};

// What there is to cluster. `items` may be null where a method reads the graph, `graph` where it does not.
template <class T>
struct MethodData {
  const Dataset<T>* items = nullptr;
  const Graph<T>* graph = nullptr;
  const Matrix<T>* centres = nullptr;            // features x k, where K-means begins
  const Matrix<double>* similarities = nullptr;  // of all pairs, in place of a graph, where every pair can take part
  const PixelLines* picture = nullptr;
  Index whole = 0;  // the items are a sample of so many, and are to be treated as all would be; 0: they are all

  Index count() const;
};

// Values that only some methods have, by name.
template <class T>
using Extra = std::variant<bool, Index, double, std::vector<double>, std::vector<Index>, Matrix<T>>;

template <class T>
struct MethodResult {
  std::vector<Index> labels;     // per item: 0 ... k - 1, or -1 for none; never -1 without a note that says why
  Index k = 0;                   // clusters that were found
  Matrix<T> weights;             // items x k, >= 0, largest at the label; empty: the labels are all there is
  Matrix<T> w;                   // features x k: centres, exemplars or topics; empty: the method has none
  std::optional<PlaceBy> place;  // always there in what cluster_by() gives
  std::vector<double> prior;     // of the topics, for PlaceBy::topic_shares
  // What the method makes small or large, as its header says; runs are compared by it.
  double objective = 0;
  bool larger_is_better = false;
  std::vector<MethodIteration> history;  // of the run that is kept
  int iterations = 0;
  StopReason stop_reason = StopReason::converged;
  std::vector<double> run_objectives;
  int best_run = 0;
  std::vector<std::string> notes;          // sentences that the user should see
  std::map<std::string, Extra<T>> extras;  // the comment of the method's file names them
};

// What it takes, counted: for estimates and refusals.
struct Workload {
  double items = 0, features = 0, entries = 0;
  double width = 4;  // bytes of a value
  double edges = 0;  // of the graph, 0: as many as neighbours give
};
template <class T>
Workload workload_of(const Dataset<T>& items);

struct Cost {
  double bytes = 0;       // beside the data, at most
  double operations = 0;  // of one run, at least
  // On this machine with all its threads, at least.
  double seconds() const;
};

template <class T>
using FitOf = std::function<MethodResult<T>(const MethodData<T>&, const MethodOptions&)>;
// `named`: the features have names.
template <class T>
using ClustererOf = std::function<std::unique_ptr<Clusterer<T>>(const MethodOptions&, bool named)>;

// The same for float and double.
template <template <class> class Of>
struct ForBoth {
  Of<float> single = {};
  Of<double> full = {};

  template <class T>
  const Of<T>& of() const {
    if constexpr (std::is_same_v<T, float>) {
      return single;
    } else {
      return full;
    }
  }
  explicit operator bool() const { return static_cast<bool>(single); }
};

struct Method {
  std::string name;
  std::string meaning;              // a line, for help and guides
  std::string command = "cluster";  // that makes a described result with it
  bool by_default = false;          // of its command, where nobody names one
  Traits traits = {};
  Cost (*cost)(const Workload& work, const MethodOptions& options) = nullptr;
  // registration.h fills in what follows.
  OptionRows rows = {};  // of MethodOptions: what all have in common, then its own
  std::any own = {};     // its own options where nobody asks
  ForBoth<FitOf> fit = {};
  ForBoth<ClustererOf> clusterer = {};  // null: it cannot be surveyed
};

// In the order in which they are listed.
const std::vector<const Method*>& methods();
// Throws WrongOption for another name.
const Method& method_called(const std::string& name);
// What a command runs where nobody names a method, and all that it runs.
const Method& default_method(const std::string& command);
std::vector<const Method*> methods_of(const std::string& command);
std::vector<std::string> names_of(const std::vector<const Method*>& some);
// Of a graph that is given it is communities what a flat method gives.
Gives gives(const Method& method, bool of_a_graph);

// The rows that all methods have; those of one alone come after them in Method::rows.
const OptionRows& common_rows();
// What surveys fit: the method of that name with its own options, of its type; empty: as the method has them. Throws
// InvalidArgument where it cannot be surveyed. `named`: the features have names.
template <class T>
std::unique_ptr<Clusterer<T>> clusterer_by(const std::string& name, std::any own = {}, bool named = false);

// The method's options with its own, which its rows reach.
MethodOptions options_for(const Method& method);
BoundOptions bound(MethodOptions& options);
// All that is stored of them, and that which has a value other than that of older versions.
void add_settings(const MethodOptions& options, Settings& settings);

// Its own options as their type, which must be that of the method.
template <class Own>
const Own& own_options(const MethodOptions& options) {
  return *std::any_cast<Own>(options.own.has_value() ? &options.own : &options.method->own);
}

// Throws InvalidArgument for a bad k or option or data that the method cannot read, and Cancelled if stopped from
// outside before there is a result; after that the best so far comes back with StopReason::interrupted.
template <class T>
MethodResult<T> cluster_by(const MethodData<T>& data, const MethodOptions& options);

}  // namespace copse
