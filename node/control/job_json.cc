// SPDX-License-Identifier: MIT
#include "node/control/job_json.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <signal.h>
#include <span>

#include "node/codec.h"
#include "node/control/after/after_jobs.h"
#include "node/control/after/end_command.h"
#include "node/control/after/stages.h"
#include "node/control/control_protocol.h"
#include "node/control/inputs/input_nodes.h"
#include "node/control/submit/label_json.h"
#include "node/control/submit/limit_signal_json.h"
#include "node/control/submit/script_json.h"
#include "node/control/submit/term_json.h"
#include "node/task/placeholders.h"
#include "node/task/soft_limits.h"
#include "node/task/task_array.h"
#include "node/task/variable_name.h"
#include "overlay/field_info.h"
#include "sched/constraints.h"
#include "sched/ledger/class_name.h"
#include "sched/replica/record.h"
#include "sched/resources.h"

// From a client's request to a job. Here is the last place at which all of it is looked at: what
// passes is stored, sent to workers and executed. So every number has bounds, every list a length,
// and what two members say together is compared. The first thing that is wrong is told by its place
// (groups[0].demand.cpu_milli), because people write these requests by hand.
namespace dunlin::node {
namespace {

constexpr std::size_t kArrayTextMax = 4096;

using GroupTerms = sched::replica::PutGroup::Terms;
using SpecTerms = TaskSpec::Terms;
static_assert(sched::replica::PutGroup::kCountMax == kSubmitTasksMax);

/// A number within the bounds of the term, or what it is by default.
std::int64_t number(Args& args, const overlay::FieldInfo& info) {
  return args.number(info.key, info.min, info.max, info.initial);
}

bool is_rate(std::string_view name) {
  return std::ranges::find(sched::kRates, name, &sched::Rate::key) != sched::kRates.end();
}

sched::Resources parse_demand(Args demand) {
  constexpr std::int64_t amount_max = std::numeric_limits<std::uint32_t>::max();
  sched::Resources resources;
  Args rates = demand.object("rates");
  const TermReader read(demand);
  const TermReader read_rate(rates);
  sched::Resources::terms(resources, [&](const overlay::FieldInfo& info, std::uint32_t& amount) {
    is_rate(info.key) ? read_rate(info, amount) : read(info, amount);
  });
  Args custom = demand.object("custom");
  if (custom.json().size() > sched::Resources::kCustomMax) {
    demand.fail("custom", "at most " + std::to_string(sched::Resources::kCustomMax) + " resources");
    return resources;
  }
  for (const auto& [name, unused] : custom.json().items()) {
    if (name.empty() || name.size() > sched::Amount::kNameMax) {
      demand.fail(
          "custom", "of names of 1 to " + std::to_string(sched::Amount::kNameMax) + " bytes");
    }
    // An amount called disk_read would be counted beside the rate of that name, and be held by no
    // one.
    if (is_rate(name)) demand.fail("custom", "no rates: those have a member of their own");
    sched::set_amount(
        resources, name, static_cast<std::uint32_t>(custom.number(name, 0, amount_max)));
  }
  for (const auto& [name, unused] : rates.json().items()) {
    if (!is_rate(name)) demand.fail("rates", "of disk_read, disk_write, net_in, net_out");
  }
  return resources;
}

constexpr const char* kInputWords[] = {"file", "client", "terminal"};

/// Where the input of the group's only task comes from, and the size of its terminal.
void parse_input(Args& group, TaskSpec& spec) {
  spec.rows = static_cast<std::uint16_t>(number(group, SpecTerms::rows));
  spec.columns = static_cast<std::uint16_t>(number(group, SpecTerms::columns));
  const std::string word = group.text("input", 16);
  const auto* known = std::ranges::find(kInputWords, word);
  if (word.empty()) return;
  if (known == std::end(kInputWords)) return group.fail("input", "file, client or terminal");
  spec.input = static_cast<TaskInput>(known - std::begin(kInputWords));
  if (spec.input == TaskInput::file) return;
  // What a client gives cannot be read again, so there is one task that reads it, and one attempt.
  const bool one_task = group.number("count", 0, kSubmitTasksMax, 1) == 1 &&
      group.list("entries", kSubmitTasksMax).empty() && !group.has("array");
  if (!one_task || number(group, GroupTerms::retries) != 0) {
    group.fail("input", "file where there are several tasks, or retries: a client gives it once");
  }
  if (!spec.stdin_path.empty()) group.fail("stdin", "missing where a client gives the input");
  const bool redirected = !spec.stdout_path.empty() || !spec.stderr_path.empty();
  if (spec.input == TaskInput::terminal && redirected) {
    group.fail("input", "file or client where output goes to files: a terminal is for both");
  }
}

/// The umask of the tasks, and the soft limits that they set themselves.
void parse_limits(Args& group, TaskSpec& spec) {
  constexpr std::int64_t umask_max = 0777;
  if (group.has("umask")) {
    // One more than the mask: 0 in a stored job stands for none.
    spec.umask = static_cast<std::uint16_t>(group.number("umask", 0, umask_max) + 1);
  }
  Args limits = group.object("limits");
  for (const auto& [name, unused] : limits.json().items()) {
    const auto number = limit_number(name);
    if (!number) {
      limits.fail(name, "one of " + limit_names());
      continue;
    }
    const std::int64_t max = limits.number(name, -1, std::numeric_limits<std::int64_t>::max());
    spec.limits.push_back(
        {.resource = *number, .max = max < 0 ? kUnlimited : static_cast<std::uint64_t>(max)});
  }
}

TaskSpec parse_spec(Args& group, const std::string& owner) {
  TaskSpec spec;
  spec.owner = owner;
  parse_words(group, spec);
  for (auto& [name, value] :
      group.byte_members("environment", TaskSpec::kEnvironmentMax, Variable::kValueMax)) {
    // The worker would drop another, and its task run without it.
    if (!is_variable_name(name)) {
      group.fail("environment", "of names " + std::string(kVariableNameRule));
    }
    spec.environment.push_back({std::move(name), std::move(value)});
  }
  spec.directory = group.bytes("directory", TaskSpec::kDirectoryMax);
  spec.stdin_path = group.bytes("stdin", TaskSpec::kStdinPathMax);
  spec.stdout_path = group.bytes("stdout", TaskSpec::kStdoutPathMax);
  spec.stderr_path = group.bytes("stderr", TaskSpec::kStderrPathMax);
  spec.truncate = group.flag("truncate");
  if (spec.truncate && !writes_files(spec)) {
    group.fail("truncate", "given along with stdout or stderr, a file that is to begin empty");
  }
  parse_input(group, spec);
  parse_limits(group, spec);
  spec.group_name = group.text("name", sched::kJobNameMax);
  spec.submit_directory = group.bytes("submit_directory", TaskSpec::kSubmitDirectoryMax);
  if (auto fine = validate(spec); !fine) group.fail(fine.error());
  spec.literal = group.flag("literal");
  if (auto fine = check_placeholders(spec, group.has("array")); !fine) group.fail(fine.error());
  return spec;
}

std::vector<sched::Constraint> parse_constraints(Args& group) {
  std::vector<sched::Constraint> constraints;
  for (const std::string& text : group.texts("constraints", sched::Reserve::kConstraintsMax)) {
    auto constraint = sched::parse_constraint(text);
    if (constraint) {
      constraints.push_back(std::move(*constraint));
    } else {
      group.fail(constraint.error());
    }
  }
  return constraints;
}

/// Makes the tasks of an array: the line of each is its index. False if the group is no array.
bool parse_task_array(Args& args, sched::TaskGroup& group) {
  const std::string text = args.text("array", kArrayTextMax);
  if (text.empty()) return false;
  if (args.has("count") || args.has("entries") || args.has("at_once")) {
    args.fail("array", "given without 'count', 'entries' and 'at_once'");
  }
  const auto array = parse_array(text);
  if (!array) {
    args.fail(array.error());
    return false;
  }
  for (const std::uint32_t index : array->indices) group.entries.push_back(std::to_string(index));
  group.count = static_cast<std::uint32_t>(group.entries.size());
  group.at_once = array->at_once;
  return true;
}

/// What becomes of the tasks of a job when others may take their room.
struct Yielding {
  sched::OnPreempt on_preempt = sched::OnPreempt::requeue;
  std::uint8_t signal = 0;
  sched::Duration time{0};
};

Yielding parse_yielding(Args& args, sched::Rerun rerun) {
  Yielding yielding;
  // What yields runs again, so such tasks never do.
  if (rerun == sched::Rerun::never) yielding.on_preempt = sched::OnPreempt::never;
  const std::string word = args.text("on_preempt", 16);
  const auto* known = std::ranges::find(sched::kOnPreemptWords, word);
  if (!word.empty() && known == std::end(sched::kOnPreemptWords)) {
    args.fail("on_preempt", overlay::one_of(sched::kOnPreemptWords));
  } else if (!word.empty()) {
    yielding.on_preempt = static_cast<sched::OnPreempt>(known - std::begin(sched::kOnPreemptWords));
  }
  // Read in any case, so that a wrong value is named before the lack of a checkpoint is.
  const auto& about = SpecTerms::checkpoint_signal;
  const auto signal = args.number(about.key, about.min, about.max, SIGUSR1);
  const auto time = number(args, SpecTerms::checkpoint_time);
  const bool checkpoint = yielding.on_preempt == sched::OnPreempt::checkpoint;
  if (!checkpoint && (args.has("checkpoint_signal") || args.has("checkpoint_time_ns"))) {
    args.fail("on_preempt", "checkpoint, if a signal or a time of checkpoints is given");
  }
  if (!checkpoint) return yielding;
  yielding.signal = static_cast<std::uint8_t>(signal);
  if (yielding.signal == SIGKILL || yielding.signal == SIGSTOP) {
    args.fail("checkpoint_signal", "one that a task can catch: not SIGKILL, not SIGSTOP");
  }
  yielding.time = sched::Duration{time};
  return yielding;
}

sched::Rerun parse_rerun(Args& args) {
  const std::string word = args.text("rerun", 16);
  const auto* known = std::ranges::find(sched::kRerunWords, word);
  if (word.empty()) return sched::Rerun::always;
  if (known == std::end(sched::kRerunWords)) {
    args.fail("rerun", overlay::one_of(sched::kRerunWords));
    return sched::Rerun::always;
  }
  return static_cast<sched::Rerun>(known - std::begin(sched::kRerunWords));
}

sched::TaskGroup parse_group(
    Args args, const std::string& owner, const Yielding& yielding, std::size_t& bytes) {
  sched::TaskGroup group;
  const TermReader read(args);
  sched::replica::PutGroup::terms(group, [&](const overlay::FieldInfo& info, auto& member) {
    // 0 may stand beside lines: these count.
    if (&info != &GroupTerms::count) read(info, member);
  });
  group.count = static_cast<std::uint32_t>(args.number("count", 0, kSubmitTasksMax, 1));
  Args demand = args.object("demand");
  // What nobody demanded may be estimated from earlier runs; what was demanded, even if it is the
  // default, is kept as it is.
  group.cpu_unsaid = !demand.has("cpu_milli");
  group.memory_unsaid = !demand.has("memory_mib");
  group.demand = parse_demand(demand);
  group.constraints = parse_constraints(args);
  TaskSpec spec = parse_spec(args, owner);
  group.once = spec.input != TaskInput::file;
  parse_limit_signal(args, group.time_limit, spec);
  spec.array = parse_task_array(args, group);
  spec.checkpoint_signal = yielding.signal;
  spec.checkpoint_time = yielding.time;
  if (!args.check()) return group;  // A wrong group may be too large to encode.
  encode(spec, group.spec);
  if (auto fine = set_inputs(group, args.texts("inputs", kSubmitTasksMax)); !fine) {
    args.fail(fine.error());
  }
  // The lines of all groups share one bound: see add_line().
  bytes += group.entries.text.size();
  for (const Json& entry : args.list("entries", kSubmitTasksMax)) {
    if (auto added = add_line(group, entry, bytes); !added) {
      args.fail(added.error());
      break;
    }
  }
  return group;
}

sched::PastDeadline parse_past_deadline(Args& args, const sched::Job& job) {
  const std::string word = args.text("past_deadline", 16);
  const auto* known = std::ranges::find(sched::kPastDeadlineWords, word);
  if (word.empty()) return sched::PastDeadline::run;
  if (known == std::end(sched::kPastDeadlineWords)) {
    args.fail("past_deadline", overlay::one_of(sched::kPastDeadlineWords));
    return sched::PastDeadline::run;
  }
  if (!job.deadline) args.fail("past_deadline", "given along with a deadline");
  return static_cast<sched::PastDeadline>(known - std::begin(sched::kPastDeadlineWords));
}

}  // namespace

sched::SubmitKey parse_submit_key(Args& args) {
  constexpr std::size_t kDigits = 32;
  const std::string text = args.text("key", kDigits);
  sched::SubmitKey key;
  if (text.empty()) return key;
  const char* const half = text.data() + text.size() / 2;
  const char* const end = text.data() + text.size();
  const bool whole = text.size() == kDigits &&
      std::from_chars(text.data(), half, key.high, 16).ptr == half &&
      std::from_chars(half, end, key.low, 16).ptr == end;
  if (!whole || key.empty()) args.fail("key", "32 hexadecimal digits, drawn by chance");
  return key;
}

Result<sched::Job> parse_job(const Json& request, const std::string& owner) {
  Args args(request);
  sched::Job job;
  sched::replica::PutJob::terms(job, TermReader(args));
  job.owner = args.text("owner", sched::kJobNameMax);
  // The connection knows its user. What the request says counts only where that is not known.
  if (!owner.empty()) job.owner = owner;
  job.service_class = args.text("class", sched::kClassNameMax);
  if (!job.service_class.empty()) {
    if (auto fine = sched::check_class_name(job.service_class); !fine) args.fail(fine.error());
  }
  job.past_deadline = parse_past_deadline(args, job);
  job.key = parse_submit_key(args);
  job.labels = parse_labels(args, sched::kLabelsMax, LabelsOf::job);
  (void)parse_after(args);  // For what is wrong with it: the jobs must be sought.
  job.end_command = parse_end_command(args, job.owner);
  job.rerun = parse_rerun(args);
  const Yielding yielding = parse_yielding(args, job.rerun);
  job.on_preempt = yielding.on_preempt;
  const Json& groups = args.list("groups", sched::kJobGroupsMax);
  if (groups.empty()) args.fail("groups", "a list of at least one task group");
  std::size_t bytes = 0;
  std::vector<std::vector<std::string>> after;
  // Ends at the first group that is wrong: a request may have a thousand like it.
  for (std::size_t i = 0; i < groups.size() && args.check(); ++i) {
    Args group = args.element("groups", groups, i);
    after.push_back(group.texts("after", sched::kJobGroupsMax));
    job.groups.push_back(parse_group(group, job.owner, yielding, bytes));
  }
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (auto fine = set_stages(job.groups, std::move(after)); !fine) {
    return tl::unexpected(fine.error());
  }
  return job;
}

}  // namespace dunlin::node
