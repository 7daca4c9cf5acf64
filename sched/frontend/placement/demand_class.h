// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overlay/neighbour.h"
#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// Demands are alike if they take a like part of a typical node.
enum class DemandClass : std::uint8_t {
  small,    ///< At most a quarter.
  medium,   ///< At most half.
  large,    ///< More.
  special,  ///< Custom resources or constraints: few nodes have them.
};
inline constexpr std::size_t kDemandClasses = 4;

/// `typical` is a node's capacity. The resource that counts is CPU, memory or a rate, whichever the
/// demand takes more of; rates that no node declares count for nothing.
DemandClass classify(const Resources& demand, bool constrained, const Resources& typical);

/// The mean CPU and memory of `nodes`, and the mean of each rate over those that declare it;
/// nothing if there are none.
Resources typical_node(std::span<const overlay::Neighbour> nodes);

}  // namespace dunlin::sched
