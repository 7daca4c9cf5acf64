// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"

namespace dunlin::node {

/// A ceiling of CPU time that jobs of a user, or of a class, may hold in a day by UTC.
struct Quota {
  static constexpr std::string_view kEachUser = "*";

  bool of_class = false;       ///< Else of a user.
  std::string name;            ///< Of a user also kEachUser: those without a quota of their own.
  std::int64_t ceiling_s = 0;  ///< CPU seconds.
  friend bool operator==(const Quota&, const Quota&) = default;
};

/// Reads agent.quota: "user:alice=2h, user:*=3600, class:gold=100h"; a number alone is of seconds.
/// Fails (`usage`) naming what is wrong.
Result<std::vector<Quota>> parse_quotas(std::string_view text);

}  // namespace dunlin::node
