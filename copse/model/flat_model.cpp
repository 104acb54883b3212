#include "copse/model/flat_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/base/error.h"
#include "copse/io/safetensors.h"
#include "copse/methods/choices.h"

namespace copse {
namespace {

template <class T>
Matrix<T> matrix_of(const SafeTensors& model, const std::string& name, Index rows, Index k, const std::string& path) {
  const auto found = model.tensors.find(name);
  if (found == model.tensors.end()) throw InputError(fmt::format("{} has no tensor \"{}\".", path, name));
  const Tensor& tensor = found->second;
  if (tensor.shape != std::vector<Index>{rows, k}) {
    throw InputError(fmt::format("tensor \"{}\" of {} is {}, but this run needs {} x {}.", name, path,
                                 fmt::join(tensor.shape, " x "), rows, k));
  }
  Matrix<T> matrix(rows, k);
  std::visit(
      [&](const auto& values) {
        std::transform(values.begin(), values.end(), matrix.data(), [](auto value) { return static_cast<T>(value); });
      },
      tensor.values);
  for (const T value : matrix.values()) {
    if (!(value >= T(0)) || value > std::numeric_limits<T>::max()) {
      throw InputError(fmt::format("tensor \"{}\" of {} has an entry that is negative or not finite.", name, path));
    }
  }
  return matrix;
}

}  // namespace

void write_model(OutputFile& file, const FlatModel& model, const Settings& settings) {
  TensorWriter writer;
  writer.add_view("w", model.w);
  writer.add_view("h", model.h);
  if (!model.baseline.empty()) writer.add("baseline", model.baseline);
  if (!model.penalty.empty()) writer.add("penalty", model.penalty);
  if (!model.prior.empty()) writer.add("prior", model.prior);
  if (!model.names.empty()) {
    std::vector<std::string> names;
    for (const auto& version : model.names) names.insert(names.end(), version.begin(), version.end());
    writer.add("names", names);
    writer.add("history", model.history);
  }
  add_items(writer, model.items);
  writer.write(file, settings, "flat");
}

FlatModel read_flat_model(const Input& file) {
  const TensorReader reader(file, "a flat result");
  FlatModel model;
  model.w = reader.matrix("w");
  model.h = reader.matrix("h");
  model.baseline = reader.numbers("baseline");
  model.penalty = reader.list<double>("penalty");
  model.prior = reader.list<double>("prior");
  const auto fits = [](const auto& list, Index count) {
    return list.empty() || static_cast<Index>(list.size()) == count;
  };
  if (model.w.cols() != model.h.cols() || !fits(model.baseline, model.w.rows()) ||
      !fits(model.penalty, model.w.cols()) || !fits(model.prior, model.w.cols()))
    reader.wrong("its factors do not fit each other");
  const auto usable = [](double value) { return value >= 0 && std::isfinite(value); };
  bool usable_baseline = true;
  for (std::size_t i = 0; i < model.baseline.size(); ++i) usable_baseline &= usable(model.baseline[i]);
  if (!usable_baseline || !std::ranges::all_of(model.penalty, usable) || !std::ranges::all_of(model.prior, usable))
    reader.wrong("its baseline, penalty or prior has an entry that is negative or not finite");
  const std::vector<std::string> names = reader.strings("names");
  model.history = reader.strings("history");
  const std::size_t k = static_cast<std::size_t>(model.w.cols());
  if (names.size() != k * model.history.size()) reader.wrong("its names do not fit its topics");
  for (auto version = names.begin(); version != names.end(); version += model.w.cols())
    model.names.emplace_back(version, version + model.w.cols());
  model.items = read_items(reader, model.w.rows(), model.h.rows());
  if (const std::string loss = reader.setting("loss"); !loss.empty())
    model.place = place_by(choice_of<Loss>("loss", loss));
  if (const std::string place = reader.setting("place"); !place.empty())
    model.place = choice_of<PlaceBy>("place", place);
  if (model.place == PlaceBy::topic_shares && model.prior.empty() && k > 0)
    reader.wrong("it has no prior of its topics");
  return model;
}

PlaceBy place_by(Loss loss) { return loss == Loss::kullback_leibler ? PlaceBy::divergence : PlaceBy::least_squares; }

template <class T>
StartFactors<T> read_start(const std::string& path, Index rows, Index cols, Index k) {
  const SafeTensors model = read_safetensors(path);
  return {matrix_of<T>(model, "w", rows, k, path), matrix_of<T>(model, "h", cols, k, path)};
}

template StartFactors<float> read_start(const std::string&, Index, Index, Index);
template StartFactors<double> read_start(const std::string&, Index, Index, Index);

}  // namespace copse
