// SPDX-License-Identifier: MIT
#include "sched/packing/dimensions.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace dunlin::sched::packing {
namespace {

/// CPU, memory and the rates, in the order in which axes number them.
template <typename Amounts>
auto common_amounts(const Amounts& amounts) {
  return std::array{amounts.cpu, amounts.memory, amounts.disk_read, amounts.disk_write,
      amounts.net_in, amounts.net_out};
}

}  // namespace

Dimensions::Dimensions(const Resources& total) {
  const auto amounts = common_amounts(total);
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    if (amounts[i] == 0 || amounts[i] == kUnlimited) continue;
    axes_.push_back({i, 1.0 / amounts[i]});
  }
  for (const Amount& amount : total.custom) {
    if (amount.count > 0) custom_.push_back({amount.name, 1.0 / amount.count});
  }
}

Shares Dimensions::all(double value) const {
  Shares shares;
  for (std::size_t i = 0; i < size(); ++i) shares.push_back(value);
  return shares;
}

template <typename Amounts>
Shares Dimensions::shares_of(const Amounts& amounts) const {
  const auto common = common_amounts(amounts);
  Shares shares;
  for (const Axis& axis : axes_) {
    shares.push_back(static_cast<double>(common[axis.resource]) * axis.unit);
  }
  for (const CustomAxis& axis : custom_) {
    const auto& custom = amounts.custom;
    const auto at =
        std::ranges::find_if(custom, [&](const auto& amount) { return amount.name == axis.name; });
    shares.push_back(at == custom.end() ? 0 : static_cast<double>(at->count) * axis.unit);
  }
  return shares;
}

Shares Dimensions::shares(const Resources& amounts) const {
  return shares_of(amounts);
}

Shares Dimensions::shares(const ResourceSums& sums) const {
  return shares_of(sums);
}

double sum_of(const Shares& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

double largest_of(const Shares& shares) {
  return shares.empty() ? 0 : *std::ranges::max_element(shares);
}

}  // namespace dunlin::sched::packing
