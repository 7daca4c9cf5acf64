// SPDX-License-Identifier: MIT
#include "node/control/job_json.h"

#include <algorithm>
#include <limits>

#include "node/codec.h"
#include "node/control/control_protocol.h"
#include "node/task/placeholders.h"
#include "sched/constraints.h"
#include "sched/ledger/class_name.h"
#include "sched/resources.h"

namespace dunlin::node {
namespace {

constexpr std::size_t kConstraintsMax = 8;
constexpr std::size_t kCustomMax = 8;
constexpr std::size_t kSpecBytesMax = 262'144;  // sched/message.capnp, Tasks.spec
constexpr std::size_t kCustomNameMax = 31;
constexpr std::int64_t kRetriesMax = 1000;
constexpr sched::Duration kTimeLimitMax = std::chrono::hours(24 * 49);  // 32 bits of ms

sched::Resources parse_demand(Args demand) {
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  sched::Resources resources;
  resources.cpu = static_cast<std::uint32_t>(demand.number("cpu_milli", 0, most, 1000));
  resources.memory = static_cast<std::uint32_t>(demand.number("memory_mib", 0, most, 0));
  Args custom = demand.object("custom");
  if (custom.json().size() > kCustomMax) demand.fail("custom", "at most 8 resources");
  for (const auto& [name, unused] : custom.json().items()) {
    if (name.empty() || name.size() > kCustomNameMax) {
      demand.fail("custom", "of names of 1 to 31 bytes");
    }
    sched::set_amount(resources, name, static_cast<std::uint32_t>(custom.number(name, 0, most)));
  }
  return resources;
}

TaskSpec parse_spec(Args& group) {
  TaskSpec spec;
  for (std::string& word : group.byte_texts("command", 4096))
    spec.command.push_back({std::move(word)});
  if (spec.command.empty()) group.fail("command", "a list of at least one text");
  Args environment = group.object("environment");
  for (const auto& [name, unused] : environment.json().items()) {
    spec.environment.push_back({name, environment.bytes(name, 32'768)});
  }
  spec.directory = group.bytes("directory", 4096);
  spec.stdout_path = group.bytes("stdout", 4096);
  spec.stderr_path = group.bytes("stderr", 4096);
  spec.submit_directory = group.bytes("submit_directory", 4096);
  if (auto fine = validate(spec); !fine) group.fail(fine.error());
  if (auto fine = check_placeholders(spec); !fine) group.fail(fine.error());
  return spec;
}

std::vector<sched::Constraint> parse_constraints(Args& group) {
  std::vector<sched::Constraint> constraints;
  for (const std::string& text : group.texts("constraints", kConstraintsMax)) {
    auto constraint = sched::parse_constraint(text);
    if (constraint) {
      constraints.push_back(std::move(*constraint));
    } else {
      group.fail(constraint.error());
    }
  }
  return constraints;
}

sched::TaskGroup parse_group(Args args, std::size_t& bytes) {
  sched::TaskGroup group;
  group.name = args.text("name", 127);
  group.count = static_cast<std::uint32_t>(args.number("count", 0, kTasksMax, 1));
  group.demand = parse_demand(args.object("demand"));
  group.constraints = parse_constraints(args);
  group.priority = static_cast<std::int16_t>(
      args.number("priority", sched::kPriorityMin, sched::kPriorityMax, sched::kPriorityDefault));
  group.retries = static_cast<std::uint16_t>(args.number("retries", 0, kRetriesMax, 0));
  group.time_limit = sched::Duration{args.number("time_limit_ns", 0, kTimeLimitMax.count(), 0)};
  group.duration = sched::Duration{args.number("duration_ns", 0, kTimeLimitMax.count(), 0)};
  const TaskSpec spec = parse_spec(args);
  if (!args.check()) return group;  // What is wrong may be too large to encode.
  encode(spec, group.spec);
  if (group.spec.size() > kSpecBytesMax) {
    args.fail("command", "with its environment, at most 256 KiB");
  }
  for (const Json& entry : args.list("entries", kTasksMax)) {
    if (auto added = add_line(group, entry, bytes); !added) {
      args.fail(added.error());
      break;
    }
  }
  return group;
}

}  // namespace

Result<sched::Job> parse_job(const Json& request) {
  Args args(request);
  sched::Job job;
  job.name = args.text("name", 127);
  job.owner = args.text("owner", 127);
  job.service_class = args.text("class", sched::kClassNameMax);
  if (!job.service_class.empty()) {
    if (auto fine = sched::check_class_name(job.service_class); !fine) args.fail(fine.error());
  }
  const Json& groups = args.list("groups", kGroupsMax);
  if (groups.empty()) args.fail("groups", "a list of at least one task group");
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < groups.size() && args.check(); ++i) {
    job.groups.push_back(parse_group(args.element("groups", groups, i), bytes));
  }
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  return job;
}

Json command_json(const TaskSpec& spec) {
  Json words = Json::array();
  for (const auto& word : spec.command) words.push_back(bytes_json(word.text));
  return words;
}

Result<void> add_line(sched::TaskGroup& group, const Json& line, std::size_t& bytes) {
  const auto text = text_bytes_of(line);
  if (!text || text->find('\0') != std::string::npos) {
    return failure(ErrorKind::usage, "every line of a group must be a text without zero bytes");
  }
  if (text->size() > kLineMax) {
    return failure(ErrorKind::usage,
        "line " + std::to_string(group.entries.size() + 1) + " is longer than 64 KiB");
  }
  bytes += text->size();
  if (bytes > kLinesMax) return failure(ErrorKind::usage, "more than 256 MiB of lines in one job");
  if (group.entries.size() >= kTasksMax) {
    return failure(ErrorKind::usage, "more than 1000000 tasks in one job");
  }
  group.entries.push_back(*text);
  group.count = static_cast<std::uint32_t>(group.entries.size());
  return {};
}

Result<void> check_size(const sched::Job& job) {
  std::uint64_t tasks = 0;
  for (const auto& group : job.groups) {
    if (group.count == 0) return failure(ErrorKind::usage, "a group of no tasks");
    tasks += group.count;
  }
  if (tasks > kTasksMax) {
    return failure(ErrorKind::usage,
        std::to_string(tasks) + " tasks; a job has at most " + std::to_string(kTasksMax));
  }
  return {};
}

}  // namespace dunlin::node
