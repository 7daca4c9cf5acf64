// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dunlin::web {

/// What a request is about: "/v1/jobs/wren.7?state=done" has the steps v1, jobs, wren.7 and one
/// parameter.
struct Target {
  /// A slash that was written as %2F is part of its step.
  std::vector<std::string> steps;  ///< Of the path, without '%'.
  /// In the order in which they came, '+' and '%' read.
  std::vector<std::pair<std::string, std::string>> query;

  /// The value of a parameter; empty: it is not there.
  std::optional<std::string_view> parameter(std::string_view name) const;
};

/// Empty if it is none: it does not begin with '/', what follows a '%' is no byte, a step is empty,
/// "." or "..", something is no UTF-8 or a control character, or a parameter stands there twice.
std::optional<Target> parse_target(std::string_view text);

}  // namespace dunlin::web
