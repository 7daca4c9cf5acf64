// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "overlay/param_entries.h"
#include "overlay/result.h"

namespace dunlin::overlay {

/// "cyclon.timeout (2s) must not exceed cyclon.period (1s)", as a failure (`usage`): an error about
/// two values says both, because each of them may be a default that its reader never saw.
template <typename Value, typename Other>
tl::unexpected<Error> clash(std::string_view key,
    const Value& value,
    std::string_view rule,
    std::string_view other_key,
    const Other& other) {
  const auto text = [](const auto& of) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(of)>>) {
      std::string digits = std::to_string(of);
      // 0.050000 is 0.05 to a reader.
      if (digits.find('.') != std::string::npos) {
        while (digits.back() == '0') digits.pop_back();
        if (digits.back() == '.') digits.pop_back();
      }
      return digits;
    } else {
      return to_string(of);
    }
  };
  return failure(ErrorKind::usage,
      std::string(key) + " (" + text(value) + ") " + std::string(rule) + " " +
          std::string(other_key) + " (" + text(other) + ")");
}

}  // namespace dunlin::overlay
