// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace dunlin::overlay {

/// A hint that these bytes will soon be needed: with many peers, waiting for memory is a good part
/// of what a message costs. Changes nothing.
inline void prefetch(const void* begin, std::size_t bytes) {
  constexpr std::size_t kCacheLine = 64;
  const char* const at = static_cast<const char*>(begin);
  for (std::size_t offset = 0; offset < bytes; offset += kCacheLine) {
    __builtin_prefetch(at + offset);
  }
  // g++ takes a function that does no more than this for one that does nothing, and drops the call.
  asm volatile("" : : "r"(at));
}

}  // namespace dunlin::overlay
