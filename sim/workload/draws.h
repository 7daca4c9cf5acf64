// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/rng.h"
#include "sim/scenario/map_reduce_params.h"

namespace dunlin::sim {

using overlay::Rng;

/// Reads what validate() has read before.
Span sound_span(const std::string& text);

/// A standard normal draw. Source: Box and Muller 1958.
double draw_normal(Rng& rng);

/// The number in `span` that belongs to a standard normal draw: evenly on a scale of powers if
/// `variation` is 0, else of a log-normal distribution with that coefficient of variation about the
/// geometric middle, cut off at the bounds.
double value_in(const Span& span, double normal, double variation);

}  // namespace dunlin::sim
