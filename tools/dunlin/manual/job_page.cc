// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "config/manual/mdoc.h"
#include "overlay/field_info.h"
#include "sched/job.h"
#include "sched/replica/record.h"
#include "sched/resources.h"
#include "tools/dunlin/jobs/job_request.h"
#include "tools/dunlin/manual/manual.h"

// What a term may be is taken from the schemas, so a new term stands here by itself; its help there
// may be a word for readers of the schema, which a sentence below replaces.
namespace dunlin::cli {
namespace {

/// A key of a job file: what it does, in a sentence or two.
/// In the markup of the manual's own sources: a word between ` is as it stands in the file.
struct JobKeyText {
  std::string_view key;
  std::string_view text;
};

// Terms of the schemas with a help too short for readers that never saw the schema.
constexpr JobKeyText kJobTerms[] = {
    {"name", "The name of the job. Default: the command of its first group, without a directory"},
    {"deadline",
        "When the job should have ended: `\"10m\"` from the submit, `\"tomorrow 8:00\"` or "
        "`\"2026-11-22T18:00Z\"`. Default: never"},
    {"begin",
        "The job starts no task before: `\"10m\"` from the submit, `\"18:00\"`, or "
        "`\"2026-11-22T18:00Z\"`. Default: at once"},
    {"comment", "What you say of the job, for people. `dunlin job` shows it"},
    {"hold", "The job starts no task before `dunlin release`"},
    {"replicas",
        "Standbys on other machines that keep its records, and of which one goes on with the job "
        "when its home is gone. Default: `frontend.replicas` of the agent"},
    {"replicas_required",
        "Of its standbys, so many must have a record before anything is promised of it"},
};

// Keys that are no terms of a schema, because the program reads them in a way of its own.
constexpr JobKeyText kOtherJobKeys[] = {
    {"class", "The class whose share of the cluster it uses. Default: `\"default\"`"},
    {"past_deadline",
        "What becomes of a job that misses its deadline: `\"run\"`, it goes on (the default), or "
        "`\"cancel\"`"},
    {"on_preempt",
        "What becomes of tasks that are stopped so that others have room: `\"requeue\"`, they run "
        "again (the default); `\"checkpoint\"`, the same, but a signal comes before; "
        "`\"suspend\"`, they stand still and go on later; `\"never\"`, they are not stopped"},
    {"checkpoint_signal",
        "With `on_preempt = \"checkpoint\"`, the signal that tells a task's main process to save "
        "what it needs. Default: `\"USR1\"`"},
    {"checkpoint_time", "The time that it has for that, at most 24 hours. Default: `\"30s\"`"},
    {"after_jobs",
        "Jobs that must have ended before: `[\"12\", \"merlin.7:any\"]`. With `:any` it matters "
        "not how they ended, with `:failed` they must not have succeeded, with `:started+10m` they "
        "need only have begun so long ago. At most 32"},
    {"on_end",
        "A command that the job's home runs once when the job has ended: a list of words, or a "
        "text for /bin/sh"},
    {"rerun",
        "Whether a task runs again whose attempt was lost with its node: `\"always\"` (the "
        "default) "
        "or `\"never\"`, then it ends as lost, has no retries, and is not stopped for others"},
    {"labels",
        "What you say of the job to find it again: `{ team = \"lab3\" }`. At most 16. "
        "`dunlin jobs --label team=lab3` lists it"},
    {"allow_unsatisfiable",
        "The job is accepted though no node that is known could run it. Default: false"},
    {"group", "The groups of tasks, each a table `[[group]]`; one at least, at most 256"},
};

// In no order: the page has the order of the schema.
constexpr JobKeyText kGroupTerms[] = {
    {"name", "The name of the group, by which others wait for it"},
    {"count", "The number of its tasks"},
    {"cpus", "CPUs of each task: `2`, `0.5` or `\"250m\"`"},
    {"memory",
        "Memory of each task, with a unit: `\"4G\"`. Default: none is set aside, and there is no "
        "limit"},
    {"disk_read", "What each task reads from disks: `\"100M/s\"`. Default: none asked for"},
    {"disk_write", "What each task writes to disks, likewise"},
    {"net_in", "What each task receives by the network, likewise"},
    {"net_out", "What each task sends by the network, likewise"},
    {"time_limit", "The longest an attempt may run: `\"90s\"`, `\"1h30m\"`. Default: no limit"},
    {"duration",
        "About how long a task runs: jobs with little work left go first. Default: learned from "
        "tasks that finish"},
    {"priority", "Larger ones go first"},
    {"retries", "Failed attempts that are forgiven, for each task"},
    {"at_once", "So many of its tasks run at once at most. Default: as many as fit"},
    {"gang", "Its tasks start together, or none of them does"},
};

constexpr JobKeyText kOtherGroupKeys[] = {
    {"command",
        "What a task runs: a list of words, `[\"./render\", \"%{TASK_INDEX}\"]`, or one text for "
        "/bin/sh. Required, unless there is a script, of which these words are the arguments then"},
    {"script",
        "A text that goes along with the job, and is run by its first line, such as "
        "`#!/bin/bash`. At most 1 MiB"},
    {"script_file", "A file that holds it, read at the submit"},
    {"each_line",
        "A file: each of its lines makes a task, and stands for `%{ENTRY}`. `\"-\"`: standard "
        "input"},
    {"entries", "A list of such lines, in the job file itself"},
    {"array", "Indices of tasks: `\"0-99\"`, `\"1,3,5-8\"`, `\"0-99:2%10\"` (10 at once)"},
    {"resources", "Custom resources of each task: `{ gpu = 1 }`. At most 8"},
    {"constraints",
        "What the node must be: `[\"arch=x86_64\", \"kernel>=6.1\", \"ssd\"]`. At most 8"},
    {"after", "Names of groups whose tasks must all have succeeded before"},
    {"input", "The nodes that have the input of each task, and its size: `\"2G@merlin,hobby\"`"},
    {"inputs", "A list of such texts, one for each task, or a file of such lines"},
    {"env", "Variables of its tasks: `{ LEVEL = \"9\" }`"},
    {"cwd",
        "The directory in which its tasks run. `\"none\"`: an empty one for each. Default: that "
        "of the submit"},
    {"stdin", "A file on the node that its tasks read; `\"none\"`: nothing, the default"},
    {"stdout",
        "A file on the node that its tasks write to; `\"none\"` drops it. Default: output "
        "is kept, and `dunlin logs` prints it"},
    {"stderr", "The same for standard error"},
    {"truncate",
        "The files of `stdout` and `stderr` begin empty with each attempt. Default: false, it is "
        "appended"},
    {"literal", "The command has no placeholders: `%{` stands for itself. Default: false"},
    {"limit_signal",
        "A signal that all processes of a task get so long before its time limit: "
        "`\"USR2@30s\"`; without a time 60 s before. Default: none"},
    {"umask", "The mask of new files, in octal: `\"077\"`. Default: yours at the submit"},
    {"rlimit", "Soft limits of its tasks, as ulimit sets: `{ nofile = 4096, stack = \"64M\" }`"},
};

std::string key_item(std::string_view key, std::string text) {
  return config::list_item("Ic " + config::mdoc_word(key), std::move(text) + ".");
}

/// ". From 0 to 1000", ". At most 49d", ". At most 127 bytes", ". A bool: true or false".
template <typename Member>
std::string bounds_text(const overlay::FieldInfo& info) {
  using Value = std::decay_t<Member>;
  if constexpr (std::is_same_v<Value, bool>) return ". A bool: true or false";
  // Sizes and rates are bounded by their bits alone, which no job reaches.
  const bool huge = info.unit == overlay::FieldUnit::mib ||
      info.unit == overlay::FieldUnit::kib_per_second ||
      info.max == std::numeric_limits<std::int64_t>::max();
  if (huge) return "";
  if constexpr (std::is_same_v<Value, std::string>) {
    return ". At most " + std::to_string(info.max) + " bytes";
  }
  if (info.unit == overlay::FieldUnit::none) {
    return ". From " + overlay::say(info, info.min) + " to " + overlay::say(info, info.max);
  }
  return ". At most " + overlay::say(info, info.max);
}

/// A visitor that writes the item of each term of a record.
struct TermItems {
  std::span<const JobKeyText> texts;
  std::string& out;

