// The report page.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "copse/io/output_file.h"
#include "copse/report/page.h"
#include "python/src/bind.h"

namespace copse::python {

void bind_report(nb::module_& module) {
  nb::class_<PageWord>(module, "PageWord")
      .def(
          "__init__",
          [](PageWord* word, const std::string& text, double weight, double share) {
            new (word) PageWord{.word = text, .weight = weight, .share = share};
          },
          nb::arg("word"), nb::arg("weight"), nb::arg("share"));
  nb::class_<PageNode>(module, "PageNode")
      .def(
          "__init__",
          [](PageNode* node, const std::string& id, Index parent, const std::string& name, std::optional<double> score,
             std::optional<double> coherence, const std::vector<PageWord>& words,
             const std::vector<Index>& representatives) {
            new (node) PageNode{id, parent, name, score, coherence, words, representatives};
          },
          nb::arg("id"), nb::arg("parent"), nb::arg("name"), nb::arg("score").none(), nb::arg("coherence").none(),
          nb::arg("words"), nb::arg("representatives"));
  // Documents as arrays, one entry each: leaf, second, weight, second_weight, outlier.
  module.def(
      "write_page",
      [](const std::string& path, const std::string& title, const std::vector<PageNode>& nodes,
         const std::vector<std::string>& titles, const Array<std::int64_t, 1>& leaf,
         const Array<std::int64_t, 1>& second, const Array<double, 1>& weight, const Array<double, 1>& second_weight,
         const Array<bool, 1>& outlier, const std::vector<std::pair<Index, std::string>>& texts,
         const std::vector<std::pair<std::string, std::string>>& facts) {
        Page page{.title = title};
        page.command = "made from Python";
        page.facts = facts;
        page.nodes = nodes;
        for (std::size_t j = 0; j < titles.size(); ++j) {
          PageDocument document;
          document.title = titles[j];
          document.leaf = leaf.data()[j];
          document.second = second.data()[j];
          document.weight = weight.data()[j];
          document.second_weight = second_weight.data()[j];
          document.outlier = outlier.data()[j];
          page.documents.push_back(std::move(document));
        }
        for (const auto& [document, text] : texts) page.texts.push_back({document, text});
        const std::string html = page_html(page);
        OutputFile file(path);
        file.write(html);
        file.commit();
      },
      nb::arg("path"), nb::arg("title"), nb::arg("nodes"), nb::arg("titles"), nb::arg("leaf"), nb::arg("second"),
      nb::arg("weight"), nb::arg("second_weight"), nb::arg("outlier"), nb::arg("texts"), nb::arg("facts"));
  module.def("page_is_built", &page_is_built);
}

}  // namespace copse::python
