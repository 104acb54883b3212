#include "copse/methods/options.h"

#include "copse/methods/choices.h"

namespace copse {
namespace {

constexpr const char* stopping_group = "Stopping";

constexpr const char* seed_meaning = "Seed of the random numbers: the same seed gives the same bits";
constexpr const char* time_limit_meaning = "Stop after this time with the best result so far, such as 90s or 5m";

}  // namespace

template <>
const OptionRows& rows<NmfOptions>() {
  static const OptionRows table = [] {
    using Of = NmfOptions;
    RowsOf<Of> rows;
    rows.row("clusters", &Of::rank, "Number of clusters").at_least(1).spell("-k,--clusters").not_stored();
    rows.row("loss", &Of::loss,
             "frobenius: |X - W H|^2; kl: the Kullback-Leibler divergence of counts, the sum of x log(x / (W H)) - x + "
             "(W H)")
        .needs_all("the Kullback-Leibler loss")
        .not_with("solver=dc", "the solver dc starts from a tree, which has the Frobenius loss only")
        .not_with("device", "the Kullback-Leibler loss runs on the CPU only")
        .not_with("explain", "no plan knows of the Kullback-Leibler loss");
    rows.row("solver", &Of::solver,
             "hals: the fastest; mu: multiplicative updates; the others solve each step exactly or by gradients");
    rows.row("start", &Of::start,
             "First factors: from a sample of the items (automatic for hals), random, from singular vectors (zeros "
             "kept, filled with the mean, or with small random numbers)");
    rows.row("runs", &Of::runs, "Starts to try; the best is kept")
        .within(1, 1000000)
        .not_with("consensus", "a consensus has runs of its own")
        .not_with("explain", "no plan knows of several runs");
    rows.row("alpha", &Of::alpha, "Weight of |W|^2").at_least(0);
    rows.row("beta", &Of::beta, "Weight of the squared column sums of H").at_least(0);
    rows.row("affine", &Of::affine, "X ~ w0 1' + W H: a nonnegative baseline w0 that all items share");
    rows.row("seed", &Of::seed, seed_meaning).not_stored();
    const std::size_t stopping = rows.headed(0, "Factorization").size();
    rows.row("max_iterations", &Of::max_iterations, "At most so many iterations")
        .within(1, std::numeric_limits<int>::max());
    rows.row("tolerance", &Of::tolerance,
             "Stop when the norm of the projected gradient, for X / |X| and unit columns of W, is at most this times "
             "sqrt(k)")
        .within(0, 1);
    rows.row("time_limit", &Of::time_limit, time_limit_meaning).as(OptionKind::seconds).at_least(0).otherwise("none");
    return rows.headed(stopping, stopping_group).done();
  }();
  return table;
}

template <>
const OptionRows& rows<TreeOptions>() {
  static const OptionRows table = [] {
    using Of = TreeOptions;
    RowsOf<Of> rows;
    rows.row("leaves", &Of::leaves, "Leaves to stop at").at_least(1);
    rows.row("score", &Of::score, "What makes a leaf worth splitting")
        .otherwise("mndcg where features have names, else error");
    rows.row("pick", &Of::pick, "Split the leaf with the highest score, or the largest");
    rows.row("min_score", &Of::min_score, "Split only leaves with a higher score");
    rows.row("outlier_trials", &Of::outlier_trials,
             "Times that a small group may be set aside before a leaf is left alone; 0: never")
        .within(0, 1000);
    rows.row("imbalance", &Of::imbalance, "A group is small if the other has so many times its items")
        .at_least(1.000001);
    rows.row("large_share", &Of::large_share,
             "A node with this share of all items is split even if its trials only set outliers aside")
        .within(0, 1);
    rows.row("start", &Of::start,
             "First factors of a split: from singular vectors, always the same, or random by `seed`");
    rows.row("tolerance", &Of::tolerance,
             "A split is found when the projected gradient is this share of what it is near random factors")
        .within(0, 1);
    rows.row("max_iterations", &Of::max_iterations, "Iterations per split at most").within(2, 1000000000);
    rows.row("time_limit", &Of::time_limit, "Stop after this time with the tree so far, such as 90s or 5m")
        .as(OptionKind::seconds)
        .at_least(0)
        .otherwise("none");
    rows.row("seed", &Of::seed, seed_meaning).not_stored();
    return rows.headed(0, "Growing").done();
  }();
  return table;
}

template <>
const OptionRows& rows<GraphClusterOptions>() {
  static const OptionRows table = [] {
    using Of = GraphClusterOptions;
    RowsOf<Of> rows;
    rows.row("clusters", &Of::k, "Number of communities").at_least(1).spell("-k,--clusters").not_stored();
    rows.row("model", &Of::model,
             "symmetric: A ~ B B'; blocks: A ~ Z S Z', which also finds groups with more edges to each other than "
             "within");
    rows.row("tau", &Of::tau, "Damping: degrees d count as d + tau mean(d); 0: D^-1/2 A D^-1/2, as in the papers")
        .at_least(0);
    rows.row("least_component", &Of::least_component,
             "Set aside components with fewer nodes; -1: fewer than nodes / (10 k)")
        .at_least(-1);
    rows.row("start", &Of::start,
             "multilevel: groups by moves that raise modularity, k of them; spectral: by leading eigenvectors; random, "
             "as in the papers");
    rows.row("solver", &Of::solver,
             "coordinate: exact coordinate descent; hals: sweeps, extrapolated; anls, anls-growing and newton: the "
             "algorithms of [Kuang 2014], newton for less than 3,000 nodes; projected-gradient; gauss-newton");
    rows.row("runs", &Of::runs, "Starts to try; see `choose`").within(1, 1000000);
    rows.row("choose", &Of::choice, "Which of the runs is kept");
    rows.row("labels", &Of::labels,
             "better: the partition of the start or of the factor, whichever has the higher modularity; factor: the "
             "largest membership of every node");
    rows.row("low_rank", &Of::low_rank,
             "Factorize a randomized approximation of this rank first, which pays for dense graphs; 0: do not")
        .at_least(0);
    rows.row("alpha", &Of::alpha, "anls, hals: weight of |C - B|^2").at_least(0);
    rows.row("beta", &Of::beta, "anls, hals: weight of the squared row sums of B, which makes memberships sparse")
        .at_least(0);
    rows.row("seed", &Of::seed, seed_meaning).not_stored();
    const std::size_t stopping = rows.headed(0, "Communities").size();
    rows.row("max_iterations", &Of::max_iterations, "At most so many iterations of a run")
        .within(1, std::numeric_limits<int>::max());
    rows.row("tolerance", &Of::tolerance,
             "Stop when the norm of the projected gradient is at most this times that of a random start")
        .within(0, 1);
    rows.row("time_limit", &Of::time_limit, time_limit_meaning).as(OptionKind::seconds).at_least(0).otherwise("none");
    return rows.headed(stopping, stopping_group).done();
  }();
  return table;
}

template <>
const OptionRows& rows<SegmentOptions>() {
  static const OptionRows table = [] {
    using Of = SegmentOptions;
    RowsOf<Of> rows;
    const auto graph = [](auto field) {
      return [field](Of & options) -> auto& { return options.graph.*field; };
    };
    rows.row(
        "method", &Of::method,
        "embed: rows of the factor become superpixels, and these nested segmentations; clust: the factor's "
        "largest entries are the segments, for each k up to `rank`; spectral: as embed, with eigenvectors in place "
        "of the factor");
    rows.row("hierarchy", &Of::hierarchy,
             "How superpixels become nested segmentations. merge: the two that are most alike by boundary, colour and "
             "size become one, again and again; split: normalized cuts, again and again, as in the thesis");
    rows.row("rank", &Of::rank, "Columns of the factor, eigenvectors, or largest k").within(2, 200);
    rows.row("superpixels", &Of::superpixels, "Of embed and spectral").within(2, 1000);
    rows.row("radius", graph(&PixelGraphOptions::radius), "Of a pixel's neighbourhood").within(1, 100);
    rows.row("scale", graph(&PixelGraphOptions::scale),
             "s in the similarity exp(-b / s), where b is the strongest boundary between two pixels")
        .within(1e-3, 1e3);
    rows.row("smallest", &Of::smallest, "Share of the pixels below which a loose piece joins its neighbour")
        .within(0, 1);
    rows.row("edge_cost", &Of::edge_cost, "Without `segments`: a boundary pays where its mean strength is above this")
        .within(0, 1);
    rows.row("seed", &Of::seed, seed_meaning).not_stored();
    rows.row("time_limit", &Of::time_limit, "Stop after this time with what is found by then, such as 90s or 5m")
        .as(OptionKind::seconds)
        .at_least(0)
        .otherwise("none");
    return rows.headed(0, "Segments").done();
  }();
  return table;
}

}  // namespace copse
