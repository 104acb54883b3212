// The words for every choice that a person makes: one table for each, shared by the command line, Python and JSON. The
// tables stand beside what they choose: choices.h of methods, choose and input.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace copse {

template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

template <class Value>
const Choices<Value>& choices();

// "" for a value that has no name.
template <class Value>
std::string name_of(Value value) {
  for (const auto& [name, choice] : choices<Value>()) {
    if (choice == value) return name;
  }
  return "";
}

template <class Value>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& [name, choice] : choices<Value>()) names.push_back(name);
  return names;
}

// Throws InvalidArgument: "<what> must be one of ..., not ...".
[[noreturn]] void refuse_choice(const std::string& what, const std::string& word,
                                const std::vector<std::string>& names);

template <class Value>
Value choice_of(const std::string& what, const std::string& word) {
  for (const auto& [name, choice] : choices<Value>()) {
    if (name == word) return choice;
  }
  refuse_choice(what, word, names_of<Value>());
}

}  // namespace copse
