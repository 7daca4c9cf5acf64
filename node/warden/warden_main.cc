// SPDX-License-Identifier: MIT
#include "node/warden/warden.h"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <signal.h>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>

#include "node/closed_process.h"
#include "node/warden/door.h"

// The process that starts, limits and measures the tasks of one agent, for four reasons. A fork
// costs more in a larger process. libuv has no hook between fork and exec. Tasks can go on while
// the agent is replaced. And a process must end the tasks when no agent comes back.
//
//     dunlin-warden [--service] DIRECTORY
namespace dunlin::node::warden {
namespace {

/// Sets up the inheritance of tasks, and protects this process.
void become_warden() {
  ::setsid();  // A Ctrl-C at the terminal is for the agent to handle.
  ::prctl(PR_SET_CHILD_SUBREAPER,
      1);  // Orphans of tasks come here, even those that left their session.
  ::prctl(PR_SET_NAME, "dunlin-warden");
  close_process();  // The environments of all users' tasks pass through its memory.
  const int null = ::open("/dev/null", O_RDONLY);
  if (null > STDIN_FILENO) {
    ::dup2(null, STDIN_FILENO);
    ::close(null);
  }
  ::close_range(STDERR_FILENO + 1, ~0u, 0);
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  // All signals are blocked: no handler may run in a child that shares our memory. Those that
  // matter are read from a descriptor.
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

int run(const std::string& directory, bool service) {
  auto door = Door::open(directory);
  if (!door) {
    const bool second = door.error().kind == ErrorKind::refused;
    // An agent that started a second one waits for the end of the first.
    if (!second || service) std::fprintf(stderr, "dunlin-warden: %s\n", door.error().text.c_str());
    return second ? kExitSecond : 1;
  }
  return Warden(std::move(*door), service).run();
}

}  // namespace
}  // namespace dunlin::node::warden

int main(int count, char** words) {
  const bool service = count == 3 && std::strcmp(words[1], "--service") == 0;
  if (count != 2 && !service) {
    std::fprintf(stderr,
        "dunlin-warden: usage: dunlin-warden [--service] DIRECTORY\n"
        "An agent starts it, or a service manager beside the agent: see the operators' guide.\n");
    return 2;
  }
  dunlin::node::warden::become_warden();
  return dunlin::node::warden::run(words[count - 1], service);
}
