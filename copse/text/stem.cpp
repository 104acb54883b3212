#include "copse/text/stem.h"

#include <libstemmer.h>

#include "copse/base/error.h"

namespace copse {

struct Stemmer::State {
  sb_stemmer* stemmer;
  explicit State(sb_stemmer* stemmer) : stemmer(stemmer) {}
  ~State() { sb_stemmer_delete(stemmer); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

std::vector<std::string> stemmer_languages() {
  std::vector<std::string> languages;
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) languages.emplace_back(*name);
  return languages;
}

Stemmer::Stemmer(const std::string& language) {
  sb_stemmer* stemmer = sb_stemmer_new(language.c_str(), "UTF_8");
  if (stemmer == nullptr) {
    std::string known;
    for (const std::string& name : stemmer_languages()) known += (known.empty() ? "" : ", ") + name;
    throw InvalidArgument("there is no stemmer for '" + language + "'; there is one for " + known);
  }
  state_ = std::make_unique<State>(stemmer);
}

Stemmer::~Stemmer() = default;
Stemmer::Stemmer(Stemmer&&) noexcept = default;
Stemmer& Stemmer::operator=(Stemmer&&) noexcept = default;

std::string_view Stemmer::stem(std::string_view word) {
  const sb_symbol* stem =
      sb_stemmer_stem(state_->stemmer, reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
  if (stem == nullptr) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(sb_stemmer_length(state_->stemmer))};
}

}  // namespace copse
