#include "apps/copse/commands/package_texts.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <unordered_set>

namespace copse {
namespace {

// "contrib/games" -> "games"
std::string section_name(std::string_view section) { return std::string(section.substr(section.rfind('/') + 1)); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

}  // namespace

PackageTexts parse_packages(std::string_view dump) {
  PackageTexts texts;
  std::unordered_set<std::string> seen;
  std::string name;
  std::string section;
  std::string description;
  bool in_description = false;
  const auto end_of_package = [&] {
    if (!description.empty() && !section.empty() && seen.insert(name).second) {
      texts.names.push_back(name);
      texts.sections.push_back(section);
      texts.descriptions.push_back(description);
    }
    name.clear();
    section.clear();
    description.clear();
  };
  while (!dump.empty()) {
    const std::size_t end = std::min(dump.find('\n'), dump.size());
    const std::string_view line = dump.substr(0, end);
    dump.remove_prefix(std::min(end + 1, dump.size()));
    if (line.empty()) end_of_package();
    if (line.starts_with(' ')) {
      if (in_description) description.append("\n").append(trimmed(line));
      continue;
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view field = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(std::min(colon + 1, line.size())));
    in_description = field == "Description" || field == "Description-en";
    if (in_description) description = value;
    if (field == "Package") name = value;
    if (field == "Section") section = section_name(value);
  }
  end_of_package();
  return texts;
}

std::string dump_packages() {
  // dumpavail knows the first lines only. A search for anything knows the long texts of Translation-en, too, but takes
  // minutes where apt keeps its lists compressed.
  constexpr const char* command =
      "exec 2>/dev/null; if ls /var/lib/apt/lists/*_Translation-en >/dev/null; "
      "then apt-cache -o Acquire::Languages=en search --full .; else apt-cache dumpavail; fi";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command, "r"), ::pclose);
  std::string dump;
  if (!pipe) return dump;
  std::array<char, 1 << 16> chunk;
  for (std::size_t count = 0; (count = std::fread(chunk.data(), 1, chunk.size(), pipe.get())) > 0;) {
    dump.append(chunk.data(), count);
  }
  return dump;
}

}  // namespace copse
