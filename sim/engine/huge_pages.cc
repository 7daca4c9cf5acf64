// SPDX-License-Identifier: MIT
#include "sim/engine/huge_pages.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <unistd.h>

// The wish is an environment variable that glibc reads before main(), so it is set and the program
// is started anew in place. A second start sees the variable and goes on.
namespace dunlin::sim {
namespace {

constexpr const char* kTunables = "GLIBC_TUNABLES";

/// True if the system gives huge pages to programs that ask, and only to those.
bool given_when_asked() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  std::getline(file, modes);
  // The kernel writes all modes in one line, with that in force in brackets.
  return modes.find("[madvise]") != std::string::npos;
}

}  // namespace

void use_huge_pages(char** argv) {
  const char* const set = std::getenv(kTunables);
  const std::string before = set == nullptr ? "" : set;
  if (before.find("glibc.malloc.hugetlb") != std::string::npos || !given_when_asked()) return;
  const std::string asked = before + (before.empty() ? "" : ":") + "glibc.malloc.hugetlb=1";
  if (setenv(kTunables, asked.c_str(), 1) != 0) return;
  std::error_code none;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", none);
  execv(self.c_str(), argv);  // Returns only if it fails, and then nothing has changed.
}

}  // namespace dunlin::sim
