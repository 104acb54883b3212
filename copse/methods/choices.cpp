#include "copse/methods/choices.h"

#include "copse/options/choice_table.h"

namespace copse {

COPSE_CHOICES(Loss, {"frobenius", Loss::frobenius}, {"kl", Loss::kullback_leibler})
COPSE_CHOICES(Solver, {"hals", Solver::hals}, {"mu", Solver::mu}, {"active-set", Solver::active_set},
              {"pivoting", Solver::pivoting}, {"projected-gradient", Solver::projected_gradient})
COPSE_CHOICES(Start, {"automatic", Start::automatic}, {"sample", Start::sample}, {"random", Start::random},
              {"nndsvd", Start::nndsvd}, {"nndsvda", Start::nndsvda}, {"nndsvdar", Start::nndsvdar})
COPSE_CHOICES(StopReason, {"converged", StopReason::converged}, {"max_iterations", StopReason::max_iterations},
              {"time_limit", StopReason::time_limit}, {"interrupted", StopReason::interrupted})
COPSE_CHOICES(Precision, {"float", Precision::single}, {"double", Precision::full})
COPSE_CHOICES(Score, {"mndcg", Score::mndcg}, {"error", Score::error}, {"rank1-gain", Score::rank1_gain},
              {"fit", Score::fit}, {"rank1", Score::rank1}, {"rank2", Score::rank2})
COPSE_CHOICES(Pick, {"score", Pick::score}, {"size", Pick::size})
COPSE_CHOICES(Rank2Start, {"singular", Rank2Start::singular}, {"random", Rank2Start::random})
COPSE_CHOICES(Leaf, {"open", Leaf::open}, {"too_small", Leaf::too_small}, {"one_sided", Leaf::one_sided},
              {"only_outliers", Leaf::only_outliers}, {"not_worth_it", Leaf::not_worth_it})
COPSE_CHOICES(GraphModel, {"symmetric", GraphModel::symmetric}, {"blocks", GraphModel::blocks})
COPSE_CHOICES(GraphStart, {"multilevel", GraphStart::multilevel}, {"spectral", GraphStart::spectral},
              {"random", GraphStart::random})
COPSE_CHOICES(SymSolver, {"coordinate", SymSolver::coordinate}, {"hals", SymSolver::hals}, {"anls", SymSolver::anls},
              {"anls-growing", SymSolver::anls_growing}, {"newton", SymSolver::newton},
              {"projected-gradient", SymSolver::projected_gradient}, {"gauss-newton", SymSolver::gauss_newton})
COPSE_CHOICES(CentreStart, {"k-means++", CentreStart::plus_plus}, {"random", CentreStart::random})
COPSE_CHOICES(Bisect, {"gain", Bisect::gain}, {"objective", Bisect::objective}, {"size", Bisect::size})
COPSE_CHOICES(GnmfSolver, {"multiplicative", GnmfSolver::multiplicative}, {"hals", GnmfSolver::hals})
COPSE_CHOICES(PlaceBy, {"least-squares", PlaceBy::least_squares}, {"divergence", PlaceBy::divergence},
              {"angle", PlaceBy::angle}, {"distance", PlaceBy::distance}, {"unit-distance", PlaceBy::unit_distance},
              {"topic-shares", PlaceBy::topic_shares})
COPSE_CHOICES(XraySelection, {"rays", XraySelection::rays}, {"max", XraySelection::max}, {"dist", XraySelection::dist},
              {"greedy", XraySelection::greedy})
COPSE_CHOICES(Reads, {"items", Reads::items}, {"counts", Reads::counts}, {"graph", Reads::graph},
              {"items-and-graph", Reads::items_and_graph}, {"picture", Reads::picture})
COPSE_CHOICES(Gives, {"flat", Gives::flat}, {"tree", Gives::tree}, {"communities", Gives::communities},
              {"community-tree", Gives::community_tree}, {"segments", Gives::segments})
COPSE_CHOICES(RunChoice, {"modularity", RunChoice::modularity}, {"normalized-cut", RunChoice::normalized_cut},
              {"objective", RunChoice::objective})
COPSE_CHOICES(LabelSource, {"better", LabelSource::better}, {"factor", LabelSource::factor})
COPSE_CHOICES(SegmentMethod, {"embed", SegmentMethod::embed}, {"clust", SegmentMethod::clust},
              {"spectral", SegmentMethod::spectral})
COPSE_CHOICES(SegmentHierarchy, {"merge", SegmentHierarchy::merge}, {"split", SegmentHierarchy::split})

}  // namespace copse
