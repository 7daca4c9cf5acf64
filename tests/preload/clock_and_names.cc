// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// A wall clock that someone sets, and a host that moves: a library for LD_PRELOAD. The file that
// $DUNLIN_TEST_CLOCK names says by how many seconds the clock is wrong, the file that
// $DUNLIN_TEST_HOST names where the host moving.test is now.
namespace {

/// The first word of the file that the variable names; empty if there is none. By system calls
/// alone: a sanitizer asks for the time before it serves what libc would call.
const char* word_of(const char* variable, char (&word)[64]) {
  word[0] = '\0';
  const char* const path = std::getenv(variable);
  if (path == nullptr) return word;
  const long file = ::syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return word;
  const long size = ::syscall(SYS_read, file, word, sizeof word - 1);
  ::syscall(SYS_close, file);
  word[size < 0 ? 0 : size] = '\0';
  word[std::strcspn(word, " \n")] = '\0';
  return word;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) {
  const auto status = static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
  if (status == 0 && clock == CLOCK_REALTIME) {
    char word[64];
    now->tv_sec += std::atol(word_of("DUNLIN_TEST_CLOCK", word));
  }
  return status;
}

int getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** found) {
  using Function = int(const char*, const char*, const addrinfo*, addrinfo**);
  static auto* const next = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  char word[64];
  const bool named = hints == nullptr || (hints->ai_flags & AI_NUMERICHOST) == 0;
  if (named && host != nullptr && std::string_view(host) == "moving.test") {
    host = word_of("DUNLIN_TEST_HOST", word);
    if (*host == '\0') return EAI_NONAME;
  }
  return next(host, service, hints, found);
}
}
