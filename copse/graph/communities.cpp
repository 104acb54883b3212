#include "copse/graph/communities.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"

namespace copse {
namespace {

using Label = std::int32_t;

constexpr int max_levels = 64;
constexpr int bisections = 12;
constexpr Index dense_groups = 1500;       // a table of all pairs of groups is affordable up to here
constexpr double least_gain = 1e-12;       // of all degrees: round-off must not keep nodes moving
constexpr Index coarse_entries = 100'000;  // graphs with more are bisected on small groups instead of nodes
constexpr double fine_factor = 16;         // those groups are found at a resolution that is higher by this

// A graph of groups of nodes. Weight within a group does not matter to moves; its nodes' degrees do.
struct Level {
  std::vector<Index> offsets = {0};
  std::vector<Label> neighbours = {};
  std::vector<double> weights = {};
  std::vector<double> mass = {};  // sum of the degrees, divided by that of all nodes
  std::vector<Label> size = {};   // nodes of the graph

  Index nodes() const { return static_cast<Index>(mass.size()); }
};

// Weights are divided by the sum of all degrees too, so that resolutions mean the same on every graph.
template <class T>
Level finest_level(SparseView<T> a) {
  Level level;
  const Index n = a.cols;
  double sum = 0;
  for (Index p = a.offsets[0]; p < a.offsets[n]; ++p) sum += static_cast<double>(a.values[p]);
  const double scale = sum > 0 ? 1 / sum : 0;
  level.offsets.assign(a.offsets.begin(), a.offsets.end());
  level.neighbours.assign(a.indices.begin(), a.indices.end());
  level.weights.resize(a.values.size());
  level.mass.assign(static_cast<std::size_t>(n), 0.0);
  level.size.assign(static_cast<std::size_t>(n), 1);
  for (Index j = 0; j < n; ++j) {
    for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
      level.weights[p] = static_cast<double>(a.values[p]) * scale;
      level.mass[j] += level.weights[p];
    }
  }
  return level;
}

std::vector<Label> random_order(Index n, Random& random) {
  std::vector<Label> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (Index i = n - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  return order;
}

// Renumbers labels in the order in which they first occur; returns how many there are.
Label renumber(std::vector<Label>& labels) {
  std::vector<Label> numbers;
  Label count = 0;
  for (Label& label : labels) {
    if (label >= static_cast<Label>(numbers.size())) numbers.resize(static_cast<std::size_t>(label) + 1, -1);
    if (numbers[label] < 0) numbers[label] = count++;
    label = numbers[label];
  }
  return count;
}

// The weights between one node and the groups around it.
class Around {
 public:
  explicit Around(Index labels) : weights_(static_cast<std::size_t>(labels), 0.0) {}

  void clear() {
    for (const Label label : seen_) weights_[label] = 0;
    seen_.clear();
  }
  void add(Label label, double weight) {
    if (weights_[label] == 0) seen_.push_back(label);
    weights_[label] += weight;
  }
  double operator[](Label label) const { return weights_[label]; }
  const std::vector<Label>& seen() const { return seen_; }

 private:
  std::vector<double> weights_;
  std::vector<Label> seen_;
};

// Moves nodes, as long as that raises modularity, to the group where it is highest:
//   gain of group c = w(v, c) - r mass(v) mass(c without v).
// A node is visited again when a neighbour has left for another group. With `fixed` no group appears and none becomes
// empty. Returns whether anything moved.
bool move_nodes(const Level& level, std::vector<Label>& labels, double resolution, bool fixed, Random& random) {
  const Index n = level.nodes();
  Label groups = 0;
  for (const Label label : labels) groups = std::max(groups, label + 1);
  std::vector<double> mass(static_cast<std::size_t>(n) + 1, 0.0);
  std::vector<Label> members(mass.size(), 0);
  for (Index v = 0; v < n; ++v) {
    mass[labels[v]] += level.mass[v];
    ++members[labels[v]];
  }
  std::vector<Label> empty;  // numbers of groups without members
  for (Index c = n; c-- > 0;) {
    if (members[c] == 0) empty.push_back(static_cast<Label>(c));
  }
  std::vector<Label> queue = random_order(n, random), next;
  std::vector<char> waits(static_cast<std::size_t>(n), 1);
  Around around(n + 1);
  bool moved = false;
  // Nodes join the next pass when they are not in line. Every move raises modularity, and the number of passes is
  // bounded for the sake of round-off.
  for (int pass = 0; pass < 100 && !queue.empty(); ++pass, queue.swap(next), next.clear()) {
    check_cancelled();
    for (const Label v : queue) {
      waits[v] = 0;
      const Label own = labels[v];
      if (fixed && members[own] == 1) continue;
      around.clear();
      for (Index p = level.offsets[v]; p < level.offsets[v + 1]; ++p)
        around.add(labels[level.neighbours[p]], level.weights[p]);
      const double pull = resolution * level.mass[v];
      mass[own] -= level.mass[v];
      Label best = own;
      double best_gain = around[own] - pull * mass[own] + least_gain * level.mass[v];
      for (const Label c : around.seen()) {
        const double gain = around[c] - pull * mass[c];
        if (gain > best_gain) {
          best = c;
          best_gain = gain;
        }
      }
      if (!fixed && best_gain < 0 && members[own] > 1) best = empty.back();
      mass[best] += level.mass[v];
      if (best == own) continue;
      moved = true;
      labels[v] = best;
      if (members[best]++ == 0) empty.pop_back();
      if (--members[own] == 0) {
        empty.push_back(own);
        mass[own] = 0;
      }
      for (Index p = level.offsets[v]; p < level.offsets[v + 1]; ++p) {
        const Label u = level.neighbours[p];
        if (waits[u] || labels[u] == best) continue;
        waits[u] = 1;
        next.push_back(u);
      }
    }
  }
  return moved;
}

// Leiden's refinement: within each group, nodes that are well connected to it merge anew from single nodes, each only
// once, into parts that are connected. A part joins the part where modularity gains most.
std::vector<Label> refine(const Level& level, const std::vector<Label>& groups, double resolution, Random& random) {
  const Index n = level.nodes();
  std::vector<Label> parts(static_cast<std::size_t>(n));
  std::iota(parts.begin(), parts.end(), 0);
  std::vector<double> group_mass(static_cast<std::size_t>(n) + 1, 0.0), part_mass = level.mass;
  for (Index v = 0; v < n; ++v) group_mass[groups[v]] += level.mass[v];
  // Weight between a part and the rest of its group.
  std::vector<double> outward(static_cast<std::size_t>(n), 0.0);
  for (Index v = 0; v < n; ++v) {
    for (Index p = level.offsets[v]; p < level.offsets[v + 1]; ++p) {
      if (groups[level.neighbours[p]] == groups[v]) outward[v] += level.weights[p];
    }
  }
  const auto well_connected = [&](Label part, Label group) {
    return outward[part] >= resolution * part_mass[part] * (group_mass[group] - part_mass[part]);
  };
  std::vector<char> alone(static_cast<std::size_t>(n), 1);
  Around around(n);
  for (const Label v : random_order(n, random)) {
    const Label group = groups[v];
    if (!alone[v] || !well_connected(v, group)) continue;
    around.clear();
    for (Index p = level.offsets[v]; p < level.offsets[v + 1]; ++p) {
      const Label u = level.neighbours[p];
      if (groups[u] == group) around.add(parts[u], level.weights[p]);
    }
    Label best = v;
    double best_gain = 0;
    for (const Label part : around.seen()) {
      const double gain = around[part] - resolution * level.mass[v] * part_mass[part];
      if (gain > best_gain && well_connected(part, group)) {
        best = part;
        best_gain = gain;
      }
    }
    if (best == v) continue;
    parts[v] = best;
    alone[best] = 0;
    part_mass[best] += level.mass[v];
    outward[best] += outward[v] - 2 * around[best];
  }
  return parts;
}

// The graph whose nodes are the parts 0 ... count - 1.
Level contract(const Level& level, const std::vector<Label>& parts, Label count) {
  Level coarse;
  coarse.mass.assign(static_cast<std::size_t>(count), 0.0);
  coarse.size.assign(static_cast<std::size_t>(count), 0);
  std::vector<Index> first(static_cast<std::size_t>(count) + 1, 0);
  for (Index v = 0; v < level.nodes(); ++v) {
    coarse.mass[parts[v]] += level.mass[v];
    coarse.size[parts[v]] += level.size[v];
    ++first[parts[v] + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Label> members(static_cast<std::size_t>(level.nodes()));
  std::vector<Index> place(first.begin(), first.end() - 1);
  for (Index v = 0; v < level.nodes(); ++v) members[place[parts[v]]++] = static_cast<Label>(v);
  coarse.offsets.reserve(static_cast<std::size_t>(count) + 1);
  Around around(count);
  for (Label part = 0; part < count; ++part) {
    around.clear();
    for (Index m = first[part]; m < first[part + 1]; ++m) {
      const Label v = members[m];
      for (Index p = level.offsets[v]; p < level.offsets[v + 1]; ++p) {
        const Label other = parts[level.neighbours[p]];
        if (other != part) around.add(other, level.weights[p]);
      }
    }
    for (const Label other : around.seen()) {
      coarse.neighbours.push_back(other);
      coarse.weights.push_back(around[other]);
    }
    coarse.offsets.push_back(static_cast<Index>(coarse.neighbours.size()));
  }
  return coarse;
}

// One round through all levels, from the given groups to better ones.
void improve(const Level& finest, std::vector<Label>& labels, double resolution, Random& random) {
  Level coarse;
  const Level* level = &finest;
  std::vector<Label> groups = labels;      // of the nodes of `level`
  std::vector<Label> node(labels.size());  // which node of `level` stands for each node of `finest`
  std::iota(node.begin(), node.end(), 0);
  for (int depth = 0; depth < max_levels; ++depth) {
    const bool moved = move_nodes(*level, groups, resolution, false, random);
    if (depth > 0 && !moved) break;
    std::vector<Label> parts = refine(*level, groups, resolution, random);
    const Label count = renumber(parts);
    for (Label& v : node) v = parts[v];
    std::vector<Label> part_groups(static_cast<std::size_t>(count));
    for (Index v = 0; v < level->nodes(); ++v) part_groups[parts[v]] = groups[v];
    groups = std::move(part_groups);
    renumber(groups);
    if (count == level->nodes()) break;
    coarse = contract(*level, parts, count);
    level = &coarse;
  }
  for (std::size_t v = 0; v < labels.size(); ++v) labels[v] = groups[node[v]];
  renumber(labels);
}

std::vector<Label> find_groups(const Level& level, double resolution, int rounds, std::uint64_t seed) {
  std::vector<Label> labels(static_cast<std::size_t>(level.nodes()));
  std::iota(labels.begin(), labels.end(), 0);
  Random random(seed);
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Label> before = labels;
    improve(level, labels, resolution, random);
    if (labels == before) break;
  }
  return labels;
}

Label count_of(const std::vector<Label>& labels) {
  return labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 1;
}

// Merges groups until k are left, each time the two with an edge between them whose union costs least modularity: most
// w_ab - r m_a m_b. Only where no edge is left, groups without one join, the lightest first: parts of a component come
// before parts of two, however weakly they hang together. While there are too many for a table of all pairs, the
// lightest group joins its best neighbour, or the next lightest group if it has none.
void merge_to_count(const Level& finest, std::vector<Label>& labels, Label k, double resolution) {
  Label count = renumber(labels);
  if (count <= k) return;
  Level level = contract(finest, labels, count);
  std::vector<Label> into(static_cast<std::size_t>(count));
  std::iota(into.begin(), into.end(), 0);
  const auto apply = [&] {
    for (Label c = 0; c < count; ++c) {
      while (into[c] != into[into[c]]) into[c] = into[into[c]];
    }
    for (Label& label : labels) label = into[label];
    count = renumber(labels);
  };
  if (count > dense_groups && count > k) {
    // In rounds, so that one pass over the groups serves many merges.
    while (count > std::max<Label>(k, dense_groups)) {
      level = contract(finest, labels, count);
      into.resize(static_cast<std::size_t>(count));
      std::iota(into.begin(), into.end(), 0);
      std::vector<Label> order = into;
      std::stable_sort(order.begin(), order.end(), [&](Label a, Label b) { return level.mass[a] < level.mass[b]; });
      std::vector<char> taken(static_cast<std::size_t>(count), 0);
      Label left = count;
      const Label target = std::max<Label>({k, dense_groups, count / 2});
      for (std::size_t o = 0; o < order.size() && left > target; ++o) {
        const Label c = order[o];
        if (taken[c]) continue;
        Label best = -1;
        double best_gain = -std::numeric_limits<double>::infinity();
        for (Index p = level.offsets[c]; p < level.offsets[c + 1]; ++p) {
          const Label d = level.neighbours[p];
          const double gain = level.weights[p] - resolution * level.mass[c] * level.mass[d];
          if (!taken[d] && gain > best_gain) {
            best = d;
            best_gain = gain;
          }
        }
        const bool joined = level.offsets[c + 1] > level.offsets[c];
        if (best < 0 && joined) continue;  // its neighbours have joined others in this round
        for (std::size_t q = o + 1; best < 0 && q < order.size(); ++q) {
          if (!taken[order[q]]) best = order[q];
        }
        if (best < 0) break;
        into[c] = best;
        taken[c] = taken[best] = 1;
        --left;
      }
      apply();
    }
    if (count <= k) return;
    level = contract(finest, labels, count);
    into.resize(static_cast<std::size_t>(count));
    std::iota(into.begin(), into.end(), 0);
  }
  const Index g = count;
  std::vector<double> between(static_cast<std::size_t>(g * g), 0.0);
  for (Index c = 0; c < g; ++c) {
    for (Index p = level.offsets[c]; p < level.offsets[c + 1]; ++p)
      between[c * g + level.neighbours[p]] = level.weights[p];
  }
  std::vector<double>& mass = level.mass;
  std::vector<Label> alive(into);
  while (static_cast<Label>(alive.size()) > k) {
    std::pair<std::size_t, std::size_t> best{0, 1};
    double best_gain = -std::numeric_limits<double>::infinity();
    bool joined = false;  // the two have an edge between them
    for (std::size_t a = 0; a < alive.size(); ++a) {
      for (std::size_t b = a + 1; b < alive.size(); ++b) {
        const double weight = between[alive[a] * g + alive[b]];
        const double gain = weight - resolution * mass[alive[a]] * mass[alive[b]];
        if (joined ? weight > 0 && gain > best_gain : weight > 0 || gain > best_gain) {
          best = {a, b};
          best_gain = gain;
          joined = weight > 0;
        }
      }
    }
    const Label keep = alive[best.first], gone = alive[best.second];
    for (const Label c : alive) {
      between[keep * g + c] += between[gone * g + c];
      between[c * g + keep] = between[keep * g + c];
    }
    mass[keep] += mass[gone];
    into[gone] = keep;
    alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(best.second));
  }
  apply();
}

struct Bisected {
  std::vector<Label> labels;
  double resolution = 1;
};

// The groups at the lowest resolution tried that gives k or more.
Bisected bisect(const Level& level, Label k, int rounds, std::uint64_t seed) {
  Bisected best;
  Label best_count = std::numeric_limits<Label>::max();
  const auto try_at = [&](double resolution) {
    std::vector<Label> labels = find_groups(level, resolution, rounds, seed);
    const Label count = count_of(labels);
    if (count >= k && count < best_count) {
      best = {std::move(labels), resolution};
      best_count = count;
    }
    return count;
  };
  // Above the largest ratio w(u, v) / (m_u m_v) every node is a group.
  double low = 1, high = 1;
  const Label first = try_at(1);
  if (first == k) return best;
  if (first < k) {
    while (best_count == std::numeric_limits<Label>::max()) {
      low = high;
      high *= 4;
      if (high > 1e30) {
        best.labels.resize(static_cast<std::size_t>(level.nodes()));
        std::iota(best.labels.begin(), best.labels.end(), 0);
        best.resolution = high;
        return best;
      }
      if (try_at(high) == k) return best;
    }
  } else {
    // Pieces that hang together by nothing never merge: give up when a far lower resolution changes nothing.
    Label before = first;
    while (low > 1e-4) {
      high = low;
      low /= 4;
      const Label count = try_at(low);
      if (count == k) return best;
      if (count < k) break;
      if (count == before && low < 0.1) return best;
      before = count;
    }
  }
  for (int step = 0; step < bisections && best_count != k; ++step) {
    const double middle = std::sqrt(low * high);
    (try_at(middle) < k ? low : high) = middle;
  }
  return best;
}

}  // namespace

template <class T>
std::vector<Index> communities(SparseView<T> a, const CommunityOptions& options) {
  if (!(options.resolution >= 0) || std::isinf(options.resolution))
    throw InvalidArgument("the resolution must be a finite number that is not negative");
  const std::vector<Label> labels = find_groups(finest_level(a), options.resolution, options.rounds, options.seed);
  return {labels.begin(), labels.end()};
}

template <class T>
CommunityCount communities_of_count(SparseView<T> a, Index k, std::uint64_t seed) {
  if (k < 1 || k > a.cols)
    throw InvalidArgument("the number of groups must be between 1 and the number of nodes, " + std::to_string(a.cols) +
                          ", and is " + std::to_string(k));
  const Level level = finest_level(a);
  const auto count = static_cast<Label>(k);
  Bisected found;
  if (static_cast<Index>(level.neighbours.size()) <= coarse_entries) {
    found = bisect(level, count, 2, seed);
  } else if (found.labels = find_groups(level, 1, 2, seed); count_of(found.labels) != count) {
    // Small groups, found once, stand for the nodes while the resolution is sought.
    double resolution = fine_factor;
    std::vector<Label> small;
    for (;; resolution *= 4) {
      small = find_groups(level, resolution, 1, seed);
      if (count_of(small) >= std::min<Index>(8 * k, level.nodes()) || resolution > 1e30) break;
    }
    const Level coarse = contract(level, small, count_of(small));
    found = bisect(coarse, count, 2, seed);
    std::vector<Label> labels(static_cast<std::size_t>(level.nodes()));
    for (Index v = 0; v < level.nodes(); ++v) labels[v] = found.labels[small[v]];
    found.labels = std::move(labels);
  }
  merge_to_count(level, found.labels, count, std::max(1.0, found.resolution));
  Random random(seed, 2);
  move_nodes(level, found.labels, found.resolution, true, random);
  renumber(found.labels);
  return {{found.labels.begin(), found.labels.end()}, found.resolution};
}

template std::vector<Index> communities(SparseView<float>, const CommunityOptions&);
template std::vector<Index> communities(SparseView<double>, const CommunityOptions&);
template CommunityCount communities_of_count(SparseView<float>, Index, std::uint64_t);
template CommunityCount communities_of_count(SparseView<double>, Index, std::uint64_t);

}  // namespace copse
