// SPDX-License-Identifier: MIT
// Included before all else by clang: C++20 rewrites comparisons, which makes one of Cap'n Proto 0.9
// (capnp/blob.h) call itself, and clang refuses that. This is the overload it meant.
#pragma once

#include <kj/string.h>

namespace kj {
inline bool operator==(const char* a, const StringPtr& b) {
  return b.operator==(StringPtr(a));
}
}  // namespace kj
