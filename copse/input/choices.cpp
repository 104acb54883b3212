#include "copse/input/choices.h"

#include "copse/options/choice_table.h"

namespace copse {

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
COPSE_CHOICES(GraphFormat, {"automatic", GraphFormat::automatic}, {"edges", GraphFormat::edges},
              {"metis", GraphFormat::metis}, {"graphml", GraphFormat::graphml}, {"matrix", GraphFormat::matrix})
COPSE_CHOICES(ItemSimilarity, {"none", ItemSimilarity::none}, {"cosine", ItemSimilarity::cosine},
              {"gaussian", ItemSimilarity::gaussian}, {"self-tuning", ItemSimilarity::self_tuning})

}  // namespace copse
