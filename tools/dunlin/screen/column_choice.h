// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace dunlin::cli {

/// The columns of a table that a user asks for.
struct ColumnChoice {
  bool wide = false;  ///< All there are.
  std::string list;   ///< "node,state,address": these, in this order. Empty: see `wide`.

  bool any() const { return wide || !list.empty(); }
};

}  // namespace dunlin::cli
