// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_flags.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "node/task/placeholders.h"
#include "overlay/ensure.h"
#include "sched/constraints.h"
#include "sched/ledger/class_name.h"
#include "sched/resources.h"
#include "tools/dunlin/jobs/deadline.h"
#include "tools/dunlin/jobs/input_list.h"
#include "tools/dunlin/jobs/job_file.h"
#include "tools/dunlin/jobs/limits.h"
#include "tools/dunlin/jobs/time_limit.h"

namespace dunlin::cli {
namespace {

constexpr const char* kInputHelp =
    "The nodes that have the input of each task: 2G@node1,node2. It runs there if they have room, "
    "or "
    "else borrows disk read and network out of one of them";

std::string absolute(const std::string& path, const std::string& here) {
  return path.empty() || path.front() == '/' ? path : here + "/" + path;
}

Result<GroupRequest> group_request(const JobFlags& flags) {
  GroupRequest group;
  group.count = flags.count;
  group.each_line = flags.each_line;
  group.array = flags.array;
  group.priority = flags.priority;
  group.retries = flags.retries;
  group.gang = flags.gang;
  group.cpus_said = !flags.cpus.empty();
  if (group.cpus_said) {
    const auto cpus = sched::parse_cpu(flags.cpus);
    if (!cpus) return failure(ErrorKind::usage, "--cpus: " + cpus.error().text);
    group.demand.cpu = *cpus;
  }
  if (!flags.memory.empty()) {
    const auto memory = sched::parse_memory(flags.memory);
    if (!memory) return failure(ErrorKind::usage, "--memory: " + memory.error().text);
    group.demand.memory = *memory;
  }
  if (auto fine = read_rates(flags.rates, group.demand); !fine) {
    return tl::unexpected(fine.error());
  }
  if (auto fine = read_input(flags.input, group.inputs); !fine) {
    return tl::unexpected(fine.error());
  }
  for (const std::string& text : flags.resources) {
    if (auto fine = sched::parse_amount(text, group.demand); !fine) {
      return failure(ErrorKind::usage, "--resource: " + fine.error().text);
    }
  }
  for (const std::string& text : flags.constraints) {
    auto constraint = sched::parse_constraint(text);
    if (!constraint) return failure(ErrorKind::usage, "--constraint: " + constraint.error().text);
    group.constraints.push_back(std::move(*constraint));
  }
  if (!flags.time_limit.empty()) {
    const auto limit = parse_time_limit(flags.time_limit);
    if (!limit) return failure(ErrorKind::usage, "--time-limit: " + limit.error().text);
    group.time_limit = *limit;
  }
  if (!flags.duration.empty()) {
    const auto duration = parse_time_limit(flags.duration);
    if (!duration) return failure(ErrorKind::usage, "--duration: " + duration.error().text);
    group.duration = *duration;
  }
  for (const std::string& text : flags.environment) {
    auto variable = parse_variable(text);
    if (!variable) return tl::unexpected(variable.error());
    group.spec.environment.push_back(std::move(*variable));
  }
  for (const std::string& word : flags.command) group.spec.command.push_back({word});
  group.spec.directory = flags.directory;
  group.spec.stdin_path = flags.stdin_path;
  group.spec.stdout_path = flags.stdout_path;
  group.spec.stderr_path = flags.stderr_path;
  group.spec.literal = flags.literal;
  for (const std::string& text : flags.limits) {
    if (auto fine = add_limit(text, group.spec); !fine) {
      return failure(ErrorKind::usage, "--rlimit: " + fine.error().text);
    }
  }
  return group;
}

/// Tasks run in the directory of the submit, unless the user names another.
void settle_paths(GroupRequest& group, const std::string& submitted_in) {
  group.spec.submit_directory = submitted_in;
  // Only what the user wrote may hold placeholders, not the name of a folder.
  const std::string here =
      group.spec.literal ? submitted_in : node::escape_placeholders(submitted_in);
  if (group.spec.directory == "none") {
    group.spec.directory.clear();
  } else {
    group.spec.directory =
        group.spec.directory.empty() ? here : absolute(group.spec.directory, here);
  }
  if (group.each_line != "-") group.each_line = absolute(group.each_line, submitted_in);
  for (std::string* path :
      {&group.spec.stdin_path, &group.spec.stdout_path, &group.spec.stderr_path}) {
    if (*path != "none" && *path != "-" && !path->starts_with("%{")) *path = absolute(*path, here);
  }
}

/// What comes before and after the job. Those of its file come first.
Result<void> add_sequels(const JobFlags& flags, JobRequest& request) {
  for (const std::string& text : flags.after) {
    auto after = parse_after(text);
    if (!after) return failure(ErrorKind::usage, "--after: " + after.error().text);
    request.after.push_back(std::move(*after));
  }
  if (!flags.on_end.empty()) request.on_end.command = {{"/bin/sh"}, {"-c"}, {flags.on_end}};
  if (!request.on_end.command.empty()) {
    const node::TaskSpec& first = request.groups.front().spec;
    request.on_end.directory =
        first.literal ? node::escape_placeholders(first.directory) : first.directory;
  }
  return {};
}

/// What becomes of its tasks when others may take their room.
Result<void> add_yielding(const JobFlags& flags, JobRequest& request) {
  if (flags.no_preempt) request.on_preempt = "never";
  if (!flags.on_preempt.empty()) request.on_preempt = flags.on_preempt;
  if (!flags.checkpoint_signal.empty()) {
    const auto signal = parse_signal(flags.checkpoint_signal);
    if (!signal) return failure(ErrorKind::usage, "--checkpoint-signal: " + signal.error().text);
    request.checkpoint_signal = *signal;
  }
  if (flags.checkpoint_time.empty()) return {};
  const auto time = parse_time_limit(flags.checkpoint_time);
  if (!time) return failure(ErrorKind::usage, "--checkpoint-time: " + time.error().text);
  request.checkpoint_time = *time;
  return {};
}

/// Adds the flags about tasks that are in the way of others.
void add_yielding_flags(CLI::App& app, JobFlags& flags, const char* group) {
  auto* const spared = app.add_flag("--no-preempt", flags.no_preempt,
                              "Its tasks are not stopped so that others have room")
                           ->group(group);
  app.add_option("--on-preempt", flags.on_preempt,
         "What becomes of tasks that are stopped so that others have room: requeue (they run "
         "again, the default), checkpoint (the same, but a signal comes before SIGTERM), or "
         "suspend "
         "(they stand still, keep their memory, and go on later)")
      ->type_name("requeue|checkpoint|suspend")
      ->check(CLI::IsMember({"requeue", "checkpoint", "suspend"}))
      ->excludes(spared)
      ->group(group);
  app.add_option("--checkpoint-signal", flags.checkpoint_signal,
         "The signal that tells a task's main process to save what it needs (default: USR1)")
      ->type_name("SIGNAL")
      ->excludes(spared)
      ->group(group);
  app.add_option("--checkpoint-time", flags.checkpoint_time,
         "The time that it has for that; it may end sooner (default: 30s)")
      ->type_name("DURATION")
      ->excludes(spared)
      ->group(group);
}

/// Adds the flags about the job as a whole, which go with a job file too.
void add_whole_job_flags(CLI::App& app, JobFlags& flags) {
  const char* group = "Job";
  app.add_option("--name", flags.name, "The job's name (default: the command's)")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--class", flags.service_class,
         "Its class, one of those that `dunlin share list` shows (default: default)")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--deadline", flags.deadline,
         "When it should have ended: 10m (from now), 18:00, 'tomorrow 8:00' or "
         "2026-11-22T18:00+01:00. Workers whose "
         "discipline is edf serve the earliest first; a job that misses it goes on")
      ->type_name("WHEN")
      ->group(group);
  app.add_option("--past-deadline", flags.past_deadline,
         "What becomes of a job that misses its deadline: run (it goes on, the default) or cancel")
      ->type_name("run|cancel")
      ->group(group);
  add_yielding_flags(app, flags, group);
  app.add_option("--replicas", flags.replicas,
         "Standbys on other machines that keep its records: one goes on with the job when its home "
         "is gone for good, disk and all (default: frontend.replicas of the agent)")
      ->type_name("0..4")
      ->check(CLI::Range(0, static_cast<int>(sched::kReplicasMax)))
      ->group(group);
  app.add_option("--replicas-required", flags.replicas_required,
         "Standbys that must have a record before anything is promised of it; with fewer it waits "
         "(default: 0, those that are there)")
      ->type_name("0..4")
      ->check(CLI::Range(0, static_cast<int>(sched::kReplicasMax)))
      ->group(group);
  app.add_flag("--hold", flags.hold, "It starts no task before `dunlin release`")->group(group);
  app.add_option("--after", flags.after,
         "A job that it waits for, of any node: 12, last, NODE.12. It is cancelled if that one "
         "does "
         "not succeed; with JOB:any it starts however that one ends")
      ->type_name("JOB")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--on-end", flags.on_end,
         "A command for /bin/sh -c that the job's home runs when the job has ended, at most once; "
         "see $DUNLIN_JOB and $DUNLIN_STATE")
      ->type_name("COMMAND")
      ->group(group);
  app.add_flag("--allow-unsatisfiable", flags.allow_unsatisfiable,
         "Accept a job that no node known could ever run")
      ->group(group);
  app.add_flag("--dry-run", flags.dry_run, "Print what would be submitted, and stop")->group(group);
}

}  // namespace

