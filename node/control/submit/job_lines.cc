// SPDX-License-Identifier: MIT
// The tasks of a job's groups: their lines, their number, their place.
#include <span>
#include <string>
#include <utility>

#include "node/codec.h"
#include "node/control/control_protocol.h"
#include "node/control/job_json.h"

namespace dunlin::node {

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
  if (group.entries.size() >= kSubmitTasksMax) {
    return failure(ErrorKind::usage, "more than 1000000 tasks in one job");
  }
  group.entries.push_back(*text);
  group.count = static_cast<std::uint32_t>(group.entries.size());
  return {};
}

void number_groups(sched::Job& job) {
  std::uint32_t first = 0;
  for (sched::TaskGroup& group : job.groups) {
    auto spec = decode_task_spec(std::as_bytes(std::span(group.spec)));
    if (spec) {
      spec->group_first = first;
      spec->group_size = group.count;
      std::string numbered;
      encode(*spec, numbered);
      if (numbered.size() <= sched::Tasks::kSpecMax) group.spec = std::move(numbered);
    }
    first += group.count;
  }
}

Result<void> check_size(const sched::Job& job) {
  std::uint64_t tasks = 0;
  for (const auto& group : job.groups) {
    if (group.count == 0) return failure(ErrorKind::usage, "a group of no tasks");
    tasks += group.count;
  }
  if (tasks > kSubmitTasksMax) {
    return failure(ErrorKind::usage,
        std::to_string(tasks) + " tasks; a job has at most " + std::to_string(kSubmitTasksMax));
  }
  return {};
}

}  // namespace dunlin::node
