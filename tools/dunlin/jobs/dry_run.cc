// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/dry_run.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <unistd.h>
#include <vector>

#include "node/task/limit_signal.h"
#include "node/task/task_array.h"
#include "node/task/task_script.h"
#include "overlay/field_info.h"
#include "overlay/param_entries.h"
#include "sched/constraints.h"
#include "sched/labels.h"
#include "sched/resources.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/line_reader.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// What `submit --dry-run` shows: the job as it would be submitted, with files read and lines
// counted, so that whatever this end can find wrong is found; only the agent is not asked.
namespace dunlin::cli {
namespace {

/// The number of tasks of a group, counting its lines if need be.
// Reads the whole file, as a submit would: a line that is too long is found now.
Result<std::uint64_t> tasks_of(const GroupRequest& group) {
  if (!group.array.empty()) return node::parse_array(group.array)->indices.size();
  if (!group.entries.empty()) return group.entries.size();
  if (group.each_line.empty()) return group.count;
  auto reader = LineReader::open(group.each_line);
  if (!reader) return failure(ErrorKind::usage, group.lines_place() + reader.error().text);
  std::uint64_t tasks = 0;
  while (!reader->at_end()) {
    const auto chunk = reader->next_chunk();
    if (!chunk) return tl::unexpected(chunk.error());
    tasks += chunk->size();
  }
  return tasks;
}

void show(const GroupRequest& group, std::uint64_t tasks) {
  const auto line = [](const char* what, const std::string& text) {
    if (!text.empty()) std::printf("  %-12s%s\n", what, printable(text).c_str());
  };
  std::string command;
  for (const auto& word : group.spec.command) {
    command += (command.empty() ? "" : " ") + shell_word(word.text);
  }
  std::string constraints;
  for (const auto& constraint : group.constraints) {
    constraints += (constraints.empty() ? "" : ", ") + to_string(constraint);
  }
  std::string environment;
  for (const auto& variable : group.spec.environment) {
    environment +=
        (environment.empty() ? "" : " ") + variable.name + "=" + shell_word(variable.value);
  }
  line("group", group.name);
  line("tasks",
      std::to_string(tasks) + (group.array.empty() ? "" : ", the array " + group.array) +
          (group.each_line.empty()
                  ? ""
                  : ", one per line of " + (group.each_line == "-" ? "stdin" : group.each_line)));
  const std::string& script = group.spec.script;
  if (!script.empty()) {
    line("script",
        (group.script_file.empty() ? "" : group.script_file + ": ") +
            std::string(node::first_line_of(script)) + ", " + bytes_text(script.size()));
  }
  line(script.empty() ? "command" : "arguments", command);
  line("demand", to_string(group.demand) + " each");
  if (group.inputs.size() == 1) line("input", group.inputs.front());
  if (group.inputs.size() > 1)
    line("inputs",
        group.input_list.empty() ? std::to_string(group.inputs.size()) + ", one for each task"
                                 : "one per line of " + group.input_list);
  line("constraints", constraints);
  line("priority", std::to_string(group.priority));
  line("retries", std::to_string(group.retries));
  if (group.at_once != 0) line("at once", std::to_string(group.at_once) + " tasks at most");
  if (group.gang) line("gang", "all tasks start together");
  for (const std::string& name : group.after) line("after", "group " + name + " has succeeded");
  line("time limit",
      group.time_limit == overlay::Duration{0} ? "none" : overlay::to_string(group.time_limit));
  if (group.spec.limit_signal != 0) {
    line("signal", node::limit_signal_text(group.spec.limit_signal, group.spec.limit_signal_time));
  }
  if (group.duration > overlay::Duration{0}) {
    line("duration", "about " + overlay::to_string(group.duration));
  }
  line("environment", environment);
  line("directory",
      group.spec.directory.empty() ? "a scratch one on the worker" : group.spec.directory);
  line("stdin", group.spec.stdin_path);
  line("stdout", group.spec.stdout_path);
  line("stderr", group.spec.stderr_path);
  if (group.spec.truncate) line("truncate", "each attempt begins these files anew");
}

/// What is said of the job, and what becomes of it by its own words: when it is held, late, or in
/// the way of others.
void show_fate(const JobRequest& request) {
  for (const std::string& line : fate_lines(request)) {
    std::printf("  %s\n", printable(line).c_str());
  }
}

}  // namespace

std::vector<std::string> fate_lines(const JobRequest& request) {
  std::vector<std::string> lines;
  const auto add = [&](std::string label, const std::string& text) {
    // As wide as the labels of the groups below.
    label.resize(12, ' ');
    lines.push_back(label + text);
  };
  if (!request.comment.empty()) add("comment", request.comment);
  for (const sched::Label& label : request.labels) add("label", to_string(label));
  if (request.past_deadline == "cancel") add("when late", "it is cancelled");
  if (request.past_deadline == "run") add("when late", "it goes on");
  if (request.begin) {
    add("begins", "in " + age_text(std::chrono::duration<double>(*request.begin).count()));
  }
  if (request.held) add("hold", "it starts no task before it is released");
  if (request.allow_unsatisfiable) add("accepted", "also if no node known could ever run it");
  if (request.rerun == "never") add("rerun", "never: a task whose attempt is lost ends as lost");
  if (request.on_preempt.empty()) return lines;
  const std::string& word = request.on_preempt;
  add("on preempt",
      word == "never"         ? "never: its tasks are not stopped for others"
          : word == "suspend" ? "suspend: its tasks stand still for others"
                              : word + ": its tasks run again");
  if (word != "checkpoint") return lines;
  const auto& time = node::TaskSpec::Terms::checkpoint_time;
  const int signal = request.checkpoint_signal == 0 ? SIGUSR1 : request.checkpoint_signal;
  const std::int64_t left = request.checkpoint_time == overlay::Duration{0}
      ? time.initial
      : request.checkpoint_time.count();
  const char* const name = sigabbrev_np(signal);
  add("checkpoint",
      "signal " + (name != nullptr ? std::string(name) : std::to_string(signal)) + ", then " +
          overlay::say(time, left));
  return lines;
}

Result<int> show_dry_run(const Globals& globals, const JobRequest& request) {
  // The very request that would be sent, for programs; below the same for people.
  Json json = to_json(request);
  // Nothing is shown of a job that cannot be submitted.
  std::vector<std::uint64_t> tasks;
  for (const GroupRequest& group : request.groups) {
    const auto count = tasks_of(group);
    if (!count) return tl::unexpected(count.error());
    tasks.push_back(*count);
  }
  // In 64 bits: groups of a million each are few enough, and their sum may be too many.
  const auto all = std::accumulate(tasks.begin(), tasks.end(), std::uint64_t{0});
  if (auto fine = check_tasks(all); !fine) return tl::unexpected(fine.error());
  if (!globals.json) {
    std::printf("would submit job \"%s\"%s:\n", printable(request.name).c_str(),
        request.service_class.empty() ? "" : (" of class " + request.service_class).c_str());
  }
  if (!globals.json && request.deadline) {
    std::printf("  %-12sin %s\n", "deadline",
        age_text(std::chrono::duration<double>(*request.deadline).count()).c_str());
  }
  if (!globals.json) show_fate(request);
  if (!globals.json && request.replicas > 0) {
    std::printf("  %-12s%d%s\n", "replicas", request.replicas,
        request.replicas_required == 0
            ? ""
            : (", " + std::to_string(request.replicas_required) + " required").c_str());
  }
  for (const AfterRequest& after : request.after) {
    if (globals.json) break;
    std::printf(
        "  %-12sjob %s %s\n", "after", printable(after.job).c_str(), after_words(after).c_str());
  }
  if (!globals.json && !request.on_end.command.empty()) {
    std::string command;
    for (const auto& word : request.on_end.command) {
      command += (command.empty() ? "" : " ") + shell_word(word.text);
    }
    std::printf("  %-12s%s\n", "on end", printable(command).c_str());
  }
  for (std::size_t i = 0; i < request.groups.size(); ++i) {
    json["groups"][i]["count"] = tasks[i];
    if (!globals.json) show(request.groups[i], tasks[i]);
  }
  if (globals.json) print_json("dunlin.dry_run/1", published(json));
  return kSuccess;
}

// Not $PWD: it is what a shell believes, and may be of another process.
Result<std::string> current_directory() {
  const std::unique_ptr<char, decltype(&std::free)> path(getcwd(nullptr, 0), &std::free);
  // "(unreachable)/..." is a directory that no path leads to.
  if (path != nullptr && *path.get() == '/') return std::string(path.get());
  const char* const why = path != nullptr ? "no path leads to it" : std::strerror(errno);
  return failure(ErrorKind::usage,
      std::string("the directory in which you are cannot be named (") + why +
          "), so no task can run in it: go to another one");
}

}  // namespace dunlin::cli