  template <typename Member>
  void operator()(const overlay::FieldInfo& info, const Member&) const {
    const auto found = std::ranges::find(texts, info.toml, &JobKeyText::key);
    std::string text(found == texts.end() ? info.help : found->text);
    while (text.ends_with('.')) text.pop_back();
    text += bounds_text<Member>(info);
    if (text.find("Default: ") == text.npos && info.initial != 0) {
      text += ". Default: " + overlay::say(info, info.initial);
    }
    out += key_item(info.toml, std::move(text));
  }
};

std::string items_of(std::span<const JobKeyText> keys) {
  std::string text;
  for (const auto& [key, meaning] : keys) text += key_item(key, std::string(meaning));
  return text;
}

constexpr const char* kJobIntro = R"mdoc(.Sh DESCRIPTION
A job file says in TOML what a job is: what
.Xr dunlin-run 1
and
.Xr dunlin-submit 1
otherwise take from flags, and what only a file can say, several groups of tasks among it.
Keys of the job stand first, then a table
.Ic [[group]]
for each group of tasks of equal demand.
.Pp
Relative paths begin at the directory of the submit, those of
.Ic inputs
at the job file.
A mistake is refused with status 2; the message has the line and what was expected.
)mdoc";

constexpr const char* kJobPlaces = R"mdoc(.Sh PLACEHOLDERS
In the words of the command, the directory and the paths of output these are filled in for each
task.
The letters
.Ql %{
themselves are written
.Ql %%{ .
.Bl -tag -width Ds
.It Li %{TASK_INDEX}
The number of the task in its job, from 0.
.It Li %{TASK_COUNT}
How many tasks the job has.
.It Li %{GROUP_INDEX}
The number of the task in its group, from 0.
.It Li %{JOB_ID}
The number of the job.
.It Li %{ATTEMPT}
The number of the attempt, from 1.
.It Li %{ENTRY}
The line of the task, or its index of
.Ic array .
.It Li %{NODE}
The name of the node.
.It Li %{CWD}
The directory in which the task runs.
.It Li %{SUBMIT_DIR}
The directory of the submit.
.El
.Sh EXAMPLES
.Bd -literal -offset indent
name = "words"

[[group]]
name = "map"
command = ["./map", "%{ENTRY}"]
each_line = "parts.txt"
memory = "2G"
retries = 2

[[group]]
name = "reduce"
command = "./reduce counts/*"
after = ["map"]
.Ed
.Pp
.Dl dunlin submit \-f words.toml
)mdoc";

}  // namespace

config::ManualPage job_page() {
  const config::PageName name{"dunlin-job", 5};
  std::string job;
  const JobRequest any_job;
  sched::replica::PutJob::terms(any_job, TermItems{kJobTerms, job});
  std::string group;
  const GroupRequest any_group;
  sched::replica::PutGroup::terms(any_group, TermItems{kGroupTerms, group});
  // Groups say what a task needs by keys beside the others, though the record has them apart.
  sched::Resources::terms(any_group.demand, TermItems{kGroupTerms, group});
  const std::string begin = ".Bl -tag -width Ds\n";
  return {name,
      config::page_head(name) + config::name_section(name.name, "Job file of Dunlin") + kJobIntro +
          ".Sh KEYS OF THE JOB\n" + begin + job + items_of(kOtherJobKeys) +
          ".El\n.Sh KEYS OF A GROUP\n" + begin + group + items_of(kOtherGroupKeys) + ".El\n" +
          kJobPlaces +
          config::see_also_section(
              {{"dunlin-run", 1}, {"dunlin-submit", 1}, {"dunlin-job", 1}, {"dunlin", 7}})};
}

}  // namespace dunlin::cli
