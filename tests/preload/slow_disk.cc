// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <unistd.h>

// A disk that is slow to say that bytes are on it: a library for LD_PRELOAD. While the file exists
// that $DUNLIN_TEST_SLOW_SYNC names, each fsync() takes as many milliseconds as it says. The paths
// that were synced are listed in $DUNLIN_TEST_SYNCED.
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

/// Adds the path of a file to the file that $DUNLIN_TEST_SYNCED names.
void note(int file) {
  const char* const path = std::getenv("DUNLIN_TEST_SYNCED");
  std::FILE* const list = path == nullptr ? nullptr : std::fopen(path, "ae");
  if (list == nullptr) return;
  char name[4096];
  const auto link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t size = ::readlink(link.c_str(), name, sizeof name);
  if (size > 0) std::fprintf(list, "%.*s\n", static_cast<int>(size), name);
  std::fclose(list);
}

int real(const char* name, int file) {
  dawdle();
  note(file);
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
