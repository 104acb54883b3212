#include "python/src/settings.h"

#include "copse/base/error.h"
#include "copse/input/stored_input.h"
#include "copse/model/stored_result.h"
#include "copse/run/flat_run.h"
#include "copse/text/stem.h"
#include "copse/text/stop_words.h"

namespace copse::python {
namespace {

Setting to_setting(const std::string& name, nb::handle value) {
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
  if (nb::isinstance<nb::int_>(value)) return nb::cast<std::int64_t>(value);
  if (nb::isinstance<nb::float_>(value)) return nb::cast<double>(value);
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  throw InvalidArgument(name + " is neither a number nor a word.");
}

// A number, or the rule of a paper; None: nothing.
std::optional<SparseWeight> to_weight(const nb::object& value) {
  if (value.is_none()) return {};
  if (!nb::isinstance<nb::str>(value)) return SparseWeight(nb::cast<double>(value));
  return SparseWeight(nb::cast<std::string>(value) == "snmf" ? SparseRule::snmf : SparseRule::thesis);
}

}  // namespace

Settings to_settings(const nb::dict& values) {
  Settings settings;
  for (const auto& [key, value] : values) {
    const auto name = nb::cast<std::string>(key);
    settings.emplace_back(name, to_setting(name, value));
  }
  return settings;
}

nb::dict to_dict(const Settings& settings) {
  nb::dict out;
  for (const auto& [name, setting] : settings)
    out[name.c_str()] = std::visit([](const auto& value) { return nb::cast(value); }, setting);
  return out;
}

std::string in_python(const std::string& sentence) {
  return with_spelling(sentence, [](const std::string& name) {
    const bool is_option = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos;
    return is_option ? name : std::string();
  });
}

void bind_settings(nb::module_& module) {
  // The words of every choice, under the name of its setting.
  nb::dict choices;
  choices["loss"] = names_of<Loss>();
  choices["solver"] = names_of<Solver>();
  choices["init"] = names_of<Start>();
  choices["stop_reason"] = names_of<StopReason>();
  choices["items"] = names_of<copse::Items>();
  choices["presence"] = names_of<Presence>();
  choices["weights"] = names_of<Weighting>();
  choices["scale"] = names_of<FeatureScaling>();
  choices["addresses"] = names_of<Links>();
  choices["words"] = names_of<WordRule>();
  choices["score"] = names_of<Score>();
  choices["pick"] = names_of<Pick>();
  choices["rank2_init"] = names_of<Rank2Start>();
  choices["language"] = stop_word_languages();
  choices["stem"] = stemmer_languages();
  module.attr("choices") = choices;
  // How documents are prepared where nothing else is asked for.
  module.attr("text_settings") = to_dict(settings_of(documents_at("")));
  module.def(
      "sparse_weights",
      [](const nb::object& beta, const nb::object& alpha, double largest, bool sparse) {
        const SparseWeights weights = sparse_weights(to_weight(beta), to_weight(alpha), largest, sparse);
        return nb::make_tuple(weights.alpha, weights.beta);
      },
      nb::arg("beta").none(), nb::arg("alpha").none(), nb::arg("largest"), nb::arg("sparse"));
}

}  // namespace copse::python
