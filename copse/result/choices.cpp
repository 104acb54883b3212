#include "copse/result/choices.h"

#include "copse/base/error.h"
#include "copse/image/segment.h"
#include "copse/result/cluster_choices.h"
#include "copse/result/memory.h"
#include "copse/result/wording.h"

namespace copse {

// A table is made at its first use and stays.
#define COPSE_CHOICES(Value, ...)                      \
  template <>                                          \
  const Choices<Value>& choices() {                    \
    static const Choices<Value> table = {__VA_ARGS__}; \
    return table;                                      \
  }

COPSE_CHOICES(Loss, {"frobenius", Loss::frobenius}, {"kl", Loss::kullback_leibler})
COPSE_CHOICES(Solver, {"hals", Solver::hals}, {"mu", Solver::mu}, {"active-set", Solver::active_set},
              {"pivoting", Solver::pivoting}, {"projected-gradient", Solver::projected_gradient})
COPSE_CHOICES(Start, {"automatic", Start::automatic}, {"sample", Start::sample}, {"random", Start::random},
              {"nndsvd", Start::nndsvd}, {"nndsvda", Start::nndsvda}, {"nndsvdar", Start::nndsvdar})
COPSE_CHOICES(StopReason, {"converged", StopReason::converged}, {"max_iterations", StopReason::max_iterations},
              {"time_limit", StopReason::time_limit}, {"interrupted", StopReason::interrupted})
COPSE_CHOICES(Precision, {"float", Precision::single}, {"double", Precision::full})
COPSE_CHOICES(Engine, {"automatic", Engine::automatic}, {"memory", Engine::memory}, {"disk", Engine::disk})
COPSE_CHOICES(Items, {"automatic", Items::automatic}, {"columns", Items::columns}, {"rows", Items::rows})
COPSE_CHOICES(Presence, {"detect", Presence::detect}, {"present", Presence::present}, {"absent", Presence::absent})
COPSE_CHOICES(Weighting, {"none", Weighting::none}, {"tf-idf", Weighting::tf_idf},
              {"smooth-tf-idf", Weighting::smooth_tf_idf}, {"log-tf-idf", Weighting::log_tf_idf},
              {"log", Weighting::log}, {"text", Weighting::text})
COPSE_CHOICES(FeatureSelection, {"variation", FeatureSelection::variation},
              {"dispersion", FeatureSelection::dispersion})
COPSE_CHOICES(FeatureScaling, {"none", FeatureScaling::none}, {"max", FeatureScaling::max},
              {"deviation", FeatureScaling::deviation})
COPSE_CHOICES(DocumentFormat, {"automatic", DocumentFormat::automatic}, {"folder", DocumentFormat::folder},
              {"json-lines", DocumentFormat::json_lines}, {"table", DocumentFormat::table},
              {"lines", DocumentFormat::lines})
COPSE_CHOICES(Links, {"drop", Links::drop}, {"whole", Links::whole}, {"words", Links::words})
COPSE_CHOICES(WordRule, {"unicode", WordRule::unicode}, {"characters", WordRule::word_characters})
COPSE_CHOICES(NeighbourGraph, {"automatic", NeighbourGraph::automatic}, {"none", NeighbourGraph::none},
              {"words", NeighbourGraph::words})
COPSE_CHOICES(Score, {"mndcg", Score::mndcg}, {"error", Score::error}, {"rank1-gain", Score::rank1_gain},
              {"fit", Score::fit}, {"rank1", Score::rank1}, {"rank2", Score::rank2})
COPSE_CHOICES(Pick, {"score", Pick::score}, {"size", Pick::size})
COPSE_CHOICES(Rank2Start, {"singular", Rank2Start::singular}, {"random", Rank2Start::random})
COPSE_CHOICES(Leaf, {"open", Leaf::open}, {"too_small", Leaf::too_small}, {"one_sided", Leaf::one_sided},
              {"only_outliers", Leaf::only_outliers}, {"not_worth_it", Leaf::not_worth_it})
COPSE_CHOICES(GraphFormat, {"automatic", GraphFormat::automatic}, {"edges", GraphFormat::edges},
              {"metis", GraphFormat::metis}, {"graphml", GraphFormat::graphml}, {"matrix", GraphFormat::matrix})
COPSE_CHOICES(ItemSimilarity, {"none", ItemSimilarity::none}, {"cosine", ItemSimilarity::cosine},
              {"gaussian", ItemSimilarity::gaussian}, {"self-tuning", ItemSimilarity::self_tuning})
COPSE_CHOICES(GraphModel, {"symmetric", GraphModel::symmetric}, {"blocks", GraphModel::blocks})
COPSE_CHOICES(GraphStart, {"multilevel", GraphStart::multilevel}, {"spectral", GraphStart::spectral},
              {"random", GraphStart::random})
COPSE_CHOICES(SymSolver, {"coordinate", SymSolver::coordinate}, {"hals", SymSolver::hals}, {"anls", SymSolver::anls},
              {"anls-growing", SymSolver::anls_growing}, {"newton", SymSolver::newton},
              {"projected-gradient", SymSolver::projected_gradient}, {"gauss-newton", SymSolver::gauss_newton})
COPSE_CHOICES(ClusterMethod, {"kmeans", ClusterMethod::kmeans}, {"spherical-kmeans", ClusterMethod::spherical_kmeans},
              {"hierarchical-kmeans", ClusterMethod::hierarchical_kmeans},
              {"bisecting", ClusterMethod::repeated_bisection}, {"kernel-kmeans", ClusterMethod::kernel_kmeans},
              {"spectral", ClusterMethod::spectral}, {"yu-shi", ClusterMethod::spectral_discretized},
              {"cluster-qr", ClusterMethod::cluster_qr}, {"affinity-propagation", ClusterMethod::affinity_propagation},
              {"gnmf", ClusterMethod::gnmf}, {"lda", ClusterMethod::lda}, {"anchors", ClusterMethod::anchor_topics},
              {"xray", ClusterMethod::xray}, {"hottopixx", ClusterMethod::hottopixx})
COPSE_CHOICES(CentreStart, {"k-means++", CentreStart::plus_plus}, {"random", CentreStart::random})
COPSE_CHOICES(PlaceBy, {"least-squares", PlaceBy::least_squares}, {"divergence", PlaceBy::divergence},
              {"angle", PlaceBy::angle}, {"distance", PlaceBy::distance}, {"unit-distance", PlaceBy::unit_distance},
              {"topic-shares", PlaceBy::topic_shares})
COPSE_CHOICES(XraySelection, {"rays", XraySelection::rays}, {"max", XraySelection::max}, {"dist", XraySelection::dist},
              {"greedy", XraySelection::greedy})
COPSE_CHOICES(RunChoice, {"modularity", RunChoice::modularity}, {"normalized-cut", RunChoice::normalized_cut},
              {"objective", RunChoice::objective})
COPSE_CHOICES(LabelSource, {"better", LabelSource::better}, {"factor", LabelSource::factor})
COPSE_CHOICES(Null, {"automatic", Null::automatic}, {"box", Null::box}, {"shuffled", Null::shuffled})
COPSE_CHOICES(Average, {"mean", Average::mean}, {"median", Average::median})
COPSE_CHOICES(Question, {"clusters", Question::clusters}, {"components", Question::components})
COPSE_CHOICES(RunKind, {"split", RunKind::split}, {"null-split", RunKind::null_split},
              {"shuffled-split", RunKind::shuffled_split}, {"resample", RunKind::resample}, {"start", RunKind::start},
              {"hold-out", RunKind::hold_out}, {"bi-cross", RunKind::bi_cross}, {"gap", RunKind::gap},
              {"null-gap", RunKind::null_gap}, {"perturbed", RunKind::perturbed})
COPSE_CHOICES(SegmentMethod, {"embed", SegmentMethod::embed}, {"clust", SegmentMethod::clust},
              {"spectral", SegmentMethod::spectral})
COPSE_CHOICES(SegmentHierarchy, {"merge", SegmentHierarchy::merge}, {"split", SegmentHierarchy::split})

void refuse_choice(const std::string& what, const std::string& word, const std::vector<std::string>& names) {
  throw InvalidArgument(what + " must be one of " + joined(names, ", ") + ", not '" + word + "'.");
}

}  // namespace copse
