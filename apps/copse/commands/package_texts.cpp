#include "apps/copse/commands/package_texts.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <unordered_map>
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
  std::string digest;
  std::vector<std::string> digests;                         // of the texts
  std::unordered_map<std::string, std::string> long_texts;  // by their digest
  bool in_description = false;
  const auto end_of_package = [&] {
    if (!description.empty() && !section.empty() && seen.insert(name).second) {
      texts.names.push_back(name);
      texts.sections.push_back(section);
      texts.descriptions.push_back(description);
      digests.push_back(digest);
    } else if (!description.empty() && section.empty() && !digest.empty()) {
      long_texts.emplace(digest, description);
    }
    name.clear();
    section.clear();
    description.clear();
    digest.clear();
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
    if (field == "Description-md5") digest = value;
  }
  end_of_package();
  for (std::size_t j = 0; j < digests.size(); ++j) {
    const auto found = digests[j].empty() ? long_texts.end() : long_texts.find(digests[j]);
    if (found != long_texts.end()) texts.descriptions[j] = found->second;
  }
  return texts;
}

std::string dump_packages() {
  // dumpavail knows the first lines only. The long texts are in Translation-en, where apt has fetched it; apt-helper
  // reads it however it is compressed.
  constexpr const char* command =
      "exec 2>/dev/null; apt-cache dumpavail; eval \"$(apt-config shell lists Dir::State::lists/d)\"; "
      "lists=${lists:-/var/lib/apt/lists/}; "
      "for file in \"$lists\"*_Translation-en \"$lists\"*_Translation-en.*; do "
      "[ -f \"$file\" ] && echo && /usr/lib/apt/apt-helper cat-file \"$file\"; done";
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
