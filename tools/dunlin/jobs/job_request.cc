// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_request.h"

#include <algorithm>
#include <cctype>

#include "node/command_size.h"
#include "node/task/limit_signal.h"
#include "node/task/placeholders.h"
#include "node/task/task_array.h"
#include "node/task/task_script.h"
#include "node/utf8.h"
#include "overlay/field_info.h"
#include "sched/replica/record.h"
#include "tools/dunlin/jobs/script_file.h"
#include "tools/dunlin/jobs/task_line.h"
#include "tools/dunlin/screen/text.h"
#include "tools/dunlin/words/about_job.h"

// A job as its user asked for it, by flags or by a file, checked before it becomes a request. The
// agent checks all of it again. It is checked here first since here the mistake can be named by
// what the user wrote (--count, or group and line), and before a large list of tasks is read or
// sent.
namespace dunlin::cli {
namespace {

using GroupTerms = sched::replica::PutGroup::Terms;

/// A sentence of ours that names flags, in the words of a job file if it is about one: `each_line`
/// instead of `--each-line`.
std::string said(bool in_file, std::string text) {
  for (std::size_t at = 0; in_file && (at = text.find("--", at)) != std::string::npos;) {
    text.erase(at, 2);
    for (; at < text.size() &&
        (text[at] == '-' || std::islower(static_cast<unsigned char>(text[at])) != 0);
        ++at) {
      if (text[at] == '-') text[at] = '_';
    }
  }
  return text;
}

// Bounds of Linux and of the protocol, told before anything is sent: a task would only fail by them
// later.
Result<void> check_texts(const node::TaskSpec& spec, bool in_file = false) {
  for (std::size_t i = 0; i < spec.command.size(); ++i) {
    const std::string& word = spec.command[i].text;
    if (word.find('\0') != word.npos) {
      return failure(ErrorKind::usage,
          "word " + std::to_string(i + 1) +
              " of the command holds a zero byte, which no argument can");
    }
    if (word.size() > node::Word::kTextMax) {
      return failure(ErrorKind::usage,
          "word " + std::to_string(i + 1) + " of the command has " + std::to_string(word.size()) +
              " bytes, and Linux takes words of " + std::to_string(node::Word::kTextMax));
    }
  }
  for (const auto& variable : spec.environment) {
    if (variable.value.find('\0') != std::string::npos) {
      return failure(ErrorKind::usage,
          said(in_file, "--env ") + variable.name + " holds a zero byte, which no variable can");
    }
    if (const std::size_t size_max = node::value_max(variable.name);
        variable.value.size() > size_max) {
      return failure(ErrorKind::usage,
          said(in_file, "--env ") + variable.name + " has " +
              std::to_string(variable.value.size()) + " bytes, and may have " +
              std::to_string(size_max));
    }
  }
  const auto at_most = [](std::size_t count, std::size_t max, const char* what) -> Result<void> {
    if (count <= max) return {};
    return failure(ErrorKind::usage,
        "the command has " + std::to_string(count) + what + ", and may have " +
            std::to_string(max) + ": put them in a script");
  };
  auto fine = at_most(spec.command.size(), node::TaskSpec::kCommandMax, " words");
  if (fine) fine = at_most(spec.environment.size(), node::TaskSpec::kEnvironmentMax, " variables");
  if (fine) fine = node::check_script(spec);
  if (!fine) return fine;
  return node::check_command_bytes(spec);
}

/// Fails if more than one member says how many tasks there are: no order among them would be what
/// each user expects.
Result<void> check_number_said_once(const GroupRequest& group, bool in_file) {
  if (!group.each_line.empty() && group.count != 1) {
    return failure(ErrorKind::usage,
        said(in_file, "--count and --each-line: one of them says how many tasks"));
  }
  if (!group.array.empty() && group.at_once != 0) {
    return failure(ErrorKind::usage,
        said(in_file, "--array and --at-once: the array says it after a %, as in 0-99%10"));
  }
  if (!group.array.empty() && (!group.each_line.empty() || group.count != 1)) {
    return failure(ErrorKind::usage,
        said(in_file, "--array, --count and --each-line: one of them says how many tasks"));
  }
  if (const auto array = node::parse_array(group.array); !group.array.empty() && !array) {
    return failure(ErrorKind::usage, said(in_file, "--array: ") + array.error().text);
  }
  if (!group.entries.empty() &&
      (!group.array.empty() || !group.each_line.empty() || group.count != 1)) {
    return failure(ErrorKind::usage,
        "entries, count, array and each_line: one of them says how many tasks there are");
  }
  return {};
}

/// Fails if tasks want a line or an input that there is none of, or inputs that they cannot have.
Result<void> check_lines_and_inputs(const GroupRequest& group, bool in_file) {
  // Without a list the number of tasks is known here, and no task has a line of its own.
  const bool counted = group.each_line.empty() && group.array.empty() && group.entries.empty();
  if (counted && mentions_entry(group.spec)) {
    return failure(ErrorKind::usage,
        said(in_file,
            "%{ENTRY} stands for a line of --each-line or an index of --array, and there is none"));
  }
  if (counted && group.inputs.size() > 1 && group.inputs.size() != group.count) {
    return failure(ErrorKind::usage,
        std::to_string(group.inputs.size()) + " inputs for " + std::to_string(group.count) +
            (group.count == 1 ? " task" : " tasks") +
            ": give each task one, or all of them the same");
  }
  if (group.gang && !group.inputs.empty()) {
    return failure(ErrorKind::usage,
        "tasks that start together cannot have inputs in places of their own: leave out one of "
        "both");
  }
  return {};
}

Result<void> check(const GroupRequest& group) {
  const bool in_file = !group.where.empty();
  const bool is_script = !group.spec.script.empty();
  if (!is_script && (group.spec.command.empty() || group.spec.command.front().text.empty())) {
    return failure(ErrorKind::usage, "no command: what shall the tasks run?");
  }
  if (group.count == 0)
    return failure(ErrorKind::usage, said(in_file, "a job of 0 tasks: --count from 1"));
  // By the schema's bounds, as the agent checks it.
  if (const auto wrong = overlay::wrong_value(GroupTerms::count, group.count); !wrong.empty()) {
    return failure(ErrorKind::usage,
        said(in_file, std::string(overlay::long_flag(GroupTerms::count))) + ": " + wrong);
  }
  if (group.demand.cpu == 0) {
    return failure(ErrorKind::usage,
        "tasks that take 0 CPUs would all run at once on one node: say at least 0.001 (1m)");
  }
  if (group.constraints.size() > sched::Reserve::kConstraintsMax) {
    return failure(ErrorKind::usage,
        "more than " + std::to_string(sched::Reserve::kConstraintsMax) + " constraints");
  }
  if (auto fine = check_number_said_once(group, in_file); !fine) return fine;
  if (auto fine = check_lines_and_inputs(group, in_file); !fine) return fine;
  if (group.spec.truncate && !node::writes_files(group.spec)) {
    return failure(ErrorKind::usage,
        "truncate: there is no file that could begin empty; name one by stdout or stderr");
  }
  if (auto fine = node::check_limit_signal(group.spec, group.time_limit); !fine) return fine;
  if (auto fine = check_texts(group.spec, in_file); !fine) return fine;
  return node::check_placeholders(group.spec, !group.array.empty());
}

/// The name of a job without one: that of its program or script, as far as a name can hold it.
std::string name_of(const GroupRequest& group) {
  const std::string program = program_of(group);
  std::string name(program.substr(program.find_last_of('/') + 1));
  if (!node::is_utf8(name)) name = printable(name);
  if (name.size() <= sched::kJobNameMax) return name;
  std::size_t end = sched::kJobNameMax;
  while ((static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // Within a character.
  name.resize(end);
  return name;
}

/// What becomes of tasks that are to make room, or whose attempt was lost.
Result<void> check_stops(JobRequest& request) {
  const bool in_file = !request.groups.empty() && !request.groups.front().where.empty();
  const bool checkpoint =
      request.checkpoint_signal != 0 || request.checkpoint_time > overlay::Duration{0};
  // Said together with a signal, no word is needed: there is only one that it goes with.
  if (checkpoint && request.on_preempt.empty()) request.on_preempt = "checkpoint";
  if (checkpoint && request.on_preempt != "checkpoint") {
    return failure(ErrorKind::usage,
        "a signal or a time of checkpoints is of no use with on_preempt " + request.on_preempt +
            said(in_file, ": use --on-preempt checkpoint"));
  }
  if (request.rerun == "never") {
    const auto retries = [](const GroupRequest& group) { return group.retries != 0; };
    if (std::ranges::any_of(request.groups, retries)) {
      return failure(
          ErrorKind::usage, said(in_file, "retries run a task again, and --rerun says never"));
    }
    if (!request.on_preempt.empty() && request.on_preempt != "never") {
      return failure(ErrorKind::usage,
          said(in_file,
              "tasks that never run twice (--rerun) cannot make room for others and run again: "
              "leave "
              "out --on-preempt"));
    }
  }
  return {};
}

}  // namespace

Result<void> check_tasks(std::uint64_t tasks) {
  if (tasks <= std::uint64_t{sched::replica::PutGroup::kCountMax}) return {};
  return failure(ErrorKind::usage,
      std::to_string(tasks) + " tasks; a job has at most " +
          std::to_string(sched::replica::PutGroup::kCountMax));
}

Result<void> complete(JobRequest& request) {
  std::uint64_t tasks = 0;
  for (GroupRequest& group : request.groups) {
    if (!group.each_line.empty() && !(group.spec.command.empty() && group.spec.script.empty())) {
      auto given = give_line(group.spec);
      if (!given) return failure(ErrorKind::usage, group.where + given.error().text);
    }
    if (auto fine = check(group); !fine) {
      // By its place if it stands in a file, by its name if it has one: a user with ten groups must
      // find it.
      const std::string of = group.name.empty() ? "" : "group " + group.name + ": ";
      fine.error().text = group.where + of + fine.error().text;
      return fine;
    }
    // Lines of files and arrays count as one here: the code that reads them counts them.
    tasks += group.entries.empty() ? group.count : group.entries.size();
  }
  if (auto fine = check_tasks(tasks); !fine) return fine;
  if (!request.past_deadline.empty() && !request.deadline) {
    return failure(ErrorKind::usage,
        "there is no deadline that the job could miss: give one along with what is to become of "
        "it");
  }
  if (auto fine = check_stops(request); !fine) return fine;
  // The agent may have more replicas for each job, so those required are its to check, too.
  if (request.replicas > 0 && request.replicas_required > request.replicas) {
    return failure(ErrorKind::usage,
        std::to_string(request.replicas_required) + " replicas are required, and " +
            std::to_string(request.replicas) + (request.replicas == 1 ? " is" : " are") +
            " asked for: ask for more, or require fewer");
  }
  if (request.after.size() > sched::kAfterJobsMax) {
    return failure(ErrorKind::usage,
        "a job waits for at most " + std::to_string(sched::kAfterJobsMax) + " others");
  }
  if (auto fine = check_about(request.comment, request.labels); !fine) return fine;
  if (auto fine = check_texts(request.on_end); !fine) {
    return failure(ErrorKind::usage, "--on-end: " + fine.error().text);
  }
  if (request.name.empty()) request.name = name_of(request.groups.front());
  if (!node::is_utf8(request.name) || request.name.size() > sched::kJobNameMax) {
    return failure(ErrorKind::usage,
        "a job's name is at most " + std::to_string(sched::kJobNameMax) + " bytes of UTF-8 text");
  }
  return {};
}

}  // namespace dunlin::cli
