// SPDX-License-Identifier: MIT
#include "node/task/task_command.h"

#include <cstdlib>

#include "node/task/placeholders.h"

namespace dunlin::node {
namespace {

/// Words and variables together: Linux allows less (a quarter of the stack limit, 2 MiB as a rule)
/// and says so; beyond this we need not ask.
constexpr std::size_t kBytesMost = 4u << 20;

/// "2", "0.5", "0.125".
std::string cpus(std::uint32_t milli) {
  auto text = std::to_string(milli / 1000);
  if (milli % 1000 == 0) return text;
  auto fraction = std::to_string(milli % 1000 + 1000).substr(1);
  fraction.resize(fraction.find_last_not_of('0') + 1);
  return text + "." + fraction;
}

/// The file a stream goes to, still with its placeholders; `live` if it is to be kept.
std::string stream_path(const std::string& wanted, const std::string& live) {
  if (wanted.empty()) return live;
  return wanted == "none" ? "/dev/null" : wanted;
}

}  // namespace

std::map<std::string, std::string> base_environment() {
  std::map<std::string, std::string> variables{
      {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}};
  for (const char* name : {"PATH", "HOME", "LANG", "USER"}) {
    if (const char* value = std::getenv(name)) variables[name] = value;
  }
  return variables;
}

Result<warden::Start> make_start(const sched::Launch& launch,
    const TaskSpec& spec,
    const TaskPlace& place,
    const std::map<std::string, std::string>& base) {
  const auto index = std::to_string(launch.task.index);
  const auto count = std::to_string(launch.task_count);
  const auto job = std::to_string(launch.task.job.number);
  const auto attempt = std::to_string(launch.attempt);
  PlaceholderValues values{.task_index = index,
      .task_count = count,
      .job_id = job,
      .attempt = attempt,
      .entry = launch.entry,
      .node = place.node,
      .cwd = {},
      .submit_dir = spec.submit_directory};
  std::size_t bytes = 0;
  const auto fill = [&](std::string_view text, std::string& to) -> Result<void> {
    auto filled = fill_placeholders(text, values, kBytesMost - bytes);
    if (!filled) return tl::unexpected(filled.error());
    bytes += filled->size();
    to = std::move(*filled);
    return {};
  };

  warden::Start start{.slot = place.slot,
      .cpu = launch.demand.cpu,
      .memory = launch.demand.memory,
      .directory = place.scratch,
      .out = place.live_out,
      .err = place.live_err,
      .measure_out = spec.stdout_path.empty(),
      .measure_err = spec.stderr_path.empty(),
      .words = {},
      .environment = {}};
  if (!spec.directory.empty()) {
    if (auto filled = fill(spec.directory, start.directory); !filled) {
      return tl::unexpected(filled.error());
    }
  }
  values.cwd = start.directory;
  if (!start.measure_out) {
    if (auto filled = fill(stream_path(spec.stdout_path, {}), start.out); !filled) {
      return tl::unexpected(filled.error());
    }
  }
  if (!start.measure_err) {
    if (auto filled = fill(stream_path(spec.stderr_path, {}), start.err); !filled) {
      return tl::unexpected(filled.error());
    }
  }
  if (spec.command.empty()) return failure(ErrorKind::usage, "there is no command");
  for (const auto& word : spec.command) {
    if (auto filled = fill(word.text, start.words.emplace_back()); !filled) {
      return tl::unexpected(filled.error());
    }
  }

  auto variables = base;
  for (const auto& [name, value] : spec.environment) {
    if (!name.empty() && name.find('=') == std::string::npos) variables[name] = value;
  }
  variables["DUNLIN_JOB_ID"] = job;
  variables["DUNLIN_JOB_NAME"] = launch.job_name;
  variables["DUNLIN_TASK_INDEX"] = index;
  variables["DUNLIN_TASK_COUNT"] = count;
  variables["DUNLIN_ATTEMPT"] = attempt;
  variables["DUNLIN_NODE"] = place.node;
  variables["DUNLIN_SLOT"] = std::to_string(place.slot);
  variables["DUNLIN_CPUS"] = cpus(launch.demand.cpu);
  variables["DUNLIN_MEMORY_MIB"] = std::to_string(launch.demand.memory);
  variables["DUNLIN_ENTRY"] = launch.entry;
  variables["DUNLIN_SUBMIT_DIR"] = spec.submit_directory;
  for (const auto& [name, value] : variables) {
    start.environment.push_back(name + "=" + value);
    bytes += start.environment.back().size();
  }
  if (bytes > kBytesMost) {
    return failure(ErrorKind::usage, "the command and its variables exceed 4 MiB");
  }
  return start;
}

}  // namespace dunlin::node
