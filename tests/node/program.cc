// SPDX-License-Identifier: MIT
#include "tests/node/program.h"

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dunlin::node {
namespace {

/// Takes what is there; false at the end of the pipe.
bool take(int from, std::string& to) {
  char piece[4096];
  const ssize_t size = ::read(from, piece, sizeof piece);
  if (size > 0) to.append(piece, static_cast<std::size_t>(size));
  return size > 0;
}

}  // namespace

ProgramRun run_dunlin(
    const std::string& socket, const std::vector<std::string>& words, const std::string& input) {
  const auto begun = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  };
  int out[2];
  int err[2];
  EXPECT_EQ(::pipe2(out, O_CLOEXEC), 0);
  EXPECT_EQ(::pipe2(err, O_CLOEXEC), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    std::vector<const char*> argv = {DUNLIN_PROGRAM};
    for (const std::string& word : words) argv.push_back(word.c_str());
    argv.push_back(nullptr);
    ::setenv("DUNLIN_ADDRESS", socket.c_str(), 1);
    ::dup2(::open(input.c_str(), O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    ::execv(argv[0], const_cast<char* const*>(argv.data()));
    ::_exit(127);
  }
  ::close(out[1]);
  ::close(err[1]);
  ProgramRun run;
  pollfd ends[2] = {{.fd = out[0], .events = POLLIN, .revents = 0},
      {.fd = err[0], .events = POLLIN, .revents = 0}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    ::poll(ends, 2, -1);
    if (ends[0].revents != 0 && !take(out[0], run.out)) ends[0].fd = -1;
    if (ends[1].revents != 0 && !take(err[0], run.err)) ends[1].fd = -1;
    if (run.first_err == 0 && !run.err.empty()) run.first_err = passed();
  }
  ::close(out[0]);
  ::close(err[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  run.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  run.seconds = passed();
  return run;
}

}  // namespace dunlin::node
