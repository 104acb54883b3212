// The report page: one HTML file that holds a result, opens from disk and needs no network. Computes nothing but sums
// along paths. web/src/data.ts has the reader's side of what is written here.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "copse/base/index.h"
#include "copse/model/limits.h"
#include "copse/model/topic.h"
#include "copse/report/page_head.h"

namespace copse {

struct PageDocument {
  std::string title;            // one line; or an id, or the first words
  Index leaf = -1;              // the node that it belongs to (an outlier: is nearest to); -1: it could not be placed
  Index second = -1;            // the next best leaf, or -1
  double weight = 0;            // of its leaf among its topics, 0 to 1
  double second_weight = 0;     // of the next best leaf
  Index label = -1;             // position in Page::labels, or -1
  Index time = -1;              // position in Page::times, or -1
  double stability = -1;        // 0 to 1; -1: not known
  bool outlier = false;         // set aside by a split; the leaf is the nearest
  bool near_duplicate = false;  // of an earlier document
};

struct PageText {
  Index document = 0;
  std::string text;
};

struct Page : PageHead {
  std::string items = "document";  // what they are called: document, node or item
  // nodes[0] is the root; a flat result is a root with its topics. Their ids are short, and representatives are
  // documents. Give 40 to 60 words: the page shows 20, and its relevance slider chooses among all.
  std::vector<Topic> nodes = {};
  std::vector<double> shares = {};                   // of all documents that hold a feature; empty: 1
  std::vector<std::vector<std::string>> forms = {};  // what else a feature stands for ("runs" for "running"), or empty
  std::vector<PageDocument> documents = {};          // all of them
  std::vector<PageText> texts = {};                  // of some documents, the most important first
  std::vector<std::string> labels = {};              // true classes, where they are known
  std::vector<std::string> times = {};               // names of the periods in their order, where times are known
};

// The page leaves out what does not fit, and says so.
struct PageLimits {
  Index bytes = 10'000'000;            // of the whole file
  Index texts = most_texts;            // documents whose text is inside
  Index text_bytes = most_text_bytes;  // of each of these
  Index title_bytes = 160;             // of each title
  Index documents = 200'000;           // on the map; an even sample of them all
  Index labels = 1'000;                // the commonest
  Index words = most_words;            // of each node
};

// Whether this build holds the page: one without Node.js does not.
bool page_is_built();

// The whole file. Throws InvalidArgument for positions that do not exist, for limits that cannot be kept, and where
// page_is_built() is false.
std::string page_html(const Page& page, const PageLimits& limits = {});

// The data in it: one line of JSON without any "<", so that nothing ends the <script> around it.
std::string page_data(const Page& page, const PageLimits& limits = {});

}  // namespace copse
