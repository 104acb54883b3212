// The list of all methods, and who is asked for by name.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "copse/base/error.h"
#include "copse/methods/registration.h"
#include "copse/options/wording.h"

namespace copse {

const std::vector<const Method*>& methods() {
  static const std::vector<const Method*> all = {
#define METHOD(name) &registered::name(),
#include "copse/methods/list-inl.h"
#undef METHOD
  };
  return all;
}

const Method& method_called(const std::string& name) {
  for (const Method* method : methods()) {
    if (method->name == name) return *method;
  }
  throw WrongOption("method", fmt::format("it must be one of {}, not '{}'", joined(names_of(methods()), ", "), name));
}

const Method& default_method(const std::string& command) {
  const auto all = methods_of(command);
  const auto found = std::ranges::find_if(all, &Method::by_default);
  return **(found == all.end() ? all.begin() : found);
}

std::vector<const Method*> methods_of(const std::string& command) {
  std::vector<const Method*> some;
  std::ranges::copy_if(methods(), std::back_inserter(some),
                       [&](const Method* method) { return method->command == command; });
  return some;
}

std::vector<std::string> names_of(const std::vector<const Method*>& some) {
  std::vector<std::string> names;
  for (const Method* method : some) names.push_back(method->name);
  return names;
}

Gives gives(const Method& method, bool of_a_graph) {
  return of_a_graph && method.traits.gives == Gives::flat ? Gives::communities : method.traits.gives;
}

}  // namespace copse
