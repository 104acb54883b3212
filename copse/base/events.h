// What a run tells while it works. The library itself prints nothing.
#pragma once

#include <functional>
#include <string>

namespace copse {

struct RunEvents {
  std::function<void(const std::string&)> say = {};     // a sentence that stays
  std::function<void(const std::string&)> status = {};  // what happens now; the next one takes its place

  void tell(const std::string& sentence) const {
    if (say) say(sentence);
  }
  void show(const std::string& now) const {
    if (status) status(now);
  }
};

}  // namespace copse
