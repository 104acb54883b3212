// The text that every Debian machine has: descriptions of packages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace copse {

struct PackageTexts {
  std::vector<std::string> names;
  std::vector<std::string> sections;
  std::vector<std::string> descriptions;
};

// From records as apt-cache prints them; the first of several versions of a package counts.
PackageTexts parse_packages(std::string_view dump);

// What apt-cache prints on all packages; empty where there is no such program.
std::string dump_packages();

}  // namespace copse
