// Latent Dirichlet allocation [Griffiths & Steyvers 2004]. Extras: alpha (of every topic), beta.
#include "copse/cluster/lda.h"

#include "copse/cluster/sparse_items.h"
#include "copse/methods/registration.h"
#include "copse/methods/runs.h"

namespace copse {
namespace {

struct LdaMethod {
  LdaOptions lda;
  bool move_prior = true;
};

OptionRows rows_of_lda() {
  using Of = LdaMethod;
  RowsOf<Of> rows;
  const auto of = [](auto field) {
    return [field](Of & options) -> auto& { return options.lda.*field; };
  };
  rows.row("move_prior", &Of::move_prior,
           "Priors that follow the data, with which one topic becomes that of common words")
      .spell("!--keep-prior");
  rows.row("alpha", of(&LdaOptions::alpha), "Prior of each topic in a document; 0: 5 / topics").at_least(0).newer();
  rows.row("beta", of(&LdaOptions::beta), "Prior of each word in a topic").at_least(0).newer();
  rows.row("optimize_alpha", of(&LdaOptions::optimize_alpha),
           "A prior of its own for each topic, that follows the data")
      .spell("!--fixed-alpha")
      .newer();
  rows.row("optimize_beta", of(&LdaOptions::optimize_beta), "A prior of all words that follows the data")
      .spell("!--fixed-beta")
      .newer();
  rows.row("burn_in", of(&LdaOptions::burn_in), "Sweeps before the priors move for the first time")
      .within(0, std::numeric_limits<int>::max())
      .newer();
  return rows.done();
}

// The log likelihood per word is the objective; the topic with the largest share is an item's cluster.
template <class T>
MethodResult<T> fit(const MethodData<T>& data, const MethodOptions& options, const LdaMethod& own) {
  const SparseItems<T> items(*data.items);
  return best_of<T>(options, [&](std::uint64_t seed, double seconds) {
    MethodResult<T> result;
    LdaOptions lda_options = own.lda;
    lda_options.topics = options.k;
    lda_options.time_limit = seconds;
    lda_options.seed = seed;
    if (options.max_iterations > 0) lda_options.sweeps = options.max_iterations;
    lda_options.optimize_alpha &= own.move_prior;
    lda_options.optimize_beta &= own.move_prior;
    lda_options.progress = reporting<LdaIteration>(
        options, result.history, [](const LdaIteration& iteration) { return iteration.log_likelihood; });
    LdaResult<T> found = lda(items.view(), lda_options);
    take_weights(std::move(found.documents), result);
    result.w = std::move(found.words);
    result.extras = {{"alpha", found.alpha}, {"beta", found.beta}};
    result.prior = std::move(found.alpha);
    result.objective = found.log_likelihood;
    result.larger_is_better = true;
    result.stop_reason = found.stop_reason;
    return result;
  });
}

}  // namespace

const Method& registered::lda() {
  static const Method method =
      with_fit({.name = "lda",
                .meaning = "topics of counts of words, by Gibbs sampling",
                .traits = {.reads = Reads::counts, .soft = true, .place = PlaceBy::topic_shares},
                .cost =
                    [](const Workload& work, const MethodOptions& options) {
                      // Every word has a topic.
                      return Cost{described_bytes(work, options) + work.entries * (work.width + 3 * sizeof(RowIndex)),
                                  work.entries};
                    }},
               LdaMethod{}, rows_of_lda(),
               []<class T>(const MethodData<T>& data, const MethodOptions& options, const LdaMethod& own) {
                 return fit(data, options, own);
               });
  return method;
}

}  // namespace copse
