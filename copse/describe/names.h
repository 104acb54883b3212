// What topics are called where nobody has named them, and names for many topics at once by way of a text file.
#pragma once

#include <string>
#include <vector>

#include "copse/describe/topic_view.h"
#include "copse/matrix/any_dataset.h"

namespace copse {

// A name of two or three terms for every node: those with the largest
//   w_i log(r_i / p_i),
// w_i the weight of term i in the topic, p_i the share of the items of the node shown above that hold it, and r_i =
// (c_i + 2 p_i) / (n + 2) that of the node's n items, c_i of which hold it; two items of the parent's kind keep rare
// terms in check. In dense data sums of entries take the place of counts. Of a term and its phrase (bigram) the phrase
// is taken unless it scores less than half; of several forms of one word the first. No two nodes get the same terms.
// Topics that have a name in `items` keep it. Empty for the root, for topics without terms, and where features have no
// names.
std::vector<std::string> topic_names(const TopicView& view, const AnyDataset& data, const ModelItems& items);

// Names of all topics of the view that have none into the model's items.
void add_labels(const AnyDataset& data, const TopicView& view, ModelItems& items);

// Whether two terms hold forms of the same word: words that are equal, or begin with the same four characters or more
// and go on with three or fewer, no digits among these, or of three characters and an s.
bool are_forms(const std::string& a, const std::string& b);

// All topics that are shown (a name would show others, too), for a person or a language model to name: id, present
// name, terms, beginnings of typical documents and what the neighbours are called. Its last section asks for the lines
// that given_names() reads.
std::string names_prompt(const TopicView& view, const ModelItems& items);

struct GivenName {
  std::string id;
  std::string name;
  Index line = 0;  // from 1
};

// Lines of an id, a tab and a name. Throws InputError, with the number of the line, for a line that is empty or of
// another form, and for an id or a name that stands there twice. `source` is the name of the file.
std::vector<GivenName> given_names(const std::vector<std::string>& lines, const std::string& source);

}  // namespace copse
