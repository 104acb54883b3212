// How much of a result is kept for people to read.
#pragma once

#include "copse/base/index.h"

namespace copse {

inline constexpr Index most_words = 60;            // of a topic, in views and on the page
inline constexpr Index most_representatives = 10;  // documents that stand for a topic
inline constexpr Index most_texts = 400;           // documents of which the beginning is kept
inline constexpr Index most_text_bytes = 2'000;    // of each of these

}  // namespace copse
