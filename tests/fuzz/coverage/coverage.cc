// SPDX-License-Identifier: MIT
#include "tests/fuzz/coverage/coverage.h"

#include <array>

// g++ marks each branch with a call that says where it is; libFuzzer wants a counter for each. So a
// branch counts in the counter that its address falls to. Two branches that share one are a feature
// less for the fuzzer to find, and there are many more counters than an input takes branches.
namespace dunlin::fuzz {
namespace {

constexpr std::size_t kCounters = 1 << 16;
constinit std::array<std::uint8_t, kCounters> counted{};

}  // namespace

std::span<std::uint8_t> counters() {
  return counted;
}

}  // namespace dunlin::fuzz

/// The linker's name for where the program begins, which differs from run to run.
extern "C" const char __executable_start;

// The linker takes it for __sanitizer_cov_trace_pc, which libFuzzer has, too, but refuses to serve.
extern "C" void __wrap___sanitizer_cov_trace_pc();
extern "C" void __wrap___sanitizer_cov_trace_pc() {
  using dunlin::fuzz::counted;
  const auto at = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) -
      reinterpret_cast<std::uintptr_t>(&__executable_start);
  ++counted[(at ^ (at >> 16)) % dunlin::fuzz::kCounters];
}
