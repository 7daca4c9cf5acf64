// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

// How a report says that the kernel killed processes of its task for want of memory: in its detail,
// since a shell may end well over the bodies of its children.
namespace dunlin::node {

/// How such a detail ends. What goes before it begins with the number.
inline constexpr std::string_view kMemoryKilled = " killed for want of memory";

/// "2 of its processes were killed for want of memory". Requires that there are some.
inline std::string memory_kills_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " of its processes was" : " of its processes were") +
      std::string(kMemoryKilled);
}

/// How many a detail tells of; 0 of a detail that is about something else.
inline std::uint64_t memory_kills_in(std::string_view detail) {
  std::uint64_t count = 0;
  if (!detail.ends_with(kMemoryKilled)) return count;
  (void)std::from_chars(detail.data(), detail.data() + detail.size(), count);
  return count;
}

}  // namespace dunlin::node
