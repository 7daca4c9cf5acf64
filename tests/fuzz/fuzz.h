// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "overlay/ensure.h"

// What the fuzz targets share. A finding is anything that stops the program: a sanitizer, a failed
// ensure(), an exception that escapes, a minute without an answer.
namespace dunlin::fuzz {

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace dunlin::fuzz
