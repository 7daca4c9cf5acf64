// SPDX-License-Identifier: MIT
#include "node/warden/launch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sched.h>
#include <signal.h>
#include <string_view>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <utility>

#include "node/kernel/kernel_file.h"
#include "node/warden/launch_plan.h"

// The warden starts hundreds of tasks a second, so a start must be cheap and must not fail halfway.
// A child shares the warden's memory and runs on a stack of its own until it executes (as with
// vfork()); no page table is copied, and an error in any step is a field that the warden reads.
// In return the child may only make system calls: no allocation, no locks, no handler. Everything
// that it needs is prepared before, and all signals are blocked.
namespace dunlin::node::warden {
namespace {

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  // execve() has such parameters for the sake of old programs, and changes nothing.
  for (const auto& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

/// Where to look for the command: as execvpe() does, which may allocate, and must not be called in
/// the child.
const char* path_of(const Start& start) {
  if (start.words[0].find('/') != std::string::npos) return nullptr;
  for (const auto& variable : start.environment) {
    if (variable.starts_with("PATH=")) return variable.c_str() + std::strlen("PATH=");
  }
  return kDefaultPath;
}

}  // namespace

LaunchPlan::LaunchPlan(const Start& start,
    const StartScript& its_script,
    const std::vector<std::string>& joins,
    const Inherited& inherited,
    const TaskInput* input_end)
    : directory(start.directory.c_str()),
      own_directory(start.own_directory),
      out(start.out.c_str()),
      err(start.err.c_str()),
      in(start.in.c_str()),
      input(input_end == nullptr ? -1 : input_end->child_end()),
      terminal(input_end != nullptr && input_end->terminal()),
      truncate(start.truncates()),
      script(its_script.path.c_str()),
      script_text(its_script.text),
      join_files(pointers(joins)),
      words(pointers(start.words)),
      environment(pointers(start.environment)),
      path(path_of(start)),
      reset(inherited),
      umask(start.umask == 0 ? inherited.user.umask : start.umask - 1u),
      limits(start.limits) {}

void LaunchPlan::run_as(TaskUser found, const Start& start) {
  user = std::move(found);
  if (start.directory.empty()) directory = user->home.c_str();
  const auto missing = [&](std::string_view name) {
    return std::ranges::none_of(
        start.environment, [&](const std::string& each) { return each.starts_with(name); });
  };
  const std::pair<std::string, const std::string&> variables[] = {
      {"HOME=", user->home}, {"USER=", user->name}, {"LOGNAME=", user->name}};
  for (const auto& [name, value] : variables) {
    if (missing(name)) own_variables.push_back(name + value);
  }
  // The null at the end, which is put back below.
  environment.pop_back();
  for (const auto& each : own_variables) environment.push_back(const_cast<char*>(each.c_str()));
  environment.push_back(nullptr);
}

std::int64_t wall_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Inherited Inherited::of_this_process(const UserSettings& user, uid_t uid_min) {
  const auto score = read_kernel_file("/proc/self/oom_score_adj");
  rlimit descriptors{};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  const rlimit raised{.rlim_cur = descriptors.rlim_max, .rlim_max = descriptors.rlim_max};
  // The warden has some descriptors for each task; its tasks get the limit as it was.
  ::setrlimit(RLIMIT_NOFILE, &raised);
  return {.oom_score = score && *score != "0\n",
      .scheduling = ::sched_getscheduler(0) != SCHED_OTHER,
      .nice = ::getpriority(PRIO_PROCESS, 0) < 0,
      .user = user,
      .capabilities = ::geteuid() != 0,
      .uid_min = uid_min,
      .descriptors = descriptors};
}

Launch::Launch(Start start,
    std::vector<std::string> join_files,
    const Inherited& reset,
    std::shared_ptr<TaskInput> input)
    : start_(std::move(start)),
      script_(take_script(start_)),
      join_files_(std::move(join_files)),
      input_(std::move(input)),
      output_(std::make_shared<TaskOutput>()),
      plan_(std::make_unique<LaunchPlan>(start_, script_, join_files_, reset, input_.get())) {}

Launch::~Launch() = default;

void Launch::run(std::byte* stack_end) {
  begun_ = Clock::now();
  begun_at_ = wall_clock();
  if ((!start_.user.empty() && !find_its_user()) || !open_output()) {
    plan_->through = true;
    return;
  }
  plan_->stage = Stage::fork;
  // As vfork(), but on a stack of its own.
  const int made = ::clone(run_child, stack_end,
      CLONE_VM | CLONE_VFORK | CLONE_PARENT_SETTID | SIGCHLD, plan_.get(), &plan_->pid);
  if (made < 0) plan_->error = errno;
  // At once: as long as this process could read the input, a write does not fail when the task
  // cannot.
  if (input_) input_->close_child_end();
  plan_->through = true;
}

bool Launch::open_output() {
  if (plan_->terminal) return true;  // What it shows is its output, and is kept by TaskInput.
  std::optional<uid_t> owner;
  if (plan_->user) owner = plan_->user->uid;
  const std::pair<bool, const std::string&> kept[] = {
      {start_.measure_out, start_.out}, {start_.measure_err, start_.err}};
  for (std::size_t i = 0; i < TaskOutput::kStreams; ++i) {
    if (!kept[i].first) continue;
    // Set before each step that may hang, so that the main thread can say where a start hangs.
    plan_->object = kept[i].second.c_str();
    plan_->stage = Stage::output;
    plan_->error = output_->stream(i).open(kept[i].second, owner);
    if (plan_->error != 0) return false;
    plan_->pipes[i] = output_->stream(i).child_end();
  }
  return true;
}

bool Launch::find_its_user() {
  plan_->object = start_.user.c_str();
  plan_->stage = Stage::user;
  FoundUser found = can_change_user()
      ? find_user(start_.user, plan_->reset.uid_min)
      : FoundUser{.error = EPERM, .why = "its warden may not change to other users"};
  if (!found.user) {
    plan_->user_problem = std::move(found.why);
    plan_->error = found.error;
    return false;
  }
  plan_->run_as(std::move(*found.user), start_);
  return true;
}

bool Launch::through() const {
  return plan_->through;
}
std::optional<OwnDirectory> Launch::own_directory() const {
  // What is made as this process' own user lies in the agent's directory, and the agent removes it.
  if (!plan_->user || (!start_.own_directory && script_.path.empty())) return std::nullopt;
  return OwnDirectory{.user = *plan_->user,
      .path = start_.own_directory ? start_.directory : "",
      .script = script_.path};
}
pid_t Launch::pid() const {
  // The kernel writes it, in this memory, before the child runs: see CLONE_PARENT_SETTID.
  return __atomic_load_n(&plan_->pid, __ATOMIC_ACQUIRE);
}
Stage Launch::stage() const {
  return plan_->stage;
}
int Launch::error() const {
  return plan_->error;
}
const std::string& Launch::user_problem() const {
  return plan_->user_problem;
}
std::string Launch::object() const {
  return plan_->object.load();
}
bool Launch::object_exists() const {
  return plan_->object_exists;
}
bool Launch::oom_failed() const {
  return plan_->oom_failed;
}

}  // namespace dunlin::node::warden
