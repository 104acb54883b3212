#include "copse/measure/coherence.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse {
namespace {

// A feature's places among the top terms: topic and rank.
struct Place {
  Index topic, rank;
};

// For every topic a table of D(f_i, f_j), i <= j; D(f_i) stands on the diagonal.
struct Tables {
  Index topics = 0, terms = 0;
  std::vector<Index> counts;

  Tables(Index topic_count, Index term_count)
      : topics(topic_count),
        terms(term_count),
        counts(static_cast<std::size_t>(topic_count * term_count * term_count)) {}
  Index& operator()(Index topic, Index i, Index j) { return counts[(topic * terms + i) * terms + j]; }
};

}  // namespace

template <class T>
std::vector<double> coherence(const Dataset<T>& data, std::span<const std::vector<Index>> topics,
                              const CoherenceOptions& options) {
  if (options.terms < 1 || !(options.smoothing > 0))
    throw InvalidArgument("coherence needs at least one term per topic and a smoothing above zero");
  const auto topic_count = static_cast<Index>(topics.size());
  std::vector<std::vector<Place>> places(static_cast<std::size_t>(data.features()));
  Index terms = 0;
  for (Index t = 0; t < topic_count; ++t) {
    const Index count = std::min(options.terms, static_cast<Index>(topics[t].size()));
    terms = std::max(terms, count);
    for (Index rank = 0; rank < count; ++rank) {
      const Index feature = topics[t][rank];
      if (feature < 0 || feature >= data.features())
        throw InvalidArgument("topic " + std::to_string(t) + " names feature " + std::to_string(feature) +
                              ", but the data have " + std::to_string(data.features()) + " features");
      places[feature].push_back({t, rank});
    }
  }

  // Integers: the order of adding does not matter. Sixteen blocks bound the memory for the tables.
  const Index block = std::max<Index>(1024, (data.items() + 15) / 16);
  std::vector<Tables> parts(static_cast<std::size_t>((data.items() + block - 1) / block), Tables(topic_count, terms));
  parallel_blocks(data.items(), block, [&](Index begin, Index end) {
    Tables& table = parts[begin / block];
    std::vector<std::vector<Index>> present(static_cast<std::size_t>(topic_count));
    std::vector<Index> touched;
    for (Index item = begin; item < end; ++item) {
      visit_nonzeros(data, item, [&](Index feature, T) {
        for (const auto& [topic, rank] : places[feature]) {
          if (present[topic].empty()) touched.push_back(topic);
          present[topic].push_back(rank);
        }
      });
      for (const Index topic : touched) {
        for (const Index a : present[topic]) {
          for (const Index b : present[topic]) table(topic, a, b) += a <= b;
        }
        present[topic].clear();
      }
      touched.clear();
    }
  });
  Tables table(topic_count, terms);
  for (const Tables& part : parts) {
    for (std::size_t i = 0; i < table.counts.size(); ++i) table.counts[i] += part.counts[i];
  }

  std::vector<double> result(topics.size(), 0);
  for (Index t = 0; t < topic_count; ++t) {
    for (Index i = 0; i < terms; ++i) {
      const Index alone = table(t, i, i);
      if (alone == 0) continue;
      for (Index j = i; j < terms; ++j) {
        if (table(t, j, j) == 0) continue;
        result[t] += std::log((static_cast<double>(table(t, i, j)) + options.smoothing) / static_cast<double>(alone));
      }
    }
  }
  return result;
}

template std::vector<double> coherence(const Dataset<float>&, std::span<const std::vector<Index>>,
                                       const CoherenceOptions&);
template std::vector<double> coherence(const Dataset<double>&, std::span<const std::vector<Index>>,
                                       const CoherenceOptions&);

}  // namespace copse
