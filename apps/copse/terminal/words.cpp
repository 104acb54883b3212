#include "apps/copse/terminal/words.h"

#include <algorithm>

namespace copse {
namespace {

// Edits to get from a to b: insert, delete, replace a letter, or swap two neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      cost[i][j] =
          std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  while (!text.empty()) {
    const std::size_t line_end = std::min(text.find('\n'), text.size());
    std::string_view paragraph = text.substr(0, line_end);
    text.remove_prefix(std::min(line_end + 1, text.size()));
    std::string line;
    while (!paragraph.empty()) {
      const std::size_t word_end = std::min(paragraph.find(' '), paragraph.size());
      const std::string_view word = paragraph.substr(0, word_end);
      paragraph.remove_prefix(std::min(word_end + 1, paragraph.size()));
      if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
        out += std::string(indent, ' ') + line + "\n";
        line.clear();
      }
      if (!line.empty()) line += ' ';
      line += word;
    }
    out += (line.empty() ? "" : std::string(indent, ' ') + line) + "\n";
  }
  return out;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // A word that was cut short is a near one, too.
    const bool begins = word.size() >= 3 && candidate.starts_with(word);
    const std::size_t distance = begins ? 1 : edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : ". Did you mean " + best + "?";
}

}  // namespace copse
