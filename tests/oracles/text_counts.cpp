// Counts the terms of a file of documents by scikit-learn's rules and writes them to an .npz file, for text_test.py to
// compare with its vectorizers. Arguments: documents, output, counts|tf-idf.
#include <limits>
#include <string>

#include "copse/io/matrix_file.h"
#include "copse/prepare/prepare.h"
#include "copse/text/corpus.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  copse::TextOptions options;
  options.tokens = {.rule = copse::WordRule::word_characters,
                    .links = copse::Links::words,
                    .numbers = true,
                    .max_length = std::numeric_limits<int>::max()};
  options.stop_words = {"none"};
  options.min_count = 1;
  const auto reader = copse::DocumentSource(argv[1]).open();
  auto corpus = copse::read_corpus<double>(*reader, options);
  copse::Dataset<double> data{.values = std::move(corpus.counts), .feature_names = std::move(corpus.vocabulary.keys)};
  if (argv[3] == std::string("tf-idf"))
    copse::prepare(data, {.weighting = copse::Weighting::smooth_tf_idf, .unit_items = true});
  copse::write_matrix(argv[2], data);
  return 0;
}
