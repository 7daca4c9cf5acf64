// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/interrupts.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace dunlin::cli {
namespace {

// A signal handler can reach only globals.
volatile std::sig_atomic_t interrupted = 0;
int pipe_ends[2] = {-1, -1};

void on_signal(int) {
  interrupted = 1;
  const char byte = 0;
  [[maybe_unused]] const auto written = write(pipe_ends[1], &byte, 1);
}

}  // namespace

Interrupts::Interrupts() {
  interrupted = 0;
  if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) pipe_ends[0] = pipe_ends[1] = -1;
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
}

Interrupts::~Interrupts() {
  std::signal(SIGINT, SIG_DFL);
  for (int& end : pipe_ends) {
    if (end >= 0) close(end);
    end = -1;
  }
}

bool Interrupts::seen() const {
  return interrupted != 0;
}

int Interrupts::fd() const {
  return pipe_ends[0];
}

}  // namespace dunlin::cli
