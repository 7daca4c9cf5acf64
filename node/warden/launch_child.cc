// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "node/warden/launch_plan.h"

// The order of the steps matters: session first, then scheduling class and limits; then the task's
// user, for good; then directory and files, as that user; capabilities and signals last. Each may
// hang on a mute file system, so the child notes a step before it takes it: the main thread, which
// never waits for it, can tell which one hangs.
namespace dunlin::node::warden {

// The child runs on its own stack in our memory until it executes. Sanitizers keep records of
// stacks and would take it for an error, hence the attribute.
namespace {

__attribute__((no_sanitize("address", "undefined"))) void reach(
    LaunchPlan& plan, Stage stage, const char* object) {
  plan.object = object;
  plan.stage = stage;
}

[[noreturn]] __attribute__((no_sanitize("address", "undefined"))) void give_up(LaunchPlan& plan) {
  plan.error = errno;
  // A later look by the main thread could hang as the start might have.
  if (plan.stage == Stage::exec) plan.object_exists = ::access(plan.object, F_OK) == 0;
  ::_exit(127);
}

__attribute__((no_sanitize("address", "undefined"))) bool write_zero(const char* path) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = ::write(file, "0", 1) == 1;
  const int error = errno;
  ::close(file);
  errno = error;
  return written;
}

/// Opens `path`, which the user named, as `descriptor`, which must be the lowest free one.
__attribute__((no_sanitize("address", "undefined"))) void open_as(
    LaunchPlan& plan, int descriptor, const char* path) {
  reach(plan, Stage::output, path);
  // Not blocking: a pipe without a reader would hold the start until it has one.
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY;
  // Where both streams have one file nothing is written before the second is opened.
  const int file = ::open(path, flags | (plan.truncate ? O_TRUNC : 0), 0666);
  if (file < 0) give_up(plan);
  ::fcntl(file, F_SETFL, O_APPEND);
  if (file != descriptor) {
    ::dup2(file, descriptor);
    ::close(file);
  }
}

/// If the warden is killed, its tasks must not survive it. The signal comes when the thread that
/// made this process ends: spawners never do before the warden does.
__attribute__((no_sanitize("address", "undefined"))) void die_with_warden(const LaunchPlan& plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.warden) ::_exit(127);
}

/// Gives up every capability. The ambient ones go with the permitted ones.
__attribute__((no_sanitize("address", "undefined"))) bool drop_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const __user_cap_data_struct none[2]{};
  return ::syscall(SYS_capset, &header, none) == 0;
}

/// Makes the child the task's user. glibc would tell all threads of this process to follow, so the
/// system calls are made directly.
__attribute__((no_sanitize("address", "undefined"))) void become_user(LaunchPlan& plan) {
  const TaskUser& user = *plan.user;
  reach(plan, Stage::user, user.name.c_str());
  const bool become = ::syscall(SYS_setgroups, user.groups.size(), user.groups.data()) == 0 &&
      ::syscall(SYS_setresgid, user.gid, user.gid, user.gid) == 0 &&
      ::syscall(SYS_setresuid, user.uid, user.uid, user.uid) == 0 && drop_capabilities() &&
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  if (!become) give_up(plan);
  die_with_warden(plan);  // The change of user took that back.
}

/// Makes the task's own directory. One that is there may be of an earlier try of the same start,
/// and then belongs to the user; anything else was put there by somebody.
__attribute__((no_sanitize("address", "undefined"))) void make_directory(LaunchPlan& plan) {
  if (::mkdir(plan.directory, S_IRWXU) == 0) return;
  const int error = errno;
  struct stat there{};
  const bool own = error == EEXIST && ::lstat(plan.directory, &there) == 0 &&
      S_ISDIR(there.st_mode) && there.st_uid == ::geteuid();
  if (own) return;
  errno = error;
  give_up(plan);
}

/// Takes the pipe or the terminal that a client feeds. The terminal becomes that of the session.
__attribute__((no_sanitize("address", "undefined"))) void take_input(LaunchPlan& plan) {
  reach(plan, Stage::input, "");
  if (::dup2(plan.input, STDIN_FILENO) < 0) give_up(plan);
  if (!plan.terminal) return;
  ::dup2(plan.input, STDOUT_FILENO);
  ::dup2(plan.input, STDERR_FILENO);
  if (::ioctl(STDIN_FILENO, TIOCSCTTY, 0) != 0) give_up(plan);
  // Some programs open their terminal by its name. Where this is not allowed, /dev/tty serves.
  if (plan.user) ::fchown(STDIN_FILENO, plan.user->uid, static_cast<gid_t>(-1));
}

