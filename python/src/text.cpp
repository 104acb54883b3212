// Documents to counts of terms.

#include <string_view>

#include "copse/base/error.h"
#include "copse/prepare/prepare.h"
#include "copse/text/corpus.h"
#include "copse/text/stem.h"
#include "copse/text/stop_words.h"
#include "python/src/bind.h"
#include "python/src/supervisor.h"

namespace copse::python {
namespace {

// Documents that are strings of Python's. Their UTF-8 is found while the GIL is held, and belongs to them.
class StringReader : public DocumentReader {
 public:
  explicit StringReader(const nb::list& documents) {
    texts_.reserve(documents.size());
    for (const nb::handle document : documents) {
      Py_ssize_t size = 0;
      const char* text = PyUnicode_Check(document.ptr()) ? PyUnicode_AsUTF8AndSize(document.ptr(), &size) : nullptr;
      if (text == nullptr) {
        PyErr_Clear();
        throw InvalidArgument("Document " + std::to_string(texts_.size()) + " is not a string of Unicode characters.");
      }
      texts_.emplace_back(text, static_cast<std::size_t>(size));
    }
  }

  bool next(Document& document) override {
    const auto at = static_cast<std::size_t>(report_.documents);
    if (at == texts_.size()) return false;
    document = {};
    document.text = texts_[at];
    document.id = std::to_string(++report_.documents);
    return true;
  }
  const ReadReport& report() const override { return report_; }

