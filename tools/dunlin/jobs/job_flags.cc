// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_flags.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "node/task/placeholders.h"
#include "overlay/ensure.h"
#include "overlay/field_info.h"
#include "sched/constraints.h"
#include "sched/ledger/class_name.h"
#include "sched/replica/record.h"
#include "sched/resources.h"
#include "tools/dunlin/jobs/input_list.h"
#include "tools/dunlin/jobs/job_file.h"
#include "tools/dunlin/jobs/limits.h"
#include "tools/dunlin/jobs/script_file.h"
#include "tools/dunlin/jobs/task_flags.h"
#include "tools/dunlin/jobs/times/deadline.h"
#include "tools/dunlin/jobs/times/time_limit.h"
#include "tools/dunlin/jobs/whole_job_flags.h"
#include "tools/dunlin/words/about_job.h"

// Flags of `run` and `submit`, and the job that they ask for. A job file says the same by keys:
// flags of one task exclude --file, those of the whole job override it.
namespace dunlin::cli {
namespace {

using GroupTerms = sched::replica::PutGroup::Terms;

constexpr const char* kInputHelp =
    "The nodes that have the input of each task: 2G@node1,node2. It runs there if they have room, "
    "or "
    "else borrows disk read and network out of one of them";

/// A task runs on another node, in no directory that the user is in.
std::string absolute(const std::string& path, const std::string& here) {
  return path.empty() || path.front() == '/' ? path : here + "/" + path;
}

/// Reads the time that a flag says, if it says any. What is wrong begins with the flag.
Result<void> read_time(
    const std::string& text, const overlay::FieldInfo& info, overlay::Duration& time) {
  if (text.empty()) return {};
  const auto read = parse_term_time(text, info);
  if (!read) {
    return failure(
        ErrorKind::usage, std::string(overlay::long_flag(info)) + ": " + read.error().text);
  }
  time = *read;
  return {};
}

/// What one task needs, and the node that it is for.
Result<void> read_demand(const JobFlags& flags, GroupRequest& group) {
  // Without the flag the agent may go by what it learned of such tasks.
  group.cpus_said = !flags.cpus.empty();
  if (group.cpus_said) {
    const auto cpus = sched::parse_cpu(flags.cpus);
    if (!cpus) return failure(ErrorKind::usage, "--cpus: " + cpus.error().text);
    group.demand.cpu = *cpus;
  }
  group.memory_said = !flags.memory.empty();
  if (group.memory_said) {
    const auto memory = sched::parse_memory(flags.memory);
    if (!memory) return failure(ErrorKind::usage, "--memory: " + memory.error().text);
    group.demand.memory = *memory;
  }
  if (auto fine = read_rates(flags.rates, group.demand); !fine) return fine;
  if (auto fine = read_input(flags.input, group.inputs); !fine) return fine;
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
  return {};
}

/// The command, and where and with what it runs.
Result<void> read_spec(const JobFlags& flags, node::TaskSpec& spec) {
  for (const std::string& text : flags.environment) {
    auto variable = parse_variable(text);
    if (!variable) return tl::unexpected(variable.error());
    spec.environment.push_back(std::move(*variable));
  }
  // Byte for byte, as cut() took them: a word need not be UTF-8.
  for (const std::string& word : flags.command) spec.command.push_back({word});
  spec.directory = flags.directory;
  spec.stdin_path = flags.stdin_path;
  spec.stdout_path = flags.stdout_path;
  spec.stderr_path = flags.stderr_path;
  spec.literal = flags.literal;
  spec.truncate = flags.truncate;
  if (!flags.limit_signal.empty()) {
    if (auto fine = read_limit_signal(flags.limit_signal, spec); !fine) {
      return failure(ErrorKind::usage, "--limit-signal: " + fine.error().text);
    }
  }
  for (const std::string& text : flags.limits) {
    if (auto fine = add_limit(text, spec); !fine) {
      return failure(ErrorKind::usage, "--rlimit: " + fine.error().text);
    }
  }
  return {};
}

Result<GroupRequest> group_request(const JobFlags& flags) {
  GroupRequest group;
  group.count = flags.count;
  group.each_line = flags.each_line;
  group.array = flags.array;
  group.priority = flags.priority;
  group.retries = flags.retries;
  group.at_once = flags.at_once;
  group.gang = flags.gang;
  if (auto fine = read_demand(flags, group); !fine) return tl::unexpected(fine.error());
  if (auto fine = read_time(flags.time_limit, GroupTerms::time_limit, group.time_limit); !fine) {
    return tl::unexpected(fine.error());
  }
  if (auto fine = read_time(flags.duration, GroupTerms::duration, group.duration); !fine) {
    return tl::unexpected(fine.error());
  }
  if (auto fine = read_spec(flags, group.spec); !fine) return tl::unexpected(fine.error());
  if (flags.script.empty()) return group;
  group.script_file = flags.script;
  auto script = read_script(flags.script);
  if (!script) return failure(ErrorKind::usage, "--script: " + script.error().text);
  group.spec.script = std::move(*script);
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
  // Read here and now by this command, so the name of its folder is taken as it is.
  if (group.each_line != "-") group.each_line = absolute(group.each_line, submitted_in);
  for (std::string* path :
      {&group.spec.stdin_path, &group.spec.stdout_path, &group.spec.stderr_path}) {
    // A path that begins with a placeholder is absolute by what is filled in: %{CWD},
    // %{SUBMIT_DIR}.
    if (*path != "none" && *path != "-" && !path->starts_with("%{")) *path = absolute(*path, here);
  }
}

/// What comes before and after the job. Those of its file come first.
Result<void> add_sequels(const JobFlags& flags, JobRequest& request) {
  for (const std::string& text : flags.after) {
    auto after = parse_after(text);
    if (!after) return failure(ErrorKind::usage, "--after: " + after.error().text);
    // Added to those of the file: a job may wait for more than its file knows.
    request.after.push_back(std::move(*after));
  }
  // One text, as in a shell; a job file may have words.
  if (!flags.on_end.empty()) request.on_end.command = {{"/bin/sh"}, {"-c"}, {flags.on_end}};
  if (!request.on_end.command.empty()) {
    // The command for the end has no placeholders of tasks, so what a literal group says is escaped
    // for it.
    const node::TaskSpec& first = request.groups.front().spec;
    request.on_end.directory =
        first.literal ? node::escape_placeholders(first.directory) : first.directory;
  }
  return {};
}

/// What becomes of its tasks when others may take their room.
Result<void> add_yielding(const JobFlags& flags, JobRequest& request) {
  // CLI11 lets only one of the two through.
  if (flags.no_preempt) request.on_preempt = "never";
  if (!flags.on_preempt.empty()) request.on_preempt = flags.on_preempt;
  if (!flags.checkpoint_signal.empty()) {
    const auto signal = parse_signal(flags.checkpoint_signal);
    if (!signal) return failure(ErrorKind::usage, "--checkpoint-signal: " + signal.error().text);
    request.checkpoint_signal = *signal;
  }
  return read_time(
      flags.checkpoint_time, node::TaskSpec::Terms::checkpoint_time, request.checkpoint_time);
}

void add_task_flags(TaskFlags& on, JobFlags& flags) {
  // In the order of the help: what says how many tasks there are comes first.
  on.begin("Tasks");
  auto* const count = on.term(GroupTerms::count, flags.count, "Number of tasks (default 1)");
  on.add("--each-line", flags.each_line, "FILE",
        "One task for each line of a file, or of stdin (-). The line is %{ENTRY}, or, if the "
        "command "
        "does not mention it, its last argument")
      ->excludes(count);
  on.add("--array", flags.array, "INDICES",
        "One task for each index: 0-99, 1,3,5-8 or 0-99:2 (every second); %10 at the end: at most "
        "10 "
        "of them at once. The index is %{ENTRY} and $DUNLIN_ARRAY_INDEX")
      ->excludes(count);
  on.add("--script", flags.script, "FILE",
      "Run this script by its #! line; the command are its arguments. It is read now and goes "
      "along "
      "with the job (at most 1 MiB)");
  on.add("--env", flags.environment, "NAME=VALUE",
      "A variable for the tasks; NAME alone takes the value it has here");
  on.add("--cwd", flags.directory, "DIR",
      "Where tasks run (default: here); none: a scratch directory on the worker");
  on.add("--stdin", flags.stdin_path, "FILE",
      "A file on the worker, or none; run also takes -, its own stdin (the default for one task)");
  on.add("--stdout", flags.stdout_path, "FILE",
      "A file on the worker, or none (default: kept, see dunlin logs)");
  on.add("--stderr", flags.stderr_path, "FILE", "The same for standard error");
  on.flag("--truncate", flags.truncate, "These files begin empty with each attempt");
  on.add("--rlimit", flags.limits, "NAME=VALUE",
      "A soft limit of the tasks, as ulimit(1) sets: nofile=4096, core=unlimited, stack=64M, "
      "cpu=1h; "
      "at most the agent's hard limit");
  on.flag("--literal", flags.literal, "The command has no placeholders: %{ stands for itself");
}

void add_demand_flags(TaskFlags& on, JobFlags& flags) {
  on.begin("Demand of one task");
  using Demand = sched::Resources::Terms;
  on.term(Demand::cpu, flags.cpus, "2, 0.5 or 250m (default 1)");
  on.term(Demand::memory, flags.memory, "512M or 4G (default: none set aside, no limit)");
  add_rate_flags(
      flags.rates, [&](const auto& names, auto& value, const char* type, const auto& help) {
        return on.add(names, value, type, help);
      });
  on.add("--input", flags.input, "SIZE@NODES", kInputHelp);
  on.add("--resource", flags.resources, "NAME=N", "A custom resource: gpu=1");
  on.add("--constraint", flags.constraints, "TEXT",
      "A demand on the node: arch=x86_64, 'kernel>=6.1' or kernel:ge:6.1, ssd");
  on.term(GroupTerms::time_limit, flags.time_limit, "90s, 1h30m or HH:MM:SS");
  on.term(node::TaskSpec::Terms::limit_signal, flags.limit_signal,
      "USR2@30s: all processes of a task get this signal so long before its time limit (without "
      "@: 60s)");
  on.term(GroupTerms::duration, flags.duration,
      "About how long a task runs: jobs with little work left go first (default: learned from "
      "tasks that finish)");
  on.number(GroupTerms::priority, flags.priority,
      "0 to 100, larger first (default 50; above 50 for administrators)");
  on.number(GroupTerms::retries, flags.retries, "Failed attempts forgiven per task (default 0)");
  on.number(GroupTerms::at_once, flags.at_once,
      "Tasks that run at once at most (default: as many as fit)");
  on.flag(std::string(GroupTerms::gang.flag), flags.gang,
      "All tasks start together, or none: for a frontend that launches by a view");
}

}  // namespace

void add_job_flags(CLI::App& app, JobFlags& flags) {
  // Described for the help text only, because CLI11 would change these words.
  app.add_option_function<std::vector<std::string>>(
         kCommandWords, [](const auto& words) { ensure(words.empty()); },
         "The program and its arguments, in which %{TASK_INDEX} %{TASK_COUNT} %{GROUP_INDEX} "
         "%{JOB_ID} %{ATTEMPT} %{ENTRY} %{NODE} %{CWD} %{SUBMIT_DIR} are filled in for each task")
      ->type_name("WORD");
  TaskFlags on(app);
  add_task_flags(on, flags);
  add_demand_flags(on, flags);
  auto* const file = app.add_option("-f,--file", flags.file,
                            "Read all of the above from a job file (TOML); -: stdin")
                         ->type_name("FILE")
                         ->group("Job");
  // A file may have several groups: of which would a flag for tasks speak?
  for (CLI::Option* const option : on.all()) file->excludes(option);
  add_whole_job_flags(app, flags);
}

Result<JobRequest> job_request(const JobFlags& flags, const std::string& here) {
  JobRequest request;
  // CLI11 never sees the command, which is cut off before, so it cannot exclude it.
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
  // From here on flags stand above the file: one file serves many submits.
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
  if (!flags.begin.empty()) {
    const auto begin = parse_deadline(flags.begin, std::chrono::system_clock::now(), "begin");
    if (!begin) return failure(ErrorKind::usage, "--begin: " + begin.error().text);
    request.begin = *begin;
  }
  if (!flags.past_deadline.empty()) {
    if (auto fine = check_past_deadline(flags.past_deadline); !fine) {
      return failure(ErrorKind::usage, "--past-deadline: " + fine.error().text);
    }
    request.past_deadline = flags.past_deadline;
  }
  if (!flags.comment.empty()) request.comment = flags.comment;
  if (!flags.rerun.empty()) request.rerun = flags.rerun;
  if (auto fine = add_labels(flags.labels, request.labels); !fine) {
    return tl::unexpected(fine.error());
  }
  if (auto fine = add_yielding(flags, request); !fine) return tl::unexpected(fine.error());
  // Flags add to what the file says, and take nothing back: they have no word for that.
  request.replicas = std::max(request.replicas, flags.replicas);
  request.replicas_required = std::max(request.replicas_required, flags.replicas_required);
  request.held = request.held || flags.hold;
  request.allow_unsatisfiable = request.allow_unsatisfiable || flags.allow_unsatisfiable;
  for (GroupRequest& group : request.groups) {
    settle_paths(group, here);
    // Tasks make files as the user's shell would, not as the agent's service manager has it.
    if (group.spec.umask == 0) group.spec.umask = static_cast<std::uint16_t>(own_umask() + 1);
  }
  if (auto fine = add_sequels(flags, request); !fine) return tl::unexpected(fine.error());
  if (auto fine = complete(request); !fine) return tl::unexpected(fine.error());
  return request;
}

}  // namespace dunlin::cli
