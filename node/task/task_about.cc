// SPDX-License-Identifier: MIT
#include "node/task/task_about.h"

#include <algorithm>
#include <string_view>

#include "node/command_size.h"
#include "node/task/ending.h"
#include "node/task/executor_impl.h"
#include "node/task/task_script.h"

// The look of a task that runs here to people: its owner, its job, its command. It is cut short,
// because it lies in memory for each task and goes into each list of them; a command may have a
// megabyte.
namespace dunlin::node {
namespace {

constexpr std::string_view kMore = "...";

/// The first `bytes_max` bytes of `word`, but no part of a character of UTF-8.
std::string beginning_of(std::string_view word, std::size_t bytes_max) {
  std::size_t end = std::min(word.size(), bytes_max);
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  while (end > 0 && end < word.size() && continues(word[end])) --end;
  return std::string(word.substr(0, end)) + std::string(end < word.size() ? kMore : "");
}

}  // namespace

TaskAbout about_task(const sched::Launch& launch, const TaskSpec& spec) {
  TaskAbout about{.owner = spec.owner, .job_name = launch.job_name, .command = {}};
  std::size_t left = kCommandShown;
  if (!spec.script.empty()) {
    const std::string_view line = first_line_of(spec.script);
    about.command.push_back(beginning_of(line, left));
    left -= std::min(left, line.size());
  }
  for (const auto& word : words_of(spec)) {
    if (about.command.size() == kWordsShown || left == 0) {
      about.command.emplace_back(kMore);
      break;
    }
    about.command.push_back(beginning_of(word.text, left));
    left -= std::min(left, word.text.size());
  }
  return about;
}

std::optional<TasksHere::Told> ExecutorImpl::about(
    const sched::TaskId& task, std::uint32_t attempt) const {
  const auto id = ids_.find(key_of(task, attempt));
  if (id == ids_.end()) return std::nullopt;
  const auto running = running_.find(id->second);
  if (running == running_.end()) return std::nullopt;
  return Told{.about = running->second.about,
      .slot = running->second.slot,
      .devices = running->second.devices,
      .use = uses_.find(id->second, now(loop_))};
}

const TasksHere& ProcessExecutor::tasks() const {
  return *impl_;
}

}  // namespace dunlin::node