void add_job_flags(CLI::App& app, JobFlags& flags) {
  // Described for the help text only, because CLI11 would change these words.
  app.add_option_function<std::vector<std::string>>(
         kCommandWords, [](const auto& words) { ensure(words.empty()); },
         "The program and its arguments, in which %{TASK_INDEX} %{TASK_COUNT} %{GROUP_INDEX} "
         "%{JOB_ID} %{ATTEMPT} %{ENTRY} %{NODE} %{CWD} %{SUBMIT_DIR} are filled in for each task")
      ->type_name("WORD");
  std::vector<CLI::Option*> not_with_file;
  const char* group = "Tasks";
  const auto add = [&](const auto& names, auto& value, const char* type, const auto& help) {
    CLI::Option* const option = app.add_option(names, value, help)->type_name(type)->group(group);
    option->allow_extra_args(false);
    not_with_file.push_back(option);
    return option;
  };
  auto* const count = add("-n,--count", flags.count, "N", "Number of tasks (default 1)");
  add("--each-line", flags.each_line, "FILE",
      "One task for each line of a file, or of stdin (-). The line is %{ENTRY}, or, if the command "
      "does not mention it, its last argument")
      ->excludes(count);
  add("--array", flags.array, "INDICES",
      "One task for each index: 0-99, 1,3,5-8 or 0-99:2 (every second); %10 at the end: at most 10 "
      "of them at once. The index is %{ENTRY} and $DUNLIN_ARRAY_INDEX")
      ->excludes(count);
  add("--env", flags.environment, "NAME=VALUE",
      "A variable for the tasks; NAME alone takes the value it has here");
  add("--cwd", flags.directory, "DIR",
      "Where tasks run (default: here); none: a scratch directory on the worker");
  add("--stdin", flags.stdin_path, "FILE",
      "A file on the worker, or none; run also takes -, its own stdin (the default for one task)");
  add("--stdout", flags.stdout_path, "FILE",
      "A file on the worker, or none (default: kept, see dunlin logs)");
  add("--stderr", flags.stderr_path, "FILE", "The same for standard error");
  add("--rlimit", flags.limits, "NAME=VALUE",
      "A soft limit of the tasks, as ulimit(1) sets: nofile=4096, core=unlimited, stack=64M, "
      "cpu=1h; "
      "at most the agent's hard limit");
  not_with_file.push_back(
      app.add_flag(
             "--literal", flags.literal, "The command has no placeholders: %{ stands for itself")
          ->group(group));
  group = "Demand of one task";
  add("-c,--cpus", flags.cpus, "CPUS", "2, 0.5 or 250m (default 1)");
  add("--memory", flags.memory, "SIZE", "512M or 4G (default: none set aside, no limit)");
  add_rate_flags(flags.rates, add);
  add("--input", flags.input, "SIZE@NODES", kInputHelp);
  add("--resource", flags.resources, "NAME=N", "A custom resource: gpu=1");
  add("--constraint", flags.constraints, "TEXT",
      "A demand on the node: arch=x86_64, 'kernel>=6.1', ssd");
  add("-t,--time-limit", flags.time_limit, "TIME", "90s, 1h30m or HH:MM:SS");
  add("--duration", flags.duration, "TIME",
      "About how long a task runs: jobs with little work left go first (default: learned from "
      "tasks that finish)");
  add("--priority", flags.priority, "N",
      "0 to 100, larger first (default 50; above 50 for administrators)")
      ->check(CLI::Range(sched::kPriorityMin, sched::kPriorityMax));
  add("--retries", flags.retries, "N", "Failed attempts forgiven per task (default 0)")
      ->check(CLI::Range(0, 1000));
  not_with_file.push_back(
      app.add_flag("--gang", flags.gang,
             "All tasks start together, or none: for a frontend that launches by a view")
          ->group(group));
  auto* const file = app.add_option("-f,--file", flags.file,
                            "Read all of the above from a job file (TOML); -: stdin")
                         ->type_name("FILE")
                         ->group("Job");
  for (CLI::Option* const option : not_with_file) file->excludes(option);
  add_whole_job_flags(app, flags);
}

