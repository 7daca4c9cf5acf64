// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/address.h"

namespace dunlin::node {

/// A node that speaks with this one, and does not answer at the address that it tells others.
struct Unreached {
  overlay::Address told;
  overlay::Address works;  ///< Where it is reached instead.

  friend bool operator==(const Unreached&, const Unreached&) = default;
};

/// What to do about it, at that node.
std::string cure_of(const Unreached& unreached);

/// "others reach it at 10.0.0.2:7700, and not at 172.17.0.1:7700, which it tells: start it with
/// --advertise 10.0.0.2:7700".
std::string unreached_text(const Unreached& unreached);

/// The same of this node itself, by what these others say.
std::string self_unreached_text(const Unreached& unreached, const std::vector<std::string>& names);

}  // namespace dunlin::node
