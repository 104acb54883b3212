#include "apps/copse/package_texts.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace copse {
namespace {

// Words that say nothing, whatever share of the texts has them.
bool is_stop_word(const std::string& word) {
  static const std::unordered_set<std::string> words = {"and",  "for", "from", "into",  "that", "the",
                                                        "this", "use", "used", "using", "with"};
  return words.contains(word);
}

// "contrib/games" -> "games"
std::string section_name(std::string_view section) { return std::string(section.substr(section.rfind('/') + 1)); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

template <class Take>
void for_each_word(std::string_view text, const Take& take) {
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char lower = i < text.size() ? static_cast<char>(text[i] | 0x20) : ' ';
    if (lower >= 'a' && lower <= 'z') {
      word.push_back(lower);
      continue;
    }
    if (word.size() >= 3 && !is_stop_word(word)) take(word);
    word.clear();
  }
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
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen("apt-cache dumpavail 2>/dev/null", "r"), ::pclose);
  std::string dump;
  if (!pipe) return dump;
  std::array<char, 1 << 16> chunk;
  for (std::size_t count = 0; (count = std::fread(chunk.data(), 1, chunk.size(), pipe.get())) > 0;) {
    dump.append(chunk.data(), count);
  }
  return dump;
}

template <class T>
Dataset<T> count_words(const std::vector<std::string>& texts, double common) {
  std::unordered_map<std::string, Index> numbers;
  std::vector<std::string> words;
  std::vector<Index> text_counts;  // texts in which a word stands
  std::vector<std::vector<std::pair<Index, Index>>> counts(texts.size());
  for (std::size_t j = 0; j < texts.size(); ++j) {
    std::unordered_map<Index, Index> here;
    for_each_word(texts[j], [&](const std::string& word) {
      const auto [place, is_new] = numbers.try_emplace(word, static_cast<Index>(words.size()));
      if (is_new) {
        words.push_back(word);
        text_counts.push_back(0);
      }
      ++here[place->second];
    });
    for (const auto& [word, count] : here) ++text_counts[static_cast<std::size_t>(word)];
    counts[j].assign(here.begin(), here.end());
  }

  Dataset<T> data;
  std::vector<Index> rows(words.size(), -1);  // of the words that are kept
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (static_cast<double>(text_counts[w]) > common * static_cast<double>(texts.size())) continue;
    rows[w] = static_cast<Index>(data.feature_names.size());
    data.feature_names.push_back(words[w]);
  }
  SparseMatrix<T> x;
  x.rows = static_cast<Index>(data.feature_names.size());
  x.cols = static_cast<Index>(texts.size());
  for (auto& column : counts) {
    for (auto& [word, count] : column) word = rows[static_cast<std::size_t>(word)];
    std::sort(column.begin(), column.end());
    for (const auto& [row, count] : column) {
      if (row < 0) continue;
      x.indices.push_back(static_cast<RowIndex>(row));
      x.values.push_back(static_cast<T>(count));
    }
    x.offsets.push_back(x.nonzeros());
  }
  data.values = std::move(x);
  return data;
}

template Dataset<float> count_words(const std::vector<std::string>&, double);
template Dataset<double> count_words(const std::vector<std::string>&, double);

}  // namespace copse
