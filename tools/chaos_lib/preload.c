// SPDX-License-Identifier: MIT
// Preloaded into agents by tools/chaos: a wall clock that the campaign can set, for one node alone. The
// offset in ns stands in the file that DUNLIN_CHAOS_CLOCK names.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t none;
static _Atomic int64_t* offset = &none;

__attribute__((constructor)) static void open_clock(void) {
  const char* path = getenv("DUNLIN_CHAOS_CLOCK");
  const int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void* mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) offset = mapped;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec* to) {
  const int status = (int)syscall(SYS_clock_gettime, clock, to);
  if (status != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return status;
  const int64_t by = atomic_load_explicit(offset, memory_order_relaxed);
  int64_t ns = to->tv_nsec + by % 1000000000;
  to->tv_sec += by / 1000000000;
  if (ns < 0) ns += 1000000000, --to->tv_sec;
  if (ns >= 1000000000) ns -= 1000000000, ++to->tv_sec;
  to->tv_nsec = ns;
  return 0;
}

int gettimeofday(struct timeval* restrict to, void* restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  to->tv_sec = now.tv_sec;
  to->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* to) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (to != NULL) *to = now.tv_sec;
  return now.tv_sec;
}
