// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "overlay/inline_vector.h"
#include "sched/kernel.h"
#include "sched/message.h"
#include "sched/resources.h"

namespace dunlin::sched::packing {

/// The resources of one node at most: CPU, memory, the rates, and those of its operator.
inline constexpr std::size_t kDimensionsMax = 2 + kRates.size() + Resources::kCustomMax;

/// One number for each dimension of a node.
using Shares = overlay::InlineVector<double, kDimensionsMax>;

/// The resources of a node as dimensions in which demands are compared. Each is measured as a share
/// of all that the node has, so that CPUs and bytes weigh alike. Rates that it does not declare are
/// no dimensions, and neither is anything of which it has nothing. Source: Grandl 2014, by notes on
/// it: both vectors are normalised by the capacity of the machine.
class Dimensions {
 public:
  /// `total` is all that the node has, with 0 or kUnlimited for what it does not declare.
  explicit Dimensions(const Resources& total);

  std::size_t size() const { return axes_.size() + custom_.size(); }
  /// The same number in every dimension.
  Shares all(double value) const;
  Shares shares(const Resources& amounts) const;
  Shares shares(const ResourceSums& sums) const;

 private:
  template <typename Amounts>
  Shares shares_of(const Amounts& amounts) const;

  /// The resources that all nodes know: CPU, memory and the rates.
  static constexpr std::size_t kAxes = 2 + kRates.size();
  struct Axis {
    std::size_t resource = 0;  ///< In [0, kAxes).
    double unit = 0;           ///< The share that one unit is.
  };
  struct CustomAxis {
    std::string name;
    double unit = 0;
  };

  overlay::InlineVector<Axis, kAxes> axes_;
  std::vector<CustomAxis> custom_;
};

/// The sum over all dimensions.
double sum_of(const Shares& shares);
/// The largest of them: the dominant share. 0 if there are none.
double largest_of(const Shares& shares);

}  // namespace dunlin::sched::packing
