// SPDX-License-Identifier: MIT
#include "node/warden/own_directory.h"

#include <cstddef>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

// Only its user may read what a task left, and an agent that is not root could not delete it. So a
// process becomes that user for good, and deletes what that user can: a link that the task put in
// the place of its directory leads to nothing that is not the user's own to delete anyway.
namespace dunlin::node::warden {

void OwnDirectory::remove() const {
  // All that the child needs is made before: other threads may hold any lock while it is made.
  const char* words[6] = {"rm", "-rf", "--"};  // The rest is null.
  std::size_t count = 3;
  for (const std::string* const each : {&path, &script}) {
    if (!each->empty()) words[count++] = each->c_str();
  }
  const char* const no_variables[] = {nullptr};
  const pid_t child = ::fork();
  if (child != 0) return;  // Without a process it stays, as after a crash.
  const bool become = ::syscall(SYS_setgroups, user.groups.size(), user.groups.data()) == 0 &&
      ::syscall(SYS_setresgid, user.gid, user.gid, user.gid) == 0 &&
      ::syscall(SYS_setresuid, user.uid, user.uid, user.uid) == 0;
  if (!become) ::_exit(1);
  // What cannot be deleted is nobody's news.
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
    ::dup2(nothing, descriptor);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve("/bin/rm", const_cast<char* const*>(words), const_cast<char* const*>(no_variables));
  ::_exit(127);
}

}  // namespace dunlin::node::warden
