// A result whose model and result.json are damaged, by values or by bytes, is looked at, edited, placed into and made a
// page of, or refused with a sentence.
#include <limits>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/describe/read_result.h"
#include "copse/edit/edit.h"
#include "copse/generate/corpus.h"
#include "copse/io/matrix_file.h"
#include "copse/report/graph_page.h"
#include "copse/report/result_page.h"
#include "copse/report/write_result.h"
#include "copse/run/assign.h"
#include "copse/run/flat_run.h"
#include "copse/run/graph_assign.h"
#include "copse/run/graph_run.h"
#include "copse/run/graph_tree_run.h"
#include "copse/run/tree_run.h"
#include "tests/fuzz/fuzz_folder.h"
#include "tests/fuzz/fuzz_json.h"

namespace copse::fuzz {
namespace {

struct Base {
  SafeTensors model;
  std::string bytes;
  Json json;
  std::string new_items;  // a file that `assign` reads
};

class Bases {
 public:
  Bases() {
    const auto path = [&](const char* name) { return (folder_.path() / name).string(); };
    std::string documents;
    for (int d = 0; d < 48; ++d) {
      const char* words[] = {"apple pear plum cherry", "copper iron zinc silver", "river lake sea pond"};
      documents += R"({"id": "d)" + std::to_string(d) + R"(", "label": "c)" + std::to_string(d % 3) +
                   R"(", "time": "201)" + std::to_string(d % 7) + R"(", "text": ")" + words[d % 3] + " " +
                   words[d * 7 % 3] + (d % 5 == 0 ? " common" : "") + "\"}\n";
    }
    write_file(path("docs.jsonl"), documents);
    const auto corpus =
        generate_corpus<float>({.documents = 60, .terms = 120, .k = 3, .terms_per_document = 8, .seed = 1});
    write_matrix(path("x.npz"), corpus.data);
    TreeRunOptions tree;
    tree.tree.leaves = 4;
    tree.input = documents_at(path("docs.jsonl"));
    tree.input.documents->reading.label_field = "label";
    tree.input.documents->reading.time_field = "time";
    tree.input.prepare.min_feature_total = 1;
    auto grown = run_tree<float>(tree);
    Edit merge, rename;
    merge.merge = "1";
    rename.rename = "1";
    rename.name = "one";
    edit<float>(merge, tree.tree, nullptr, grown);
    edit<float>(rename, tree.tree, nullptr, grown);
    describe(grown);
    keep(grown, path("docs.jsonl"));
    TreeRunOptions small;
    small.tree.leaves = 5;
    small.flat = false;
    small.input = matrix_at(path("x.npz"));
    auto of_matrix = run_tree<float>(small);
    keep(of_matrix, path("x.npz"));
    FlatRunOptions flat;
    flat.nmf.rank = 3;
    flat.nmf.affine = true;
    flat.input = matrix_at(path("x.npz"));
    auto factors = run_flat<float>(flat);
    keep(factors, path("x.npz"));
    FlatRunOptions topics;
    topics.nmf.rank = 2;
    topics.input = tree.input;
    auto found = run_flat<float>(topics);
    keep(found, path("docs.jsonl"));
    std::string edges;
    for (int i = 0; i < 36; ++i) {
      for (const int step : {1, 2, 5})
        edges += "n" + std::to_string(i) + " n" + std::to_string(i / 12 * 12 + (i + step) % 12) + " 1\n";
      if (i % 9 == 0) edges += "n" + std::to_string(i) + " n" + std::to_string((i + 13) % 36) + " 0.5\n";
    }
    write_file(path("edges.txt"), edges);
    write_file(path("new_edges.txt"), "new n1 1\nnew n13 2\nother n30\n");
    GraphRunOptions graph;
    graph.input.items.path = path("edges.txt");
    graph.cluster.k = 3;
    auto communities = run_graph<float>(graph);
    keep(communities, path("new_edges.txt"));
    GraphRunOptions of_items;
    of_items.input.items = matrix_at(path("x.npz"));
    of_items.input.similarity = ItemSimilarity::cosine;
    of_items.cluster.k = 3;
    auto neighbours = run_graph<float>(of_items);
    keep(neighbours, path("x.npz"));
    GraphTreeRunOptions graph_tree;
    graph_tree.input = graph.input;
    graph_tree.tree.tree.leaves = 3;
    auto tree_of_graph = run_graph_tree<float>(graph_tree);
    keep(tree_of_graph, path("new_edges.txt"));
  }

  const Base& operator[](std::size_t number) const { return bases_[number % bases_.size()]; }
  const Folder& folder() const { return folder_; }

