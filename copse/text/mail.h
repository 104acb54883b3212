// Mail and news [Kuang 2014, section 2.2.1]: headers, quoted lines and signatures are not the author's words.
#pragma once

#include <string>
#include <string_view>

#include "copse/text/vocabulary.h"

namespace copse {

// What is left of the text, in `kept`.
void strip_mail(std::string_view text, const MailOptions& options, std::string& kept);

}  // namespace copse
