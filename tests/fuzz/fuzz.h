// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/ensure.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

// The common part of the fuzz targets. A finding is anything that stops the program: a sanitizer, a
// failed ensure(), an exception that escapes, a minute without an answer.
namespace dunlin::fuzz {

/// Something that reads what strangers, users or a damaged disk gave it.
struct Target {
  std::string name;
  void (*run)(const std::uint8_t* data, std::size_t size) = nullptr;
  /// Changes an input, in place; returns its new size. Null: as libFuzzer does by itself.
  std::size_t (*mutate)(
      std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) = nullptr;
  std::size_t stack = 0;  ///< Bytes that it may take of it; 0: as many as any program.
};

/// A variable of this type makes the target known to the program.
struct Registered {
  Registered(Target target);
};

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace dunlin::fuzz
