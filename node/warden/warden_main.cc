// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <signal.h>
#include <string>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "node/closed_process.h"
#include "node/signals.h"
#include "node/warden/cgroup.h"
#include "node/warden/process_tree.h"
#include "node/warden/protocol.h"
#include "node/warden/supervisor.h"

// The process that starts, limits and measures the tasks of one agent, for three reasons. A fork
// costs more in a larger process. libuv has no hook between fork and exec. And a process must kill
// the tasks when the agent is killed: the warden ends with the agent.
namespace dunlin::node::warden {
namespace {

/// Starts handled before exits are reaped and reported: neither may wait long for the other.
constexpr int kFramesAtOnce = 8;

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
  ::fcntl(kSocketDescriptor, F_SETFD, FD_CLOEXEC);
  ::fcntl(kSocketDescriptor, F_SETFL, O_NONBLOCK);
  ::close_range(kSocketDescriptor + 1, ~0u, 0);
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  // All signals are blocked: no handler may run in a child that shares our memory, and only the end
  // of the agent ends this process.
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

class Warden {
 public:
  int run() {
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    signals_ = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals_ < 0) return complain("signalfd");
    while (!ending_ || (supervisor_ && !supervisor_->empty())) {
      if (!step()) return complain("poll");
    }
    // A process that hid from every sweep is an orphan by now, and so our child.
    const auto hidden = descendants_of(::getpid());
    for (const pid_t process : hidden) {
      if (process != ::getpid()) signal_process(process, SIGKILL);
    }
    return 0;
  }

 private:
  static int complain(const char* what) {
    std::perror(what);
    return 1;
  }

  bool step() {
    pollfd polled[] = {{.fd = signals_, .events = POLLIN, .revents = 0},
        {.fd = ending_ ? -1 : kSocketDescriptor,
            .events = static_cast<short>(POLLIN | (out_.empty() ? 0 : POLLOUT)),
            .revents = 0}};
    if (::poll(polled, 2, timeout()) < 0 && errno != EINTR) return false;
    if (polled[0].revents != 0) {
      signalfd_siginfo ignored[8];
      while (::read(signals_, ignored, sizeof ignored) > 0) {
      }
      if (supervisor_) supervisor_->reap(Clock::now());
    }
    if ((polled[1].revents & ~POLLOUT) != 0) receive();
    handle_frames();
    if (supervisor_) supervisor_->tick(Clock::now());
    flush();
    return true;
  }

  int timeout() {
    if (!ending_ && frames_.ready()) return 0;
    if (!supervisor_) return -1;
    const auto deadline = supervisor_->deadline();
    if (!deadline) return -1;
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(wait.count(), 0, 60'000));
  }

  void receive() {
    static char block[256u << 10];
    const ssize_t got = ::recv(kSocketDescriptor, block, sizeof block, 0);
    if (got > 0) {
      frames_.append({block, static_cast<std::size_t>(got)});
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      end();  // The agent is gone, whatever the reason.
    }
  }

  void end() {
    ending_ = true;
    if (supervisor_) supervisor_->kill_everything(Clock::now());
  }

  void handle_frames() {
    for (int i = 0; i < kFramesAtOnce && !ending_; ++i) {
      const auto frame = frames_.next();
      if (!frame) break;
      if (!handle(*frame)) {
        std::fprintf(stderr, "dunlin-warden: a malformed frame\n");
        end();
      }
    }
    if (frames_.broken() && !ending_) end();
  }

  bool handle(const FrameReader::Frame& frame) {
    if (!supervisor_) {
      const auto hello = parse<Hello>(frame.body);
      if (frame.kind != Kind::hello || !hello) return false;
      begin(*hello);
      return true;
    }
    if (frame.kind == Kind::start) {
      auto start = parse<Start>(frame.body);
      if (!start || start->words.empty()) return false;
      supervisor_->start(std::move(*start), Clock::now());
      return true;
    }
    const auto kill = parse<Kill>(frame.body);
    if (frame.kind != Kind::kill || !kill) return false;
    supervisor_->kill(*kill, Clock::now());
    return true;
  }

  void begin(const Hello& hello) {
    std::vector<std::string> notes;
    auto limiter = Limiter::open({.label = hello.label,
                                     .wanted = hello.limits,
                                     .cpu_quota = hello.cpu_quota,
                                     .pids_max = hello.pids_max},
        notes);
    if (!limiter) {
      append_frame(out_, Ready{.limits = {}, .error = limiter.error().text});
      return;
    }
    append_frame(out_, Ready{.limits = std::string((*limiter)->word()), .error = {}});
    for (const auto& note : notes) append_frame(out_, Note{note});
    supervisor_ = std::make_unique<Supervisor>(std::move(*limiter), out_,
        Patience{.start = std::chrono::milliseconds(hello.start_ms),
            .kill = std::chrono::milliseconds(hello.kill_ms)},
        UserSettings{.umask = hello.umask, .core_limit = hello.core_limit});
  }

  void flush() {
    if (ending_) out_.clear();
    while (!out_.empty()) {
      const ssize_t sent = ::send(kSocketDescriptor, out_.data(), out_.size(), MSG_NOSIGNAL);
      if (sent < 0) return;  // Full: poll() tells when to go on. Broken: recv() tells.
      out_.erase(0, static_cast<std::size_t>(sent));
    }
  }

  int signals_ = -1;
  std::string out_;
  FrameReader frames_;
  std::unique_ptr<Supervisor> supervisor_;
  bool ending_ = false;
};

}  // namespace
}  // namespace dunlin::node::warden

int main() {
  dunlin::node::warden::become_warden();
  return dunlin::node::warden::Warden().run();
}
