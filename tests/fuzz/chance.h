// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <sodium.h>
#include <span>

#include "overlay/rng.h"

namespace dunlin::fuzz {

/// Makes libsodium draw the same bytes from now on in every run, so that a finding can be repeated.
inline void fix_chance() {
  static overlay::Rng rng(1);
  static randombytes_implementation fixed = {.implementation_name = [] { return "fixed"; },
      .random = [] { return static_cast<std::uint32_t>(rng()); },
      .stir = nullptr,
      .uniform = nullptr,
      .buf =
          [](void* to, std::size_t size) {
            for (auto& byte : std::span(static_cast<std::uint8_t*>(to), size)) {
              byte = static_cast<std::uint8_t>(rng());
            }
          },
      .close = nullptr};
  rng = overlay::Rng(1);
  randombytes_set_implementation(&fixed);
}

}  // namespace dunlin::fuzz
