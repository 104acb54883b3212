// HTML as a reader of the page sees it: without tags, scripts, styles and comments, entities decoded.
#pragma once

#include <string>
#include <string_view>

namespace copse {

struct HtmlText {
  std::string text;
  std::string title;
};

// Any bytes are HTML of some kind: there are no errors.
HtmlText text_of_html(std::string_view html);

}  // namespace copse