 private:
  template <class Result>
  void keep(Result& result, const std::string& new_items) {
    const std::filesystem::path place = folder_.path() / "made";
    write_result(place, result);
    Base& base = bases_.emplace_back();
    base.bytes = read_file(place / "model.safetensors");
    base.model = read_safetensors(place / "model.safetensors");
    base.json = Json::parse(read_file(place / "result.json"));
    base.new_items = new_items;
    std::filesystem::remove_all(place);
  }

  Folder folder_;
  std::vector<Base> bases_;
};

// One tensor gets another value, length or shape, or the values of another.
void damage(Bytes& bytes, SafeTensors& model) {
  const auto one = [&] { return std::next(model.tensors.begin(), bytes.below(model.tensors.size())); };
  const auto chosen = one();
  Tensor& tensor = chosen->second;
  switch (bytes.byte() % 6) {
    case 0:
      model.tensors.erase(chosen);
      if (model.tensors.empty()) model.tensors["w"] = {};
      return;
    case 1:
      tensor = one()->second;
      return;
    case 2:
      std::reverse(tensor.shape.begin(), tensor.shape.end());
      return;
    default:
      std::visit(
          [&]<class Values>(Values& values) {
            using Value = typename Values::value_type;
            const std::size_t count = bytes.byte();
            if (count % 4 == 0 && tensor.shape.size() == 1) {
              values.resize(bytes.below(values.size() + 3), hostile<Value>(bytes, values.size()));
              tensor.shape = {static_cast<Index>(values.size())};
            } else if (!values.empty()) {
              values[bytes.below(values.size())] = hostile<Value>(bytes, values.size());
            }
          },
          tensor.values);
  }
}

template <class Model>
void place_again(const Base& base, const StoredResult& stored, const Model& model) {
  NewItemsOptions options;
  options.path = base.new_items;
  place_new_items(options, stored.report.settings, model);
}

void try_all(const Base& base, const std::string& folder, Bytes& bytes) {
  const auto tried = [](const auto& work) {
    try {
      work();
    } catch (const InputError&) {
    } catch (const InvalidArgument&) {
    }
  };
  tried([&] {
    const StoredResult stored(folder);
    if (stored.is_graph()) {
      graph_page_data(read_graph_result(stored));
      return;
    }
    const StoredView result = read_view(stored);
    page_data(page_of(result.view, result.items, stored.report));
  });
  tried([&] {
    const StoredResult stored(folder);
    if (stored.is_graph())
      place_again(base, stored, read_graph_model(stored.model));
    else if (stored.is_tree())
      place_again(base, stored, read_tree_model(stored.model));
    else
      place_again(base, stored, read_flat_model(stored.model));
  });
  const std::size_t change = bytes.byte();
  tried([&] {
    const StoredResult stored(folder);
    const auto write_again = [&](auto result) {
      OutputFolder again(folder, true);
      write_result(again, result, false);
    };
    if (stored.is_graph()) return write_again(read_graph_result(stored));
    if (!stored.is_tree()) return write_again(read_flat_result(stored));
    Edit edit;
    if (change % 6 == 0) edit.undo = true;
    if (change % 6 == 1) edit.cut = 2;
    if (change % 6 == 2) edit.merge = "1";
    if (change % 6 == 3) edit.drop = "2";
    if (change % 6 == 4) edit.rename = "2";
    if (change % 6 == 5) edit.split = "2";
    write_again(edit_stored(stored, edit, true));
  });
}

}  // namespace
}  // namespace copse::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace copse::fuzz;
  static const Bases bases;
  Bytes bytes(data, size);
  const Base& base = bases[bytes.byte()];
  const std::filesystem::path folder = bases.folder().path() / "damaged";
  std::filesystem::create_directories(folder);
  if (bytes.byte() % 4 == 0) {
    std::string model = base.bytes;
    for (std::size_t left = bytes.byte() % 8; left-- > 0;) model[bytes.below(model.size())] ^= char(bytes.byte());
    if (bytes.byte() % 4 == 0) model.resize(bytes.below(model.size()));
    write_file(folder / "model.safetensors", model);
  } else {
    copse::SafeTensors model = base.model;
    for (std::size_t left = bytes.byte() % 4; left-- > 0;) damage(bytes, model);
    try {
      write_tensors(folder / "model.safetensors", model);
    } catch (const copse::InvalidArgument&) {
      return 0;  // a shape that does not fit is the business of safetensors_fuzz
    }
  }
  Json json = base.json;
  for (std::size_t left = bytes.byte() % 3; left-- > 0;) damage(bytes, json);
  write_file(folder / "result.json", json.dump(-1, ' ', false, Json::error_handler_t::replace));
  copse::with_threads(1, nullptr, [&] { try_all(base, folder.string(), bytes); });
  return 0;
}