/// True if stdin is a file in which the kernel shows a process. This one shares the warden's memory
/// until it executes, and so does each that starts beside it: the kernel would show the memory of
/// the warden to it, by the path of any of them.
__attribute__((no_sanitize("address", "undefined"))) bool shows_process(LaunchPlan& plan) {
  struct statfs system{};
  if (::fstatfs(STDIN_FILENO, &system) != 0 || system.f_type != PROC_SUPER_MAGIC) return false;
  const ssize_t size = ::readlink("/proc/self/fd/0", plan.candidate, LaunchPlan::kPathMax - 1);
  if (size <= 0) return true;
  bool digits = false;
  for (ssize_t i = 0; i < size; ++i) {
    const char c = plan.candidate[i];
    if (c == '/' && digits && plan.candidate[i - 1] != '/') return true;
    digits = c == '/' || (digits && c >= '0' && c <= '9');
  }
  return false;
}

/// Opens the file that the task reads.
__attribute__((no_sanitize("address", "undefined"))) void open_input(LaunchPlan& plan) {
  reach(plan, Stage::input, plan.in);
  ::close(STDIN_FILENO);
  // Not blocking: a pipe without a writer would hold the start until it has one.
  const int file = ::open(plan.in, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (file < 0) give_up(plan);
  ::fcntl(file, F_SETFL, 0);
  if (file != STDIN_FILENO) {
    ::dup2(file, STDIN_FILENO);
    ::close(file);
  }
  if (!shows_process(plan)) return;
  errno = EACCES;
  give_up(plan);
}

/// Makes the file that the task's interpreter reads, as its user, who alone may read it. It is
/// closed before anything begins: what is open to be written cannot be executed.
__attribute__((no_sanitize("address", "undefined"))) void make_script(LaunchPlan& plan) {
  reach(plan, Stage::script, plan.script);
  // That of an attempt in the same slot, if its end was not seen. A stranger's cannot be removed.
  ::unlink(plan.script);
  const int file =
      ::open(plan.script, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, S_IRUSR);
  if (file < 0) give_up(plan);
  const char* const text = plan.script_text.data();
  const std::size_t size = plan.script_text.size();
  for (std::size_t done = 0; done < size;) {
    const ssize_t written = ::write(file, text + done, size - done);
    if (written == 0) errno = EIO;
    if (written <= 0) give_up(plan);
    done += static_cast<std::size_t>(written);
  }
  // Whatever the umask of the task is.
  if (::fchmod(file, S_IRUSR | S_IXUSR) != 0) give_up(plan);
  ::close(file);
}

/// Takes the pipes of what is kept here, and opens the files of what is not.
__attribute__((no_sanitize("address", "undefined"))) void open_outputs(LaunchPlan& plan) {
  const char* const files[] = {plan.out, plan.err};
  const int descriptors[] = {STDOUT_FILENO, STDERR_FILENO};
  for (unsigned i = 0; i < TaskOutput::kStreams; ++i) {
    if (plan.pipes[i] >= 0) {
      if (::dup2(plan.pipes[i], descriptors[i]) < 0) give_up(plan);
      continue;
    }
    ::close(descriptors[i]);
    open_as(plan, descriptors[i], files[i]);
  }
}

/// The file that `command` is in the directory that begins at `from`, `length` long: written to
/// plan.candidate. False if that is too long.
__attribute__((no_sanitize("address", "undefined"))) bool join_path(
    LaunchPlan& plan, const char* from, std::size_t length, const char* command) {
  const std::size_t name = ::strlen(command);
  if (length + name + 2 > LaunchPlan::kPathMax) return false;
  char* to = plan.candidate;
  if (length == 0) *to++ = '.';  // An empty entry is the working directory.
  ::memcpy(to, from, length);
  to += length;
  *to++ = '/';
  ::memcpy(to, command, name + 1);
  return true;
}

/// Sets the soft limits that the task asks for, as far as the hard ones allow. Last, because they
/// hold for this process too.
__attribute__((no_sanitize("address", "undefined"))) void set_limits(const LaunchPlan& plan) {
  const TaskLimit* const limits = plan.limits.data();
  for (std::size_t i = 0; i < plan.limits.size(); ++i) {
    if (limits[i].resource < 0) continue;  // It is for the supervisor.
    const auto resource = static_cast<__rlimit_resource>(limits[i].resource);
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0) continue;
    limit.rlim_cur = limits[i].max < limit.rlim_max ? limits[i].max : limit.rlim_max;
    ::setrlimit(resource, &limit);
  }
}

