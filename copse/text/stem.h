// Stems by libstemmer.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace copse {

std::vector<std::string> stemmer_languages();

class Stemmer {
 public:
  // Throws InvalidArgument for a language that libstemmer does not know.
  explicit Stemmer(const std::string& language);
  ~Stemmer();
  Stemmer(Stemmer&&) noexcept;
  Stemmer& operator=(Stemmer&&) noexcept;

  // Valid until the next call.
  std::string_view stem(std::string_view word);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace copse
