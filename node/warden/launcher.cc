// SPDX-License-Identifier: MIT
#include "node/warden/launcher.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/warden/kernel_file.h"
#include "overlay/ensure.h"

namespace dunlin::node::warden {
namespace {

constexpr std::size_t kStackSize = 64u << 10;
constexpr std::size_t kPathMax = 4096;
constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

/// What the child needs, all made before it exists: it may not allocate. It shares our memory, and
/// we sleep until it executes or exits, so what it writes here we can read.
struct Plan {
  const char* directory;
  const char* out;
  const char* err;
  const char* const* join_files;  ///< Ends with null.
  const char* path;               ///< To search; null: the command names its file.
  char* const* words;
  char* const* environment;
  pid_t warden;
  bool reset_oom_score;
  bool reset_scheduling;
  bool reset_nice;
  // Written by the child:
  Stage stage = Stage::started;
  int error = 0;
  const char* object = "";
  bool oom_failed = false;
  char candidate[kPathMax] = {};  ///< The file last tried.
};

// The child runs on its own stack in our memory until it executes: sanitizers, which keep books
// about stacks, must not look at it: hence the attribute.
[[noreturn, gnu::no_sanitize("address", "undefined")]] void give_up(
    Plan& plan, Stage stage, const char* object) {
  plan.stage = stage;
  plan.error = errno;
  plan.object = object;
  ::_exit(127);
}

[[gnu::no_sanitize("address", "undefined")]] bool write_zero(const char* path) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = ::write(file, "0", 1) == 1;
  const int error = errno;
  ::close(file);
  errno = error;
  return written;
}

/// Opens `path` as `descriptor`, which is free and the lowest free one.
[[gnu::no_sanitize("address", "undefined")]] void open_as(
    Plan& plan, int descriptor, const char* path) {
  // Not blocking, lest a pipe that nobody reads stops the warden and with it every task.
  const int file = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY, 0666);
  if (file < 0) give_up(plan, Stage::output, path);
  ::fcntl(file, F_SETFL, O_APPEND);
  if (file != descriptor) {
    ::dup2(file, descriptor);
    ::close(file);
  }
}

/// As the shell does: the first of PATH that can be executed; if none can, EACCES beats ENOENT.
[[gnu::no_sanitize("address", "undefined")]] void execute(Plan& plan) {
  const char* const command = plan.words[0];
  if (plan.path == nullptr) {
    plan.object = command;
    ::execve(command, plan.words, plan.environment);
    return;
  }
  int worst = ENOENT;
  for (const char* from = plan.path; from != nullptr;) {
    const char* const colon = ::strchr(from, ':');
    const auto length = colon != nullptr ? static_cast<std::size_t>(colon - from) : ::strlen(from);
    const std::size_t name = ::strlen(command);
    if (length + name + 2 <= kPathMax) {
      char* to = plan.candidate;
      if (length == 0) *to++ = '.';  // An empty entry is the working directory.
      ::memcpy(to, from, length);
      to += length;
      *to++ = '/';
      ::memcpy(to, command, name + 1);
      plan.object = plan.candidate;
      ::execve(plan.candidate, plan.words, plan.environment);
      // ENOENT of a file that exists is its interpreter's.
      if (errno == ENOENT && ::access(plan.candidate, F_OK) == 0) return;
      if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) return;
      if (errno == EACCES) worst = EACCES;
    }
    from = colon != nullptr ? colon + 1 : nullptr;
  }
  plan.object = command;
  errno = worst;
}

/// Only calls that are safe after vfork().
[[gnu::no_sanitize("address", "undefined")]] int child(void* argument) {
  Plan& plan = *static_cast<Plan*>(argument);
  ::setsid();
  // Should the warden die against its will, then not alone.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.warden) ::_exit(127);
  // The class goes first: a real-time process may not enter a group without real-time budget.
  if (plan.reset_scheduling) {
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_OTHER, &none);
  }
  if (plan.reset_nice) ::setpriority(PRIO_PROCESS, 0, 0);
  if (plan.reset_oom_score) plan.oom_failed = !write_zero("/proc/self/oom_score_adj");
  for (const char* const* file = plan.join_files; *file != nullptr; ++file) {
    if (!write_zero(*file)) give_up(plan, Stage::join, *file);
  }
  if (::chdir(plan.directory) != 0) give_up(plan, Stage::directory, plan.directory);
  ::close(STDOUT_FILENO);
  open_as(plan, STDOUT_FILENO, plan.out);
  ::close(STDERR_FILENO);
  open_as(plan, STDERR_FILENO, plan.err);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  execute(plan);
  give_up(plan, Stage::exec, plan.object);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const auto& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

const char* path_of(const Start& start) {
  if (start.words[0].find('/') != std::string::npos) return nullptr;
  for (const auto& variable : start.environment) {
    if (variable.starts_with("PATH=")) return variable.c_str() + std::strlen("PATH=");
  }
  return kDefaultPath;
}

}  // namespace

Launcher::Launcher() {
  void* const memory = ::mmap(
      nullptr, kStackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  ensure(memory != MAP_FAILED, "no memory for the stack of a child");
  stack_ = static_cast<std::byte*>(memory);
  // What a child inherits is fixed by now, so each asks only for what is not as it should be.
  const auto score = read_kernel_file("/proc/self/oom_score_adj");
  reset_oom_score_ = score && *score != "0\n";
  reset_scheduling_ = ::sched_getscheduler(0) != SCHED_OTHER;
  reset_nice_ = ::getpriority(PRIO_PROCESS, 0) < 0;
}

Launcher::~Launcher() {
  ::munmap(stack_, kStackSize);
}

Launched Launcher::launch(const Start& start, const std::vector<std::string>& join_files) {
  ensure(!start.words.empty(), "a start without a command");
  const auto words = pointers(start.words);
  const auto environment = pointers(start.environment);
  const auto joins = pointers(join_files);
  Plan plan{.directory = start.directory.c_str(),
      .out = start.out.c_str(),
      .err = start.err.c_str(),
      .join_files = joins.data(),
      .path = path_of(start),
      .words = words.data(),
      .environment = environment.data(),
      .warden = ::getpid(),
      .reset_oom_score = reset_oom_score_,
      .reset_scheduling = reset_scheduling_,
      .reset_nice = reset_nice_};
  // As vfork(), but on a stack of its own.
  const pid_t pid = ::clone(child, stack_ + kStackSize, CLONE_VM | CLONE_VFORK | SIGCHLD, &plan);
  if (pid < 0) return {.stage = Stage::fork, .error = errno, .object = "fork"};
  oom_failed_ |= plan.oom_failed;
  if (plan.stage == Stage::started) return {.pid = pid, .object = {}};
  ::waitpid(pid, nullptr, 0);
  return {.stage = plan.stage, .error = plan.error, .object = plan.object};
}

bool Launcher::take_oom_warning() {
  if (!oom_failed_ || oom_warned_) return false;
  return oom_warned_ = true;
}

}  // namespace dunlin::node::warden
