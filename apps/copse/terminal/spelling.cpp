#include "apps/copse/terminal/spelling.h"

#include <algorithm>
#include <map>

namespace copse {
namespace {

std::map<std::string, std::string>& known() {
  static std::map<std::string, std::string> names;
  return names;
}

}  // namespace

std::string spelling_of(const Option& row) {
  if (!row.spelled.empty()) {
    const std::size_t begin = row.spelled.starts_with('!') ? 1 : 0;
    return row.spelled.substr(begin, row.spelled.find(',') - begin);
  }
  std::string name = "--" + row.name;
  std::ranges::replace(name, '_', '-');
  return name;
}

void remember_spelling(const Option& row) { known().try_emplace(row.name, spelling_of(row)); }

std::string spelled(std::string_view sentence) {
  return with_spelling(std::string(sentence), [](const std::string& name) {
    const auto found = known().find(name);
    return found == known().end() ? std::string() : found->second;
  });
}

}  // namespace copse
