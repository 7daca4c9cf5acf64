// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace dunlin::overlay {

[[noreturn]] inline void fail_ensure(const char* what, const std::source_location& where) {
  std::fprintf(stderr, "%s:%u: broken invariant in %s: %s\n", where.file_name(), where.line(),
      where.function_name(), what);
  std::abort();
}

/// Aborts, in every build, if `condition` is false: a bug of ours, never a stranger's bytes.
constexpr void ensure(bool condition,
    const char* what = "",
    const std::source_location& where = std::source_location::current()) {
  if (!condition) fail_ensure(what, where);
}

}  // namespace dunlin::overlay

namespace dunlin {
using overlay::ensure;
}
