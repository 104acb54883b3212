#include "copse/image/boundary_cue.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 4;
constexpr int bins = 25;
constexpr int taps = 5;             // bins that a pixel is spread over
constexpr double bin_spread = 1.0;  // standard deviation, in bins
constexpr Index sectors = 2 * cue_orientations;

// Each pixel's share in a few neighbouring bins.
struct Binned {
  std::vector<std::uint8_t> first;
  std::vector<std::array<float, taps>> share;
};

// Values between low and high fall into all bins evenly; those beyond count as the ends.
Binned soft_bins(const Plane& plane, float low, float high) {
  Binned binned{std::vector<std::uint8_t>(plane.size()), std::vector<std::array<float, taps>>(plane.size())};
  parallel_blocks(static_cast<Index>(plane.size()), 4096, [&](Index begin, Index end) {
    for (Index p = begin; p < end; ++p) {
      const double place = std::clamp((plane[p] - low) / (high - low), 0.0F, 1.0F) * (bins - 1);
      const int first = std::clamp(static_cast<int>(std::lround(place)) - taps / 2, 0, bins - taps);
      double sum = 0;
      std::array<double, taps> weight;
      for (int t = 0; t < taps; ++t) {
        const double distance = (first + t - place) / bin_spread;
        sum += weight[t] = std::exp(-distance * distance / 2);
      }
      binned.first[p] = static_cast<std::uint8_t>(first);
      for (int t = 0; t < taps; ++t) binned.share[p][t] = static_cast<float>(weight[t] / sum);
    }
  });
  return binned;
}

// A blurred copy; the border repeats.
Plane blurred(const Plane& plane, PixelShape shape, double sigma) {
  const auto reach = static_cast<Index>(std::ceil(3 * sigma));
  std::vector<float> kernel;
  for (Index d = -reach; d <= reach; ++d)
    kernel.push_back(static_cast<float>(std::exp(-static_cast<double>(d * d) / (2 * sigma * sigma))));
  float sum = 0;
  for (const float k : kernel) sum += k;
  for (float& k : kernel) k /= sum;
  Plane across(plane.size()), out(plane.size());
  const Index w = shape.width, h = shape.height;
  for (Index y = 0; y < h; ++y) {
    for (Index x = 0; x < w; ++x) {
      float total = 0;
      for (Index d = -reach; d <= reach; ++d)
        total += kernel[d + reach] * plane[y * w + std::clamp<Index>(x + d, 0, w - 1)];
      across[y * w + x] = total;
    }
  }
  for (Index y = 0; y < h; ++y) {
    for (Index x = 0; x < w; ++x) {
      float total = 0;
      for (Index d = -reach; d <= reach; ++d)
        total += kernel[d + reach] * across[std::clamp<Index>(y + d, 0, h - 1) * w + x];
      out[y * w + x] = total;
    }
  }
  return out;
}

// What a small neighbourhood looks like, as one of 25 kinds: flat, or one of 8 directions of its gradient in three
// strengths (steps of L* per pixel).
Binned textures(const LabPlanes& planes) {
  const Plane smooth = blurred(planes.l, planes.shape, 0.8);
  const Index w = planes.shape.width, h = planes.shape.height;
  Binned binned{std::vector<std::uint8_t>(smooth.size()), std::vector<std::array<float, taps>>(smooth.size())};
  for (Index y = 0; y < h; ++y) {
    for (Index x = 0; x < w; ++x) {
      const auto at = [&](Index dx, Index dy) {
        return smooth[std::clamp<Index>(y + dy, 0, h - 1) * w + std::clamp<Index>(x + dx, 0, w - 1)];
      };
      const float gx = (at(1, 0) - at(-1, 0)) / 2, gy = (at(0, 1) - at(0, -1)) / 2;
      const float size = std::hypot(gx, gy);
      int kind = 0;
      if (size >= 0.7F) {
        const double turn = std::atan2(gy, gx) / (2 * std::numbers::pi) + 1;
        const int direction = static_cast<int>(turn * 8 + 0.5) % 8;
        kind = 1 + direction + 8 * (size >= 5 ? 2 : size >= 2 ? 1 : 0);
      }
      const Index p = y * w + x;
      // One bin; the others get nothing.
      const int first = std::min(kind, bins - taps);
      binned.first[p] = static_cast<std::uint8_t>(first);
      binned.share[p] = {};
      binned.share[p][kind - first] = 1;
    }
  }
  return binned;
}

constexpr double least_strength = 1e-6;  // below it are rounding errors

double probability(double score) { return 1 / (1 + std::exp(-score)); }

struct DiskPixel {
  Index dx, dy;
  Index sector;
};

// Sector s covers the angles between s and s + 1 times 2 pi / sectors. The centre belongs to none.
std::vector<DiskPixel> disk(Index radius) {
  std::vector<DiskPixel> pixels;
  for (Index dy = -radius; dy <= radius; ++dy) {
    for (Index dx = -radius; dx <= radius; ++dx) {
      if ((dx == 0 && dy == 0) || dx * dx + dy * dy > radius * radius) continue;
      const double turn = std::atan2(static_cast<double>(dy), static_cast<double>(dx)) / (2 * std::numbers::pi) + 1;
      pixels.push_back({dx, dy, static_cast<Index>(turn * sectors + 1e-9) % sectors});
    }
  }
  return pixels;
}