Result<JobRequest> job_request(const JobFlags& flags, const std::string& here) {
  JobRequest request;
  if (!flags.file.empty() && !flags.command.empty()) {
    return failure(ErrorKind::usage,
        "--file " + flags.file + " says what to run; leave out the command that follows the flags");
  }
  if (!flags.file.empty()) {
    auto read = read_job_file(flags.file, here);
    if (!read) return read;
    request = std::move(*read);
  } else {
    auto group = group_request(flags);
    if (!group) return tl::unexpected(group.error());
    request.groups.push_back(std::move(*group));
  }
  if (!flags.name.empty()) request.name = flags.name;
  if (!flags.service_class.empty()) {
    if (auto fine = sched::check_class_name(flags.service_class); !fine) {
      return failure(ErrorKind::usage, "--class: " + fine.error().text);
    }
    request.service_class = flags.service_class;
  }
  if (!flags.deadline.empty()) {
    const auto deadline = parse_deadline(flags.deadline, std::chrono::system_clock::now());
    if (!deadline) return failure(ErrorKind::usage, "--deadline: " + deadline.error().text);
    request.deadline = *deadline;
  }
  if (!flags.past_deadline.empty()) {
    if (auto fine = check_past_deadline(flags.past_deadline); !fine) {
      return failure(ErrorKind::usage, "--past-deadline: " + fine.error().text);
    }
    request.past_deadline = flags.past_deadline;
  }
  if (auto fine = add_yielding(flags, request); !fine) return tl::unexpected(fine.error());
  request.replicas = std::max(request.replicas, flags.replicas);
  request.replicas_required = std::max(request.replicas_required, flags.replicas_required);
  request.hold = request.hold || flags.hold;
  request.allow_unsatisfiable = request.allow_unsatisfiable || flags.allow_unsatisfiable;
  for (GroupRequest& group : request.groups) {
    settle_paths(group, here);
    if (group.spec.umask == 0) group.spec.umask = static_cast<std::uint16_t>(own_umask() + 1);
  }
  if (auto fine = add_sequels(flags, request); !fine) return tl::unexpected(fine.error());
  if (auto fine = complete(request); !fine) return tl::unexpected(fine.error());
  return request;
}

}  // namespace dunlin::cli
