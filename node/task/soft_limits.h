// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/resource.h>

// The limits of setrlimit(2) that users set for their tasks. Their numbers travel between agents:
// only ever add to the end.
namespace dunlin::node {

/// How the value of a limit is written.
enum class LimitUnit { count, bytes, seconds };

struct LimitName {
  std::string_view name;
  int resource;
  LimitUnit unit;
};

inline constexpr std::array kLimitNames = {
    LimitName{"nofile", RLIMIT_NOFILE, LimitUnit::count},
    LimitName{"core", RLIMIT_CORE, LimitUnit::bytes},
    LimitName{"stack", RLIMIT_STACK, LimitUnit::bytes},
    LimitName{"cpu", RLIMIT_CPU, LimitUnit::seconds},
    LimitName{"fsize", RLIMIT_FSIZE, LimitUnit::bytes},
    LimitName{"as", RLIMIT_AS, LimitUnit::bytes},
    LimitName{"data", RLIMIT_DATA, LimitUnit::bytes},
    LimitName{"nproc", RLIMIT_NPROC, LimitUnit::count},
    LimitName{"memlock", RLIMIT_MEMLOCK, LimitUnit::bytes},
};

/// No limit at all.
inline constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

/// The number by which a limit of that name travels; empty if there is none.
constexpr std::optional<std::uint8_t> limit_number(std::string_view name) {
  for (std::size_t i = 0; i < kLimitNames.size(); ++i) {
    if (kLimitNames[i].name == name) return static_cast<std::uint8_t>(i);
  }
  return std::nullopt;
}

/// "nofile, core, stack ..."
inline std::string limit_names() {
  std::string names;
  for (const LimitName& each : kLimitNames) {
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  return names;
}

}  // namespace dunlin::node
