// Times of documents as periods: days, months or years, whatever gives a number of them that one can look at.
#pragma once

#include <string>
#include <vector>

#include "copse/base/index.h"

namespace copse {

struct Periods {
  std::vector<std::string> names;  // "2021", "2021-03" or "2021-03-14", ascending without gaps
  std::vector<Index> places;       // of each time, or -1 where it is not understood
  Index unknown = 0;               // times that are neither empty nor understood
};

// Understands years (1993), ISO 8601 (1993-04, 1993-04-05, 19930405, with any time of the day behind), the dates of
// mail (Mon, 5 Apr 1993 12:34:56 -0500) and seconds or milliseconds since 1970. Days if they span at most two months,
// months if at most six years, else years. Where some times have no day or no month, periods are not finer than that.
Periods periods_of(const std::vector<std::string>& times);

}  // namespace copse
