// Trees of clusters.

#include "copse/tree/edit.h"
#include "copse/tree/flatten.h"
#include "copse/tree/packed.h"
#include "copse/tree/place.h"
#include "python/src/bind.h"
#include "python/src/items.h"
#include "python/src/supervisor.h"

namespace copse::python {
namespace {

// A node without its items: those are in partition() and items().
template <class T>
nb::dict to_dict(const Tree<T>& tree, Index n, std::size_t top) {
  const TreeNode<T>& node = tree.nodes[static_cast<std::size_t>(n)];
  const std::size_t count = std::min(top, node.topic.terms.size());
  nb::dict out;
  out["id"] = tree.id(n);
  out["number"] = n;
  out["parent"] = node.parent;
  out["children"] = node.first < 0 ? nb::list() : nb::list(nb::make_tuple(node.first, node.second));
  out["size"] = node.items.size();
  out["outliers"] = node.outliers.size();
  out["score"] = node.score;
  out["leaf"] = node.leaf;
  out["split"] = node.split;
  out["name"] = node.name;
  out["dropped"] = node.dropped;
  out["terms"] = std::vector<RowIndex>(node.topic.terms.begin(), node.topic.terms.begin() + count);
  out["weights"] = std::vector<T>(node.topic.weights.begin(), node.topic.weights.begin() + count);
  return out;
}

template <class T>
nb::object copied(const std::vector<T>& values) {
  return to_numpy(std::vector<T>(values));
}

template <class T>
Buffer<T> to_buffer(const nb::dict& arrays, const char* name) {
  const auto array = nb::cast<Array<T, 1>>(arrays[name]);
  return Buffer<T>(array.data(), array.data() + array.size());
}

template <class Values>
nb::object buffer_to_numpy(Values values) {
  const std::size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

template <class T>
nb::dict to_arrays(const Tree<T>& tree) {
  PackedTree<T> packed = pack(tree);
  nb::dict out;
  out["shape"] = buffer_to_numpy(std::move(packed.shape));
  out["nodes"] = buffer_to_numpy(std::move(packed.nodes));
  out["scores"] = buffer_to_numpy(std::move(packed.scores));
  out["items"] = buffer_to_numpy(std::move(packed.items));
  out["outliers"] = buffer_to_numpy(std::move(packed.outliers));
  out["terms"] = buffer_to_numpy(std::move(packed.terms));
  out["weights"] = buffer_to_numpy(std::move(packed.weights));
  out["shares"] = buffer_to_numpy(std::move(packed.shares));
  out["term_weights"] = buffer_to_numpy(std::move(packed.term_weights));
  out["names"] = packed.names;
  return out;
}

template <class T>
Tree<T> from_arrays(const nb::dict& arrays) {
  PackedTree<T> packed;
  packed.shape = to_buffer<std::int64_t>(arrays, "shape");
  packed.nodes = to_buffer<std::int64_t>(arrays, "nodes");
  packed.scores = to_buffer<double>(arrays, "scores");
  packed.items = to_buffer<std::int64_t>(arrays, "items");
  packed.outliers = to_buffer<std::int64_t>(arrays, "outliers");
  packed.terms = to_buffer<std::int64_t>(arrays, "terms");
  packed.weights = to_buffer<T>(arrays, "weights");
  packed.shares = to_buffer<T>(arrays, "shares");
  packed.term_weights = to_buffer<T>(arrays, "term_weights");
  packed.names = nb::cast<std::vector<std::string>>(arrays["names"]);
  return unpack(packed);
}

// Runs work(options) with the progress of a tree going to `progress` (may be None).
void grow_supervised(TreeOptions options, int threads, const nb::object& progress, bool keep_interrupted,
                     const std::function<void(const TreeOptions&)>& work) {
  Supervisor supervisor(keep_interrupted);
  options.progress = [&](const TreeProgress& step) {
    if (progress.is_none()) return !supervisor.stopping();
    return supervisor.ask([&] { return nb::cast<bool>(progress(step)); });
  };
  supervisor.run(threads, [&] { work(options); });
}

template <class T>
void bind_tree_of(nb::module_& module, const char* name) {
  nb::class_<Tree<T>>(module, name)
      .def_ro("features", &Tree<T>::rows)
      .def_ro("items", &Tree<T>::cols)
      .def_ro("leaves", &Tree<T>::leaves)
      .def_ro("stop_reason", &Tree<T>::stop_reason)
      .def_prop_ro("splits", &Tree<T>::splits)
      .def_prop_ro("iterations", [](const Tree<T>& tree) { return tree.cost.iterations; })
      .def("find", &Tree<T>::find, nb::arg("id"))
      .def("leaf_nodes", [](const Tree<T>& tree) { return to_numpy(tree.leaf_nodes()); })
      .def(
          "partition", [](const Tree<T>& tree, int splits) { return to_numpy(tree.partition(splits)); },
          nb::arg("splits"))
      .def(
          "nodes",
          [](const Tree<T>& tree, std::size_t top) {
            nb::list nodes;
            for (Index n = 0; n < static_cast<Index>(tree.nodes.size()); ++n) nodes.append(to_dict(tree, n, top));
            return nodes;
          },
          nb::arg("top"))
      .def(
          "items_of", [](const Tree<T>& tree, Index node) { return copied(tree.nodes.at(node).items); },
          nb::arg("node"))
      .def(
          "outliers_of", [](const Tree<T>& tree, Index node) { return copied(tree.nodes.at(node).outliers); },
          nb::arg("node"))
      .def(
          "weights_of", [](const Tree<T>& tree, Index node) { return copied(tree.nodes.at(node).weights); },
          nb::arg("node"))
      .def(
          "cut", [](Tree<T>& tree, Index leaves) { cut(tree, leaves); }, nb::arg("leaves"))
      .def(
          "merge", [](Tree<T>& tree, const std::string& id) { merge(tree, tree.find(id)); }, nb::arg("id"))
      .def(
          "drop", [](Tree<T>& tree, const std::string& id) { drop(tree, tree.find(id)); }, nb::arg("id"))
      .def(
          "rename",
          [](Tree<T>& tree, const std::string& id, const std::string& to) { tree.nodes[tree.find(id)].name = to; },
          nb::arg("id"), nb::arg("to"))
      .def("copy", [](const Tree<T>& tree) { return Tree<T>(tree); })
      .def("arrays", &to_arrays<T>)
      .def_static("from_arrays", &from_arrays<T>, nb::arg("arrays"))
      .def(
          "leaf_topics",
          // Only a tree of one leaf needs its data.
          [](const Tree<T>& tree, const Items<T>* x, int threads) {
            Matrix<T> topics;
            Supervisor().run(threads,
                             [&] { topics = x == nullptr ? leaf_topics(tree) : leaf_topics(x->data(), tree); });
            return to_numpy(std::move(topics));
          },
          nb::arg("items").none(), nb::arg("threads"))
      .def(
          // The leaf of each item; -1 where the walk ends in a part that was dropped.
          "place",
          [](const Tree<T>& tree, const Items<T>& x, int threads) {
            std::vector<Index> leaf;
            Supervisor().run(threads, [&] { leaf = place_items(tree, x.dataset()).leaf; });
            return to_numpy(std::move(leaf));
          },
          nb::arg("items"), nb::arg("threads"))
      .def(
          "grow",
          [](Tree<T>& tree, const std::string& id, const Items<T>& x, const TreeOptions& options, int threads) {
            const Index node = tree.find(id);
            Tree<T> grown = tree;
            grow_supervised(options, threads, nb::none(), false,
                            [&](const TreeOptions& all) { grow(grown, node, *x.tree_data(), all); });
            tree = std::move(grown);
          },
          nb::arg("id"), nb::arg("items"), nb::arg("options"), nb::arg("threads"));
  module.def(
      "build_tree",
      [](const Items<T>& x, const TreeOptions& options, int threads, const nb::object& progress,
         bool keep_interrupted) {
        Tree<T> tree;
        grow_supervised(options, threads, progress, keep_interrupted,
                        [&](const TreeOptions& all) { tree = build_tree(*x.tree_data(), all); });
        return tree;
      },
      nb::arg("items"), nb::arg("options"), nb::kw_only(), nb::arg("threads") = 0, nb::arg("progress") = nb::none(),
      nb::arg("keep_interrupted") = false);
}

}  // namespace

void bind_tree(nb::module_& module) {
  nb::enum_<Score>(module, "Score")
      .value("mndcg", Score::mndcg)
      .value("error", Score::error)
      .value("rank1_gain", Score::rank1_gain)
      .value("fit", Score::fit)
      .value("rank1", Score::rank1)
      .value("rank2", Score::rank2);
  nb::enum_<Pick>(module, "Pick").value("score", Pick::score).value("size", Pick::size);
  nb::enum_<Leaf>(module, "Leaf")
      .value("open", Leaf::open)
      .value("too_small", Leaf::too_small)
      .value("one_sided", Leaf::one_sided)
      .value("only_outliers", Leaf::only_outliers);
  nb::enum_<Rank2Start>(module, "Rank2Start")
      .value("singular", Rank2Start::singular)
      .value("random", Rank2Start::random);
  nb::class_<TreeProgress>(module, "TreeProgress")
      .def_ro("leaves", &TreeProgress::leaves)
      .def_ro("wanted", &TreeProgress::wanted);
  nb::class_<TreeOptions>(module, "TreeOptions")
      .def(nb::init<>())
      .def_rw("leaves", &TreeOptions::leaves)
      .def_rw("score", &TreeOptions::score)
      .def_rw("pick", &TreeOptions::pick)
      .def_rw("min_score", &TreeOptions::min_score)
      .def_rw("outlier_trials", &TreeOptions::outlier_trials)
      .def_rw("imbalance", &TreeOptions::imbalance)
      .def_rw("start", &TreeOptions::start)
      .def_rw("smallest_split", &TreeOptions::smallest_split)
      .def_rw("tolerance", &TreeOptions::tolerance)
      .def_rw("max_iterations", &TreeOptions::max_iterations)
      .def_rw("seed", &TreeOptions::seed);
  bind_tree_of<float>(module, "TreeFloat");
  bind_tree_of<double>(module, "TreeDouble");
}

}  // namespace copse::python
