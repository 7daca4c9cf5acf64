// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <netdb.h>
#include <string_view>
#include <sys/socket.h>

// A wall clock that someone sets, and a host that moves: a library for LD_PRELOAD. The file that
// $DUNLIN_TEST_CLOCK names says by how many seconds the clock is wrong, the file that
// $DUNLIN_TEST_HOST names where the host moving.test is now.
namespace {

/// The first word of the file that the variable names; empty if there is none.
const char* word_of(const char* variable, char (&word)[64]) {
  const char* const path = std::getenv(variable);
  std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "re");
  word[0] = '\0';
  if (file == nullptr) return word;
  if (std::fscanf(file, "%63s", word) != 1) word[0] = '\0';
  std::fclose(file);
  return word;
}

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) {
  static auto* const next = real<int(clockid_t, timespec*)>("clock_gettime");
  const int status = next(clock, now);
  if (status == 0 && clock == CLOCK_REALTIME) {
    char word[64];
    now->tv_sec += std::atol(word_of("DUNLIN_TEST_CLOCK", word));
  }
  return status;
}

int getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** found) {
  static auto* const next =
      real<int(const char*, const char*, const addrinfo*, addrinfo**)>("getaddrinfo");
  char word[64];
  const bool named = hints == nullptr || (hints->ai_flags & AI_NUMERICHOST) == 0;
  if (named && host != nullptr && std::string_view(host) == "moving.test") {
    host = word_of("DUNLIN_TEST_HOST", word);
    if (*host == '\0') return EAI_NONAME;
  }
  return next(host, service, hints, found);
}
}
