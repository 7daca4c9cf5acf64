// SPDX-License-Identifier: MIT
#include "node/task/health_command.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "overlay/param_entries.h"
#include "overlay/result.h"
#include "sched/message.h"

// The command runs beside the agent, not through the warden: it must be able to say that the warden
// is what ails the node. Both of its outputs go into one pipe. Whatever it writes is read, so that
// it never waits for room, and all but the beginning is dropped. It leads a session of its own, so
// that what it started dies with it when its time is over.
namespace dunlin::node {
namespace {

constexpr std::size_t kReadBlock = 4096;
/// Output that is kept: the first line, as far as a message holds it.
constexpr std::size_t kOutputMax = sched::Facts::kSickMax;
/// Blocks read after the end: what a pipe holds.
constexpr int kLastBlocks = 16;

std::string first_line(const std::string& output) {
  return output.substr(0, output.find_first_of("\r\n"));
}

}  // namespace

/// One run of the command.
struct HealthCommand::Run {
  Run(uv_loop_t& loop, int pipe) : pipe(pipe) {
    uv_poll_init(&loop, reading.get(), pipe);
    reading->data = this;
    uv_poll_start(reading.get(), UV_READABLE | UV_DISCONNECT,
        [](uv_poll_t* handle, int, int) { static_cast<Run*>(handle->data)->read(1); });
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    kill();
    reading.reset();  // A handle goes before what it watches.
    ::close(pipe);
  }

  /// Reads at most so many blocks of output.
  void read(int blocks) {
    std::array<char, kReadBlock> block;  // NOLINT(*-member-init): it is filled right now.
    for (int i = 0; i < blocks; ++i) {
      const ssize_t got = ::read(pipe, block.data(), block.size());
      if (got < 0) return;
      // The end stays readable, and the loop would turn without end.
      if (got == 0) return void(uv_poll_stop(reading.get()));
      const std::size_t room = kOutputMax - std::min(output.size(), kOutputMax);
      output.append(block.data(), std::min(static_cast<std::size_t>(got), room));
    }
  }
  void kill() {
    if (process && !ended) ::kill(-process->pid, SIGKILL);
  }

  int pipe;
  std::string output;
  bool timed_out = false;
  bool ended = false;
  Handle<uv_process_t> process;
  Handle<uv_poll_t> reading = make_handle<uv_poll_t>();
};

HealthCommand::HealthCommand(uv_loop_t& loop, Options options, Verdict verdict)
    : loop_(loop),
      options_(std::move(options)),
      verdict_(std::move(verdict)),
      wakeup_(loop, [this] { act(); }) {
  wakeup_.at(now(loop));
}

HealthCommand::~HealthCommand() = default;

/// A run is due, or takes too long.
void HealthCommand::act() {
  // One timer for both: it is never due to begin while one runs.
  if (!run_) return begin();
  run_->timed_out = true;
  run_->kill();
  // Told now: a command that waits for a dead disk may survive even this.
  verdict_("the health command took longer than " + overlay::to_string(options_.timeout));
}

void HealthCommand::begin() {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) {
    return end(failure_of(errno, "the health command cannot run").value().text);
  }
  // Only the end that is read: the command may take its output for a file, and must not meet
  // EAGAIN.
  ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  run_ = std::make_unique<Run>(loop_, pipe[0]);
  std::array<uv_stdio_container_t, 3> stdio{};
  stdio[0].flags = UV_IGNORE;
  for (int output : {STDOUT_FILENO, STDERR_FILENO}) {
    stdio[static_cast<std::size_t>(output)] = {.flags = UV_INHERIT_FD, .data = {.fd = pipe[1]}};
  }
  std::string shell = "/bin/sh";
  std::string flag = "-c";
  char* arguments[] = {shell.data(), flag.data(), options_.command.data(), nullptr};
  uv_process_options_t options{};
  options.file = shell.c_str();
  options.args = arguments;
  options.stdio = stdio.data();
  options.stdio_count = static_cast<int>(stdio.size());
  options.flags = UV_PROCESS_DETACHED;
  options.exit_cb = [](uv_process_t* process, std::int64_t status, int signal) {
    static_cast<HealthCommand*>(process->data)->on_exit(status, signal);
  };
  auto process = make_handle<uv_process_t>();
  process->data = this;
  const int error = uv_spawn(&loop_, process.get(), &options);
  ::close(pipe[1]);
  if (error != 0) return end(failure_of(-error, "the health command cannot run").value().text);
  run_->process = std::move(process);
  wakeup_.at(now(loop_) + options_.timeout);
}

void HealthCommand::on_exit(std::int64_t status, int signal) {
  run_->kill();  // The processes that it left behind.
  run_->ended = true;
  if (run_->timed_out) return rest();  // Its verdict is known.
  run_->read(kLastBlocks);
  std::string why = first_line(run_->output);
  if (status == 0 && signal == 0) {
    why = "";
  } else if (why.empty()) {
    why = signal != 0 ? "the health command ended by signal " + std::to_string(signal)
                      : "the health command ended with status " + std::to_string(status);
  }
  end(why);
}

void HealthCommand::rest() {
  run_.reset();
  wakeup_.at(now(loop_) + options_.period);
}

void HealthCommand::end(const std::string& why) {
  rest();
  verdict_(why);
}

}  // namespace dunlin::node
