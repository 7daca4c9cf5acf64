// SPDX-License-Identifier: MIT
#include "node/agent/free_memory.h"

#include <malloc.h>

// glibc gives a block back when it is freed if it was large enough to be mapped by itself, and
// raises the bar for that with each such block, up to 32 MiB: one large request, and the memory of
// all that come later stays. So the bar is fixed. What is smaller lies between blocks that are in
// use, and has to be looked for.
namespace dunlin::node {
namespace {

constexpr int kLargeBlock = 256 << 10;
/// A fixed bar fixes this one, too, at 128 KiB: the end of the heap would come and go all the time.
constexpr int kFreeAtEnd = 16 << 20;
constexpr std::size_t kMuchFree = 64u << 20;
/// The search takes milliseconds for each 100 MB.
constexpr overlay::Duration kRest = std::chrono::minutes(1);
constexpr overlay::Duration kTrimPeriod = std::chrono::seconds(10);

}  // namespace

void give_large_blocks_back() {
  ::mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  ::mallopt(M_TRIM_THRESHOLD, kFreeAtEnd);
}

void FreeMemory::look(overlay::Time now) {
  if (given_ && now - *given_ < kRest) return;
  given_ = now - kRest + kTrimPeriod;
  if (::mallinfo2().fordblks < kMuchFree) return;
  ::malloc_trim(0);
  given_ = now;
}

}  // namespace dunlin::node
