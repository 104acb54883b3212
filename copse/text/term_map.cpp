#include "copse/text/term_map.h"

namespace copse {

void TermMap::append_terms(std::span<const StoredToken> tokens, std::vector<std::uint32_t>& out) const {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::uint32_t key = keys[tokens[i].word];
    if (key == none) continue;
    if (!pairs.empty() && i + 1 < tokens.size() && tokens[i + 1].adjacent) {
      const std::uint32_t next = keys[tokens[i + 1].word];
      const auto pair = next == none ? pairs.end() : pairs.find(static_cast<std::uint64_t>(key) << 32 | next);
      if (pair != pairs.end()) {
        out.push_back(pair->second);
        ++i;
        continue;
      }
    }
    if (terms[key] != none) out.push_back(terms[key]);
  }
}

}  // namespace copse
