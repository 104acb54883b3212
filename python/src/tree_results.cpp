// Trees: grown, opened, asked, changed, written.
#include "copse/base/error.h"
#include "copse/describe/document_facts.h"
#include "copse/edit/edit.h"
#include "copse/run/tree_run.h"
#include "copse/tree/flatten.h"
#include "copse/tree/join.h"
#include "python/src/graph_arrays.h"
#include "python/src/results.h"

namespace copse::python {
namespace {

// A node without its items.
nb::dict topics_dict(const TreeResult& result, const JoinedTopics& topics, Index n, std::size_t most) {
  const Tree& tree = result.tree();
  const TreeNode& node = tree.nodes[static_cast<std::size_t>(n)];
  nb::dict out;
  out["id"] = tree.id(n);
  out["parent"] = node.parent < 0 ? nb::object(nb::none()) : nb::cast(tree.id(node.parent));
  out["children"] = node.first < 0 ? nb::list() : nb::list(nb::make_tuple(tree.id(node.first), tree.id(node.second)));
  out["size"] = node.items.size();
  out["outliers"] = node.outliers.size();
  out["score"] = node.score;
  out["split"] = node.split;
  out["leaf"] = node.first < 0 ? nb::cast(name_of(node.leaf)) : nb::object(nb::none());
  out["name"] = node.name;
  out["dropped"] = node.dropped;
  out["merged_into"] = node.joined < 0 ? nb::object(nb::none()) : nb::cast(tree.id(joined_end(tree, n)));
  nb::list words, weights;
  const RankedTerms& topic = topics(n);
  for (std::size_t r = 0; r < std::min(most, topic.terms.size()); ++r) {
    words.append(result.model.items.feature_name(topic.terms[r]));
    weights.append(topic.weights[r]);
  }
  out["words"] = words;
  out["weights"] = weights;
  return out;
}

// What the data tells about topics that are new.
template <class T>
void add_facts(const Items<T>& x, TreeResult& result) {
  const RunData<T> data = x.run_data();
  ModelItems& items = result.model.items;
  if (data.words != nullptr) add_document_facts(*data.words, data.documents, result.model);
  if (!items.is_text() && !items.feature_names.empty()) {
    const Dataset<T> entries = data.words != nullptr ? *data.words : entries_of_words(x, result);
    add_coherence(entries, result.view, items);
    if (data.words == nullptr) add_labels(entries, result.view, items);
  }
  describe(result);
}

Edit to_edit(const std::string& what, const std::string& node, Index number, const std::string& name) {
  Edit change;
  if (what == "split") change.split = node;
  if (what == "merge") change.merge = node;
  if (what == "drop") change.drop = node;
  if (what == "rename") change.rename = node;
  if (what == "cut") change.cut = number;
  if (what == "split") change.into = number;
  if (what == "merge" && !name.empty()) change.with = name;
  if (what == "rename") change.name = name;
  change.undo = what == "undo";
  return change;
}

template <class T>
void bind_tree(nb::module_& module, nb::class_<TreeResult>& bound) {
  using Result = TreeResult;
  bind_items<T>(bound);
  bound.def(
      "edit",
      [](Result& result, const std::string& what, const std::string& node, Index number, const std::string& to,
         const Items<T>* x, int threads) {
        const Edit change = to_edit(what, node, number, to);
        Supervisor().run(threads, [&] {
          const TreeOptions options = tree_options_in(result.report.settings, result.report.seed);
          std::optional<RunData<T>> data;
          if (x != nullptr) data.emplace(x->run_data());
          edit(change, options, data ? &*data : nullptr, result);
          // Without a split the leaves have no topic: the root's is that of the mean item.
          if (x != nullptr && result.tree().splits() == 0) result.model.topics = leaf_topics(x->data(), result.tree());
          result.explanation.clear();
          describe(result);
          if (x != nullptr && change.split) add_facts(*x, result);
        });
      },
      nb::arg("what"), nb::arg("node"), nb::arg("number"), nb::arg("name"), nb::arg("items").none(),
      nb::arg("threads"));
  module.def(
      "grow",
      [](const Items<T>& x, const nb::dict& settings, const std::optional<std::string>& score, std::uint64_t seed,
         const nb::object& joint, std::vector<std::string> feature_names, const std::string& line, int threads,
         const nb::object& progress, bool keep_interrupted, bool auto_leaves) {
        TreeRunOptions options;
        take(settings, options.tree);
        options.auto_leaves = auto_leaves;
        if (score) options.score = choice_of<Score>("score", *score);
        options.input = x.input();
        options.tree.seed = seed;
        const JointArrays<T> given = joint.is_none() ? JointArrays<T>{} : to_joint_arrays<T>(nb::cast<nb::dict>(joint));
        Supervisor supervisor(keep_interrupted);
        options.tree.progress = asks<TreeProgress>(supervisor, progress);
        Result result;
        supervisor.run(threads, [&] {
          with_graph(x, given, options.joint, [&](const RunData<T>& given_data, std::vector<std::string>& notes) {
            RunData<T> data = given_data;
            Dataset<T> whole;  // for the test of splits, which takes parts of it
            if (auto_leaves && data.words == nullptr) {
              whole = x.dataset();
              data.words = &whole;
            }
            result = run_tree(options, data, x.model_items(std::move(feature_names)));
            result.report.notes.insert(result.report.notes.end(), notes.begin(), notes.end());
          });
          result.report.line = line;
          if (!x.is_text() && !auto_leaves) uninterrupted([&] { add_facts(x, result); });
        });
        return result;
      },
      nb::arg("items"), nb::arg("settings"), nb::kw_only(), nb::arg("score").none(), nb::arg("seed"),
      nb::arg("joint") = nb::none(), nb::arg("feature_names"), nb::arg("line"), nb::arg("threads"),
      nb::arg("progress").none(), nb::arg("keep_interrupted"), nb::arg("auto_leaves") = false);
}

}  // namespace

void bind_tree_results(nb::module_& module) {
  nb::class_<TreeProgress>(module, "TreeProgress")
      .def_ro("leaves", &TreeProgress::leaves)
      .def_ro("wanted", &TreeProgress::wanted);
  using Result = TreeResult;
  auto bound = bind_result<Result>(module, "TreeResult");
  bound
      .def_prop_ro("leaves",
                   [](const Result& result) {
                     std::vector<std::string> ids;
                     for (const Index leaf : result.tree().leaf_nodes()) ids.push_back(result.tree().id(leaf));
                     return ids;
                   })
      .def_prop_ro("splits", [](const Result& result) { return result.tree().splits(); })
      .def_prop_ro("explanation", [](const Result& result) { return in_python(result.explanation); })
      .def_prop_ro("history", [](const Result& result) { return result.model.history; })
      .def_prop_ro("ids",
                   [](const Result& result) {
                     std::vector<std::string> ids;
                     for (const Topic& node : result.view.nodes) ids.push_back(node.id);
                     return ids;
                   })
      // The number of the node, among ids, of every item after so many splits; -1: none.
      .def(
          "partition",
          [](const Result& result, int splits) {
            return python::to_numpy(of_all(result.model.items, result.tree().partition(splits)));
          },
          nb::arg("splits"))
      .def(
          "nodes",
          [](const Result& result, std::size_t most) {
            nb::list nodes;
            const JoinedTopics topics(result.tree());
            for (Index n = 0; n < static_cast<Index>(result.tree().nodes.size()); ++n)
              nodes.append(topics_dict(result, topics, n, most));
            return nodes;
          },
          nb::arg("words"))
      .def(
          "items_of",
          [](const Result& result, const std::string& id) {
            std::vector<Index> items;
            for (const RowIndex item : result.tree().nodes[result.tree().find(id)].items)
              items.push_back(result.model.items.number_of(item));
            return python::to_numpy(std::move(items));
          },
          nb::arg("node"));
  bind_tree<float>(module, bound);
  bind_tree<double>(module, bound);
  module.attr("TreeResultFloat") = module.attr("TreeResultDouble") = bound;  // in pickles of before
}

}  // namespace copse::python
