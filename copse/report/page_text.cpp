#include "copse/report/page_text.h"

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/model/result_json.h"
#include "copse/report/page_template.h"

namespace copse {
namespace {

constexpr std::string_view data_mark = R"("@copse-data@")";  // in web/index.html, where the data go

}  // namespace

nlohmann::ordered_json json_of(const PageHead& head) {
  nlohmann::ordered_json json = {{"format", 1},
                                 {"title", one_line(head.title)},
                                 {"command", head.command},
                                 {"settings", json_of(head.settings)},
                                 {"facts", head.facts},
                                 {"notes", head.notes}};
  if (!head.survey.empty()) json["survey"] = nlohmann::ordered_json::parse(head.survey);
  return json;
}

std::string script_json(const nlohmann::ordered_json& json) {
  const std::string plain = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size() + plain.size() / 64);
  for (const char c : plain) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

std::string page_around(std::string_view data) {
  const std::string_view html = page_template();
  if (html.empty())
    throw InvalidArgument(
        "This build of copse holds no report page, as it was made without Node.js; `./run build` makes one that does.");
  const std::size_t mark = html.find(data_mark);
  if (mark == std::string_view::npos) throw InvalidArgument("The report page in this build has no place for data.");
  std::string file(html.substr(0, mark));
  file += data;
  file += html.substr(mark + data_mark.size());
  return file;
}

std::string shortened(const std::string& text, Index limit) {
  if (static_cast<Index>(text.size()) <= limit) return text;
  std::size_t end = static_cast<std::size_t>(std::max<Index>(0, limit - 3));
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "\u2026";
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10, 3 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(scale) ? std::round(value * scale) / scale : value;
}

std::string base64_of_bytes(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t b = 0; b < 3; ++b) group = group << 8 | (b < count ? bytes[i + b] : 0u);
    for (std::size_t d = 0; d < 4; ++d) text += d <= count ? digits[group >> (18 - 6 * d) & 63] : '=';
  }
  return text;
}

}  // namespace copse
