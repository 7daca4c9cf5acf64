// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dunlin::tidy {

/// A pair of braces, and what it holds.
struct Scope {
  enum class Kind { names, type, function, other };  ///< `names` is a namespace.
  Kind kind = Kind::other;
  std::string name;       ///< Of a type or a function: "Worker", "Worker::start", "TEST".
  std::size_t first = 0;  ///< The line where the statement before the brace begins, from 1.
  std::size_t last = 0;   ///< The line of the closing brace.
  /// In a type: the functions that it declares or defines, each overload by itself, without those
  /// that it deletes.
  std::size_t methods = 0;
};

/// The scopes of `code`, which code_of() has blanked, in the order in which they close. Scopes
/// within a function are `other`. Reads the house's own layout, not all of C++.
std::vector<Scope> scopes_of(std::string_view code);

}  // namespace dunlin::tidy