/// Executes that file. One that somebody still has open to write is tried again for a second: a
/// script that was just made is often closed a moment later.
__attribute__((no_sanitize("address", "undefined"))) void execute_file(
    LaunchPlan& plan, const char* file) {
  constexpr int kTries = 50;
  constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 20'000'000};
  for (int i = 0; i < kTries; ++i) {
    ::execve(file, plan.words.data(), plan.environment.data());
    if (errno != ETXTBSY) return;
    ::nanosleep(&kPause, nullptr);
  }
  errno = ETXTBSY;
}

/// Executes as the shell does: the first file of PATH that can be executed; if none can, EACCES
/// beats ENOENT. It looks whether a file is there first: to execute one that is not costs ten times
/// as much, and the PATH of a user may have a dozen entries.
__attribute__((no_sanitize("address", "undefined"))) void execute(LaunchPlan& plan) {
  const char* const command = plan.words[0];
  reach(plan, Stage::exec, command);
  if (plan.path == nullptr) return execute_file(plan, command);
  int worst = ENOENT;
  for (const char* from = plan.path; from != nullptr;) {
    const char* const colon = ::strchr(from, ':');
    const auto length = colon != nullptr ? static_cast<std::size_t>(colon - from) : ::strlen(from);
    if (join_path(plan, from, length, command)) {
      plan.object = plan.candidate;
      const bool exists = ::access(plan.candidate, F_OK) == 0;
      if (exists) execute_file(plan, plan.candidate);
      if (errno == ENOENT && exists) return;  // The file is there: its interpreter is not.
      if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) return;
      if (errno == EACCES) worst = EACCES;
    }
    from = colon != nullptr ? colon + 1 : nullptr;
  }
  plan.object = command;
  errno = worst;
}

}  // namespace

/// Runs in the child. It may only call functions that are safe after vfork().
__attribute__((no_sanitize("address", "undefined"))) int run_child(void* argument) {
  LaunchPlan& plan = *static_cast<LaunchPlan*>(argument);
  ::setsid();
  die_with_warden(plan);
  // The class goes first, because a real-time process may not enter a group without real-time
  // budget.
  if (plan.reset.scheduling) {
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_OTHER, &none);
  }
  if (plan.reset.nice) ::setpriority(PRIO_PROCESS, 0, 0);
  if (plan.reset.oom_score) plan.oom_failed = !write_zero("/proc/self/oom_score_adj");
  ::umask(plan.umask);
  rlimit core{};
  ::getrlimit(RLIMIT_CORE, &core);
  core.rlim_cur = plan.reset.user.core_limit;
  ::setrlimit(RLIMIT_CORE, &core);
  for (char* const* file = plan.join_files.data(); *file != nullptr; ++file) {
    reach(plan, Stage::join, *file);
    if (!write_zero(*file)) give_up(plan);
  }
  if (plan.input >= 0) take_input(plan);
  if (plan.user) become_user(plan);
  reach(plan, Stage::directory, plan.directory);
  if (plan.own_directory) make_directory(plan);
  if (::chdir(plan.directory) != 0) give_up(plan);
  if (!plan.terminal) open_outputs(plan);
  if (*plan.in != '\0') open_input(plan);
  if (*plan.script != '\0') make_script(plan);
  // After all that is opened here: until the program begins, the warden's descriptors are there,
  // too.
  ::setrlimit(RLIMIT_NOFILE, &plan.reset.descriptors);
  // The directory and the files above are all that the agent's capabilities are for.
  if (plan.reset.capabilities && !drop_capabilities()) give_up(plan);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  set_limits(plan);
  execute(plan);
  give_up(plan);
}

}  // namespace dunlin::node::warden
