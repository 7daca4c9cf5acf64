// SPDX-License-Identifier: MIT
#include "tests/fuzz/heap_peak.h"

#include <algorithm>
#include <atomic>
#ifdef DUNLIN_SANITIZED
#include <sanitizer/allocator_interface.h>
#endif

// The sanitizer tells of each allocation. What a request takes for a moment and gives back is in no
// figure of the process afterwards, and enough of them at a time still end an agent.
namespace dunlin::fuzz {
namespace {

std::atomic<std::size_t> live{0};
std::atomic<std::size_t> live_max{0};

#ifdef DUNLIN_SANITIZED
void on_malloc(const volatile void*, std::size_t size) {
  live_max = std::max<std::size_t>(live_max, live += size);
}

void on_free(const volatile void* at) {
  // What was there before the first look is not counted.
  const std::size_t size = __sanitizer_get_allocated_size(at);
  live -= std::min<std::size_t>(live, size);
}
#endif

}  // namespace

HeapPeak::HeapPeak() {
#ifdef DUNLIN_SANITIZED
  static const int hooks = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
  (void)hooks;
#endif
  before_ = live;
  live_max = before_;
}

std::size_t HeapPeak::bytes() const {
  return live_max - std::min<std::size_t>(live_max, before_);
}

}  // namespace dunlin::fuzz
