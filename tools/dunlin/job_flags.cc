// SPDX-License-Identifier: MIT
#include "tools/dunlin/job_flags.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "sched/constraints.h"
#include "sched/resources.h"
#include "tools/dunlin/job_file.h"
#include "tools/dunlin/time_limit.h"

namespace dunlin::cli {
namespace {

std::string absolute(const std::string& path, const std::string& here) {
  return path.empty() || path.front() == '/' ? path : here + "/" + path;
}

Result<GroupRequest> group_request(const JobFlags& flags) {
  GroupRequest group;
  group.count = flags.count;
  group.each_line = flags.each_line;
  group.priority = flags.priority;
  group.retries = flags.retries;
  const auto cpus = sched::parse_cpu(flags.cpus);
  if (!cpus) return failure(ErrorKind::usage, "--cpus: " + cpus.error().text);
  group.demand.cpu = *cpus;
  if (!flags.memory.empty()) {
    const auto memory = sched::parse_memory(flags.memory);
    if (!memory) return failure(ErrorKind::usage, "--memory: " + memory.error().text);
    group.demand.memory = *memory;
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
  for (const std::string& text : flags.environment) {
    auto variable = parse_variable(text);
    if (!variable) return tl::unexpected(variable.error());
    group.spec.environment.push_back(std::move(*variable));
  }
  for (const std::string& word : flags.command) group.spec.command.push_back({word});
  group.spec.directory = flags.directory;
  group.spec.stdout_path = flags.stdout_path;
  group.spec.stderr_path = flags.stderr_path;
  return group;
}

/// Tasks run where they were submitted from, unless told otherwise.
void settle_paths(GroupRequest& group, const std::string& here) {
  group.spec.submit_directory = here;
  if (group.spec.directory == "none") {
    group.spec.directory.clear();
  } else {
    group.spec.directory =
        group.spec.directory.empty() ? here : absolute(group.spec.directory, here);
  }
  if (group.each_line != "-") group.each_line = absolute(group.each_line, here);
  for (std::string* path : {&group.spec.stdout_path, &group.spec.stderr_path}) {
    if (*path != "none" && !path->starts_with("%{")) *path = absolute(*path, here);
  }
}

}  // namespace

void add_job_flags(CLI::App& app, JobFlags& flags) {
  // Everything after the first word of the command is the command's: `run --cpus 2 echo -n hi`.
  app.positionals_at_end();
  auto* const demand = app.add_option_group("Demand of one task");
  std::vector<CLI::Option*> per_group = {
      demand->add_option("-c,--cpus", flags.cpus, "CPUs: 2, 0.5 or 250m (default 1)"),
      demand->add_option("--memory", flags.memory, "Memory: 512M, 4G (default: no limit)"),
      demand->add_option("--resource", flags.resources, "A custom resource: gpu=1")
          ->type_name("NAME=N")
          ->allow_extra_args(false),
      demand
          ->add_option("--constraint", flags.constraints,
              "A demand on the node: arch=x86_64, kernel>=6.1, ssd")
          ->type_name("TEXT")
          ->allow_extra_args(false),
      demand->add_option("-t,--time-limit", flags.time_limit, "90s, 1h30m or HH:MM:SS"),
      demand->add_option("--priority", flags.priority, "0 to 100, larger first (default 50)")
          ->check(CLI::Range(sched::kPriorityMin, sched::kPriorityMax)),
      demand->add_option("--retries", flags.retries, "Failed attempts forgiven per task")
          ->check(CLI::Range(0, 1000)),
  };
  auto* const tasks = app.add_option_group("Tasks");
  auto* const count = tasks->add_option("-n,--count", flags.count, "How many tasks (default 1)");
  auto* const lines = tasks->add_option("--each-line", flags.each_line,
      "One task for each line of a file, or of stdin (-). The line is %{ENTRY}, or, if the command "
      "does not mention it, its last argument");
  lines->excludes(count);
  per_group.insert(per_group.end(),
      {count, lines,
          tasks
              ->add_option("--env", flags.environment,
                  "A variable for the tasks; NAME alone takes "
                  "the value it has here")
              ->type_name("NAME=VALUE")
              ->allow_extra_args(false),
          tasks->add_option("--cwd", flags.directory,
              "Where tasks run (default: here); none: a scratch directory on the worker"),
          tasks->add_option("--stdout", flags.stdout_path,
              "A file on the worker, or none (default: kept, see dunlin logs)"),
          tasks->add_option("--stderr", flags.stderr_path, "The same for standard error")});
  tasks->add_option("--name", flags.name, "The job's name (default: the command's)");
  auto* const file = tasks->add_option("-f,--file", flags.file, "A job file (TOML); -: stdin");
  tasks->add_flag("--allow-unsatisfiable", flags.allow_unsatisfiable,
      "Accept a job that no node known could ever run");
  tasks->add_flag("--dry-run", flags.dry_run, "Print what would be submitted, and stop");
  auto* const command = app.add_option("command", flags.command,
      "The program and its arguments. %{TASK_INDEX} %{TASK_COUNT} %{JOB_ID} %{ATTEMPT} %{ENTRY} "
      "%{NODE} %{CWD} %{SUBMIT_DIR} are filled in for each task");
  command->type_name("COMMAND...");
  for (CLI::Option* const option : per_group) file->excludes(option);
  file->excludes(command);
}

Result<JobRequest> job_request(const JobFlags& flags, const std::string& here) {
  JobRequest request;
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
  request.allow_unsatisfiable = request.allow_unsatisfiable || flags.allow_unsatisfiable;
  for (GroupRequest& group : request.groups) settle_paths(group, here);
  if (auto fine = complete(request); !fine) return tl::unexpected(fine.error());
  return request;
}

}  // namespace dunlin::cli
