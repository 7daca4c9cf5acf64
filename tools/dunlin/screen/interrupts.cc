// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/interrupts.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <iterator>
#include <unistd.h>

// A handler of signals may touch next to nothing: it keeps the number, gives the signals back, and
// writes a byte to a pipe. Whatever waits polls the pipe, so no wait has to end by itself to notice
// a Ctrl-C, and reads and writes under way are not torn.
namespace dunlin::cli {
namespace {

// A signal handler can reach only globals.
volatile std::sig_atomic_t interrupted = 0;
int pipe_ends[2] = {-1, -1};

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
bool caught[std::size(kSignals)] = {};

/// After the first signal the next one has its usual effect: a program that does not react can
/// always be ended.
void let_go() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    if (caught[i]) std::signal(kSignals[i], SIG_DFL);
  }
}

void on_signal(int signal) {
  const int code = errno;
  interrupted = signal;
  let_go();
  const char byte = 0;
  // Wakes whatever polls; the number alone would be noticed at the next message only.
  [[maybe_unused]] const auto written = write(pipe_ends[1], &byte, 1);
  errno = code;
}

}  // namespace

Interrupts::Interrupts() {
  interrupted = 0;
  if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) pipe_ends[0] = pipe_ends[1] = -1;
  struct sigaction action{};
  action.sa_handler = on_signal;
  // Reads and writes under way go on: only what polls shall notice.
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction before{};
    sigaction(kSignals[i], nullptr, &before);
    // As nohup(1), or a shell for what runs in the background, wants it.
    caught[i] = before.sa_handler != SIG_IGN;
    if (caught[i]) sigaction(kSignals[i], &action, nullptr);
  }
}

Interrupts::~Interrupts() {
  let_go();
  for (int& end : pipe_ends) {
    if (end >= 0) close(end);
    end = -1;
  }
}

int Interrupts::signal() const {
  return interrupted;
}

int Interrupts::fd() const {
  return pipe_ends[0];
}

}  // namespace dunlin::cli
