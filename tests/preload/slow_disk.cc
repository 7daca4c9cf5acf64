// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

// A disk that is slow to say that bytes are on it: a library for LD_PRELOAD. While the file exists
// that $DUNLIN_TEST_SLOW_SYNC names, each fsync() takes as many milliseconds as it says.
namespace {

void dawdle() {
  const char* const path = std::getenv("DUNLIN_TEST_SLOW_SYNC");
  std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "re");
  if (file == nullptr) return;
  unsigned milliseconds = 0;
  if (std::fscanf(file, "%u", &milliseconds) != 1) milliseconds = 0;
  std::fclose(file);
  ::usleep(milliseconds * 1000);
}

int real(const char* name, int file) {
  dawdle();
  return reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, name))(file);
}

}  // namespace

extern "C" {

int fsync(int file) {
  return real("fsync", file);
}

int fdatasync(int file) {
  return real("fdatasync", file);
}
}
