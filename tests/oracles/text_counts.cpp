// Counts the terms of a file of documents by scikit-learn's rules and writes them to an .npz file, for text_test.py to
// compare with its CountVectorizer. Arguments: documents, output.
#include <limits>

#include "copse/io/matrix_file.h"
#include "copse/text/corpus.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  copse::TextOptions options;
  options.tokens = {.rule = copse::WordRule::word_characters,
                    .links = copse::Links::words,
                    .numbers = true,
                    .max_length = std::numeric_limits<int>::max()};
  options.stop_words = {"none"};
  options.min_count = 1;
  const auto reader = copse::DocumentSource(argv[1]).open();
  auto corpus = copse::read_corpus<double>(*reader, options);
  const copse::Dataset<double> data{.values = std::move(corpus.counts),
                                    .feature_names = std::move(corpus.vocabulary.keys)};
  copse::write_matrix(argv[2], data);
  return 0;
}
