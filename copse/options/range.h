// Ranges of numbers of clusters, as they are typed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "copse/base/index.h"

namespace copse {

// A number from 1 on, in `text`, which is a part of `whole`. Throws InvalidArgument.
Index parse_index(std::string_view text, const std::string& whole);

// 2:10, 5:60:5, 3,5,8 or 4; ascending. Throws InvalidArgument.
std::vector<Index> parse_range(const std::string& text);

}  // namespace copse