 private:
  std::vector<std::string_view> texts_;
  ReadReport report_;
};

Vocabulary select(const Vocabulary& vocabulary, const std::vector<Index>& terms) {
  Vocabulary selected{.options = vocabulary.options};
  for (const Index term : terms) {
    selected.keys.push_back(vocabulary.keys.at(static_cast<std::size_t>(term)));
    selected.names.push_back(vocabulary.names.at(static_cast<std::size_t>(term)));
  }
  return selected;
}

// The prepared matrix of the documents that are long enough, which they are, and what is needed to treat new ones
// alike.
template <class T>
nb::dict fit_text(const nb::list& documents, const TextOptions& text, const PrepareOptions& preparation, int threads) {
  StringReader reader(documents);
  Dataset<T> data;
  Vocabulary vocabulary;
  PrepareReport report;
  Supervisor().run(threads, [&] {
    Corpus<T> corpus = read_corpus<T>(reader, text);
    data.values = std::move(corpus.counts);
    report = prepare(data, preparation);
    vocabulary = select(corpus.vocabulary, report.kept_features);
  });
  nb::dict out = to_dict(std::move(data));
  out["vocabulary"] = std::move(vocabulary);
  out["kept"] = to_numpy(std::move(report.kept_items));
  out["factors"] = to_numpy(std::move(report.feature_factors));
  return out;
}

// New documents with the terms and factors of a fit, and the number of counted words in each.
template <class T>
nb::dict transform_text(const nb::list& documents, const Vocabulary& vocabulary, const PrepareOptions& preparation,
                        const std::vector<double>& factors, int threads) {
  StringReader reader(documents);
  Dataset<T> data;
  std::vector<double> words;
  PrepareReport learned;
  learned.feature_factors = factors;
  Supervisor().run(threads, [&] {
    data.values = read_corpus<T>(reader, vocabulary).counts;
    words.resize(static_cast<std::size_t>(data.items()));
    for (Index j = 0; j < data.items(); ++j) visit_nonzeros(data, j, [&](Index, T count) { words[j] += count; });
    prepare_new(data, preparation, learned);
  });
  nb::dict out = to_dict(std::move(data));
  out["words"] = to_numpy(std::move(words));
  return out;
}

}  // namespace

void bind_text(nb::module_& module) {
  nb::enum_<WordRule>(module, "WordRule")
      .value("unicode", WordRule::unicode)
      .value("word_characters", WordRule::word_characters);
  nb::enum_<Links>(module, "Links")
      .value("drop", Links::drop)
      .value("whole", Links::whole)
      .value("words", Links::words);
  nb::class_<TokenOptions>(module, "TokenOptions")
      .def(nb::init<>())
      .def_rw("rule", &TokenOptions::rule)
      .def_rw("links", &TokenOptions::links)
      .def_rw("numbers", &TokenOptions::numbers)
      .def_rw("apostrophes", &TokenOptions::apostrophes)
      .def_rw("min_length", &TokenOptions::min_length)
      .def_rw("max_length", &TokenOptions::max_length);
  nb::class_<MailOptions>(module, "MailOptions")
      .def(nb::init<>())
      .def_rw("drop_headers", &MailOptions::drop_headers)
      .def_rw("drop_quotes", &MailOptions::drop_quotes)
      .def_rw("drop_signature", &MailOptions::drop_signature);
  nb::class_<TextOptions>(module, "TextOptions")
      .def(nb::init<>())
      .def_rw("tokens", &TextOptions::tokens)
      .def_rw("mail", &TextOptions::mail)
      .def_rw("stop_words", &TextOptions::stop_words)
      .def_rw("more_stop_words", &TextOptions::more_stop_words)
      .def_rw("stemmer", &TextOptions::stemmer)
      .def_rw("bigrams", &TextOptions::bigrams)
      .def_rw("bigram_count", &TextOptions::bigram_count)
      .def_rw("bigram_strength", &TextOptions::bigram_strength)
      .def_rw("min_count", &TextOptions::min_count)
      .def_rw("min_words", &TextOptions::min_words)
      .def_rw("max_share", &TextOptions::max_share)
      .def_rw("max_terms", &TextOptions::max_terms);
  nb::enum_<Weighting>(module, "Weighting")
      .value("none", Weighting::none)
      .value("tf_idf", Weighting::tf_idf)
      .value("log", Weighting::log);
  nb::class_<PrepareOptions>(module, "PrepareOptions")
      .def(nb::init<>())
      .def_rw("min_feature_total", &PrepareOptions::min_feature_total)
      .def_rw("min_item_total", &PrepareOptions::min_item_total)
      .def_rw("drop_empty", &PrepareOptions::drop_empty)
      .def_rw("weighting", &PrepareOptions::weighting)
      .def_rw("unit_items", &PrepareOptions::unit_items);
  nb::class_<Vocabulary>(module, "Vocabulary")
      .def_ro("keys", &Vocabulary::keys)
      .def_ro("names", &Vocabulary::names)
      .def_prop_ro("stop_words", [](const Vocabulary& vocabulary) { return vocabulary.options.stop_words; })
      .def_prop_ro("stemmer", [](const Vocabulary& vocabulary) { return vocabulary.options.stemmer; })
      .def("select", &select, nb::arg("terms"))
      .def("to_json", [](const Vocabulary& vocabulary) { return to_json(vocabulary); })
      .def_static("from_json", [](const std::string& json) { return parse_vocabulary(json, "the vocabulary"); });
  module.def("stop_word_languages", &stop_word_languages);
  module.def("stemmer_languages", &stemmer_languages);
  module.def(
      "fit_text",
      [](const nb::list& documents, const TextOptions& text, const PrepareOptions& preparation, bool single_precision,
         int threads) {
        return single_precision ? fit_text<float>(documents, text, preparation, threads)
                                : fit_text<double>(documents, text, preparation, threads);
      },
      nb::arg("documents"), nb::arg("text"), nb::arg("preparation"), nb::arg("single_precision"), nb::arg("threads"));
  module.def(
      "transform_text",
      [](const nb::list& documents, const Vocabulary& vocabulary, const PrepareOptions& preparation,
         const std::vector<double>& factors, bool single_precision, int threads) {
        return single_precision ? transform_text<float>(documents, vocabulary, preparation, factors, threads)
                                : transform_text<double>(documents, vocabulary, preparation, factors, threads);
      },
      nb::arg("documents"), nb::arg("vocabulary"), nb::arg("preparation"), nb::arg("factors"),
      nb::arg("single_precision"), nb::arg("threads"));
}

}  // namespace copse::python
