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

// From records as apt-cache prints them; the first of several versions of a package counts. A record without a section
// that has a Description-md5 is a translation: the long text of the packages with this digest.
PackageTexts parse_packages(std::string_view dump);

// What apt knows of all packages, with translations; empty where there is no such program.
std::string dump_packages();

}  // namespace copse
