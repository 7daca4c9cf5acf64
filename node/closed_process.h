// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>

namespace dunlin::node {

/// Settings that a process inherited from its user. Tasks get them back: the agent and its warden
/// have stricter ones.
struct UserSettings {
  mode_t umask = 022;
  std::uint64_t core_limit = 0;  ///< Bytes of a core dump, as the soft limit has it.

  /// The settings of this process. Not while another thread makes files.
  static UserSettings of_this_process() {
    UserSettings settings{.umask = ::umask(077)};
    ::umask(settings.umask);
    rlimit core{};
    if (::getrlimit(RLIMIT_CORE, &core) == 0) settings.core_limit = core.rlim_cur;
    return settings;
  }
};

/// Keeps secrets in this process: other processes of its user can neither attach to it nor read its
/// memory or environment; it leaves no core dump; and other users cannot read its files.
/// The hard limit of core dumps stays, so that a task may have the user's.
inline void close_process() {
  ::prctl(PR_SET_DUMPABLE, 0);
  ::umask(077);
  rlimit core{};
  if (::getrlimit(RLIMIT_CORE, &core) != 0) return;
  core.rlim_cur = 0;
  ::setrlimit(RLIMIT_CORE, &core);
}

}  // namespace dunlin::node
