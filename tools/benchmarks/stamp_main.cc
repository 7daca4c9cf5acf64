// SPDX-License-Identifier: MIT
// The task of the latency benchmark: its first act is to write the time into a file.
#include <cstdio>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

// The clock before anything else, arguments included: each instruction before it would count as the
// scheduler's.
int main(int argc, char** argv) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (argc != 2) return 2;
  // Appended in one write: tasks that end together do not mix their lines.
  const int file = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  char line[32];
  const int size = std::snprintf(
      line, sizeof line, "%lld%09ld\n", static_cast<long long>(now.tv_sec), now.tv_nsec);
  return write(file, line, static_cast<std::size_t>(size)) == size ? 0 : 1;
}
