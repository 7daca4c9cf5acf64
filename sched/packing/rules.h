// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace dunlin::sched::packing {

/// How well a task goes with what is free: d is its demand, a what is available, each as a share
/// of the node, w the weight of the resource. Sources: Grandl 2014 (dot, and that others were
/// compared); Panigrahy 2011 for the others, the usual rules of vector bin packing.
enum class ScoreName : std::uint8_t {
  dot,            ///< The sum of w d a: the alignment of the paper.
  cosine,         ///< The same for vectors of length 1: direction alone counts, not size.
  l2_difference,  ///< Minus the sum of w (a - d)²: the tightest fit first.
  l2_ratio,       ///< Minus the sum of w (d / a)²: that of which least is taken first.
  sum,            ///< The sum of w d: the largest first.
  product,        ///< The product of d ^ w.
};

/// The knobs of the rule by which a node packs.
struct Rules {
  ScoreName score = ScoreName::dot;
  double scarcity = 0;          ///< The power in scarcity_weights().
  double srtf_weight = 1;       ///< Of short jobs against packing; 0: packing alone.
  double fairness = 0.25;       ///< In [0, 1); towards 1, dominant resource fairness.
  double remote_penalty = 0.1;  ///< In [0, 1): see penalised().
  double barrier = 0.9;  ///< The part of a stage that has ended when its last tasks hurry; 1: off.
};

}  // namespace dunlin::sched::packing
