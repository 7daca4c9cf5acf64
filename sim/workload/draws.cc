// SPDX-License-Identifier: MIT
#include "sim/workload/draws.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "overlay/ensure.h"

namespace dunlin::sim {
namespace {

/// The share of normal draws below `value`.
double normal_share(double value) {
  return 0.5 * std::erfc(-value / std::numbers::sqrt2);
}

}  // namespace

Span sound_span(const std::string& text) {
  const auto read = parse_span("", text);
  overlay::ensure(read.has_value(), "a span that nobody validated");
  return *read;
}

double draw_normal(Rng& rng) {
  // 1 less: a logarithm of 0 must not come up.
  const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
  return radius * std::cos(2 * std::numbers::pi * rng.uniform());
}

double value_in(const Span& span, double normal, double variation) {
  if (span.max <= span.min) return span.min;
  // The share of draws below it is even in [0, 1], whatever the normal draw is correlated with.
  if (variation == 0) return span.min * std::pow(span.max / span.min, normal_share(normal));
  // Of a log-normal distribution the coefficient of variation says how wide its logarithm is.
  const double sigma = std::sqrt(std::log(1 + variation * variation));
  const double middle = std::sqrt(span.min * span.max);
  return std::clamp(middle * std::exp(sigma * normal), span.min, span.max);
}

}  // namespace dunlin::sim
