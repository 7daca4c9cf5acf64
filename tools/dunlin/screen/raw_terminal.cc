// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/raw_terminal.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <iterator>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// A terminal that is left raw is of no use to its user, so every way out restores it: the end of
// the object, exit(), and the signals that end a process by default. Ctrl-C is none of them here,
// because the task gets it. SIGKILL cannot be helped.
namespace dunlin::cli {
namespace {

constexpr int kEndings[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGABRT, SIGSEGV, SIGBUS};

// A signal handler can reach only globals.
volatile std::sig_atomic_t is_raw = 0;
int raw_fd = -1;
termios mode_before{};
int resize_pipe[2] = {-1, -1};
struct sigaction handlers_before[std::size(kEndings)];

void restore_terminal() {
  if (is_raw == 0) return;
  is_raw = 0;
  // Drained, not flushed: what the task wrote last is still shown.
  tcsetattr(raw_fd, TCSADRAIN, &mode_before);
}

void on_end(int signal) {
  const int error = errno;
  restore_terminal();
  // What is called here is allowed in a handler (signal-safety(7)); printing is not.
  std::signal(signal, SIG_DFL);
  // With its default, so that the parent sees the signal, not an exit.
  std::raise(signal);
  errno = error;
}

void on_resize(int) {
  const int error = errno;
  const char byte = 0;
  // A full pipe says the same already: the size is read anew in any case.
  [[maybe_unused]] const auto written = write(resize_pipe[1], &byte, 1);
  errno = error;
}

void catch_signal(int signal, void (*handler)(int), struct sigaction* old) {
  struct sigaction action{};
  action.sa_handler = handler;
  // Else each read and write that a new size interrupts would fail with EINTR.
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, old);
}

}  // namespace

TerminalSize size_of_terminal(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0) return {};
  return {.rows = size.ws_row, .columns = size.ws_col};
}

RawTerminal::RawTerminal(int fd) : fd_(fd) {
  if (tcgetattr(fd, &mode_before) != 0) return;
  // Once for the process, however many terminals are taken over in turn.
  static const bool at_exit = std::atexit(restore_terminal) == 0;
  (void)at_exit;
  raw_fd = fd;
  if (pipe2(resize_pipe, O_CLOEXEC | O_NONBLOCK) != 0) resize_pipe[0] = resize_pipe[1] = -1;
  // Handlers before the mode: between the two nothing may end the process unseen.
  for (std::size_t i = 0; i < std::size(kEndings); ++i) {
    catch_signal(kEndings[i], on_end, &handlers_before[i]);
  }
  catch_signal(SIGWINCH, on_resize, nullptr);
  termios raw = mode_before;
  cfmakeraw(&raw);
  is_raw = 1;
  tcsetattr(fd, TCSADRAIN, &raw);
}

RawTerminal::~RawTerminal() {
  if (raw_fd < 0) return;
  restore_terminal();
  std::signal(SIGWINCH, SIG_DFL);
  for (std::size_t i = 0; i < std::size(kEndings); ++i) {
    sigaction(kEndings[i], &handlers_before[i], nullptr);
  }
  for (int& end : resize_pipe) {
    if (end >= 0) close(end);
    end = -1;
  }
  raw_fd = -1;
}

int RawTerminal::resized_fd() const {
  return resize_pipe[0];
}

TerminalSize RawTerminal::take_size() {
  char bytes[64];
  // Several sizes in a row are one: only the last counts, and it is asked for below.
  while (read(resize_pipe[0], bytes, sizeof bytes) > 0) {
  }
  return size_of_terminal(fd_);
}

}  // namespace dunlin::cli
