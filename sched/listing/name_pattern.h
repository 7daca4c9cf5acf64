// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace dunlin::sched {

/// True if a pattern as of a shell means all of `text`: '*' stands for any bytes, '?' for one,
/// "[a-z_]" for one of these, "[!a-z]" for one of all others, and '\' takes the next as it is. A
/// '[' without an end means itself. Bytes, whatever the locale: same pattern, same list, anywhere.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace dunlin::sched
