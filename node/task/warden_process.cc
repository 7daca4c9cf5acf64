// SPDX-License-Identifier: MIT
#include "node/task/warden_process.h"

#include <array>
#include <cerrno>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/program_path.h"
#include "node/signals.h"

// The warden as a child of the agent that started it, until the agent restarts: then it lives on,
// and the next agent finds it by its socket. So its end is heard of by the socket, and waiting for
// the process is for the moments of start and stop alone.
namespace dunlin::node {

Result<std::string> find_warden() {
  return find_program("dunlin-warden", "DUNLIN_WARDEN");
}

Result<void> WardenProcess::start(
    uv_loop_t& loop, const std::string& program, const std::string& directory) {
  std::array<uv_stdio_container_t, 3> stdio{};
  stdio[0].flags = UV_IGNORE;
  stdio[1].flags = UV_IGNORE;
  // For what a warden says before it has an agent, or after.
  stdio[2] = {.flags = UV_INHERIT_FD, .data = {.fd = STDERR_FILENO}};
  std::string path = program;
  std::string place = directory;
  char* arguments[] = {path.data(), place.data(), nullptr};
  uv_process_options_t options{};
  options.file = path.c_str();
  options.args = arguments;
  char* nothing[] = {nullptr};
  options.env = nothing;  // A warden needs none of the agent's variables, and one may be a secret.
  options.stdio = stdio.data();
  options.stdio_count = static_cast<int>(stdio.size());
  options.exit_cb = [](uv_process_t*, std::int64_t, int) {};  // The socket's end tells.
  process_ = make_handle<uv_process_t>();
  const int error = uv_spawn(&loop, process_.get(), &options);
  pid_ = error == 0 ? process_->pid : 0;
  if (error != 0) return failure_of(-error, "cannot start the warden " + program);
  return {};
}

std::optional<int> WardenProcess::take_end() {
  int status = 0;
  // ECHILD: the loop has reaped it, and its status is not known.
  if (pid_ == 0 || ::waitpid(pid_, &status, WNOHANG) == 0) return std::nullopt;
  pid_ = 0;
  process_.reset();
  return status;
}

void WardenProcess::await_end(int patience_ms) {
  if (pid_ == 0) return;
  process_.reset();  // The loop looks for it no more, or has reaped it already.
  for (int waited = 0; waited < patience_ms; ++waited) {
    // Ended, or -1: reaped by the loop before.
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) return;
    ::usleep(1000);
  }
  signal_process(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace dunlin::node