// Adds share * the distance between the halves to one cue of every pixel and orientation.
void add_differences(const Binned& binned, Index radius, Cue cue, float share, BoundaryCues& cues) {
  const std::vector<DiskPixel> pixels = disk(radius);
  const Index w = cues.shape.width, h = cues.shape.height;
  const auto which = static_cast<std::size_t>(cue);
  parallel_blocks(h, rows_per_block, [&](Index begin, Index end) {
    std::vector<std::array<float, bins>> sector(sectors);
    for (Index y = begin; y < end; ++y) {
      for (Index x = 0; x < w; ++x) {
        for (auto& histogram : sector) histogram.fill(0);
        for (const DiskPixel& d : pixels) {
          const Index u = x + d.dx, v = y + d.dy;
          if (u < 0 || v < 0 || u >= w || v >= h) continue;
          const Index p = v * w + u;
          float* bin = sector[d.sector].data() + binned.first[p];
          for (int t = 0; t < taps; ++t) bin[t] += binned.share[p][t];
        }
        std::array<float, bins> one{}, other{};
        for (Index s = 0; s < cue_orientations; ++s) {
          for (int b = 0; b < bins; ++b) {
            one[b] += sector[s][b];
            other[b] += sector[s + cue_orientations][b];
          }
        }
        for (Index o = 0; o < cue_orientations; ++o) {
          float one_sum = 0, other_sum = 0;
          for (int b = 0; b < bins; ++b) {
            one_sum += one[b];
            other_sum += other[b];
          }
          float distance = 0;
          if (one_sum > 0.5F && other_sum > 0.5F) {
            for (int b = 0; b < bins; ++b) {
              const float f = one[b] / one_sum, g = other[b] / other_sum;
              if (f + g > 1e-6F) distance += (f - g) * (f - g) / (f + g);
            }
          }
          cues.values[static_cast<std::size_t>((y * w + x) * cue_orientations + o)][which] += share * distance / 2;
          for (int b = 0; b < bins; ++b) {
            const float leaves = sector[o][b], enters = sector[o + cue_orientations][b];
            one[b] += enters - leaves;
            other[b] += leaves - enters;
          }
        }
      }
    }
  });
}

}  // namespace

BoundaryCues boundary_cues(const LabPlanes& planes) {
  BoundaryCues cues{planes.shape,
                    std::vector<CueVector>(static_cast<std::size_t>(planes.shape.pixels() * cue_orientations))};
  const Binned l = soft_bins(planes.l, 0, 100), a = soft_bins(planes.a, -50, 50), b = soft_bins(planes.b, -50, 50);
  const Binned t = textures(planes);
  add_differences(l, 3, Cue::fine_brightness, 1, cues);
  add_differences(l, 6, Cue::coarse_brightness, 1, cues);
  for (const Binned* plane : {&a, &b}) {
    add_differences(*plane, 3, Cue::fine_colour, 0.5F, cues);
    add_differences(*plane, 6, Cue::coarse_colour, 0.5F, cues);
  }
  add_differences(t, 6, Cue::texture, 1, cues);
  add_differences(t, 10, Cue::coarse_texture, 1, cues);
  return cues;
}

BoundaryStrength boundary_strength(const BoundaryCues& cues, const BoundaryModel& model) {
  const Index n = cues.shape.pixels();
  BoundaryStrength boundary{cues.shape, Plane(static_cast<std::size_t>(n)),
                            std::vector<std::uint8_t>(static_cast<std::size_t>(n))};
  const double flat = probability(model.bias);
  parallel_blocks(n, 4096, [&](Index begin, Index end) {
    for (Index p = begin; p < end; ++p) {
      double best = -1e300;
      for (Index o = 0; o < cue_orientations; ++o) {
        const CueVector& cue = cues.at(p, o);
        double score = model.bias;
        for (std::size_t c = 0; c < cue_count; ++c) score += model.weights[c] * static_cast<double>(cue[c]);
        if (score <= best) continue;
        best = score;
        boundary.orientation[p] = static_cast<std::uint8_t>(o);
      }
      const double strength = (probability(best) - flat) / (1 - flat);
      boundary.strength[p] = strength > least_strength ? static_cast<float>(strength) : 0.0F;
    }
  });
  return boundary;
}

Plane ridges(const BoundaryStrength& boundary) {
  const Index w = boundary.shape.width, h = boundary.shape.height;
  Plane out(boundary.strength.size(), 0.0F);
  for (Index y = 0; y < h; ++y) {
    for (Index x = 0; x < w; ++x) {
      const Index p = y * w + x;
      // Orientation o parts the disk along the angle o pi / 8; across it lies the normal.
      const double angle = boundary.orientation[p] * std::numbers::pi / cue_orientations + std::numbers::pi / 2;
      const auto dx = static_cast<Index>(std::lround(std::cos(angle))),
                 dy = static_cast<Index>(std::lround(std::sin(angle)));
      const auto at = [&](Index u, Index v) {
        return u < 0 || v < 0 || u >= w || v >= h ? 0.0F : boundary.strength[v * w + u];
      };
      const float here = boundary.strength[p];
      if (here >= at(x + dx, y + dy) && here > at(x - dx, y - dy)) out[p] = here;
    }
  }
  return out;
}

const BoundaryModel& fitted_boundary_model() {
  static const BoundaryModel model{.bias = -4.570, .weights = {2.276, 0.724, 0.515, 3.546, 2.119, 0.579}};
  return model;
}

}  // namespace copse
