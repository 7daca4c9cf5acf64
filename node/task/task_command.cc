// SPDX-License-Identifier: MIT
#include "node/task/task_command.h"

#include <algorithm>
#include <cstdlib>

#include "node/command_size.h"
#include "node/task/end_command.h"
#include "node/task/limit_signal.h"
#include "node/task/placeholders.h"
#include "node/task/soft_limits.h"
#include "node/task/task_script.h"
#include "node/warden/start_script.h"

// From what a user wrote to what the warden starts: the directory, the streams, the words and the
// variables of one attempt, with this task's values in place of placeholders. It is done at the
// node where the task runs, because some of the values (the node, the slot, the devices) are known
// only there. The spec comes from another node, perhaps of another version, so nothing of it is
// taken as checked, and all together has a bound.
namespace dunlin::node {
namespace {

/// Words and variables together: Linux allows less (a quarter of the stack limit, 2 MiB as a rule)
/// and says so; beyond this we need not ask.
constexpr std::size_t kBytesMax = 4u << 20;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

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

/// The numbers of a task as words and variables show them.
struct TaskNumbers {
  TaskNumbers(const sched::Launch& launch, const TaskSpec& spec)
      : index(std::to_string(launch.task.index)),
        count(std::to_string(launch.task_count)),
        job(std::to_string(launch.task.job.number)),
        attempt(std::to_string(sched::number_of(launch.attempt))) {
    if (spec.group_size == 0) return;
    group_index = std::to_string(launch.task.index - std::min(launch.task.index, spec.group_first));
    group_size = std::to_string(spec.group_size);
  }

  std::string index;
  std::string count;
  std::string job;
  std::string attempt;
  std::string group_index{};
  std::string group_size{};
};

/// Fills placeholders with one task's values, and counts the bytes of all that the task is given.
class Filler {
 public:
  /// `literal`: there are no placeholders.
  Filler(PlaceholderValues values, bool literal) : values_(values), literal_(literal) {}

  /// Fails like fill_placeholders(), with what earlier texts left of the bytes.
  Result<void> fill(std::string_view text, std::string& to) {
    auto filled = literal_ ? Result<std::string>(std::string(text))
                           : fill_placeholders(text, values_, kBytesMax - bytes_);
    if (!filled) return tl::unexpected(filled.error());
    bytes_ += filled->size();
    to = std::move(*filled);
    return {};
  }
  /// From here on %{CWD} is `directory`, which must outlive this.
  void enter(std::string_view directory) { values_.cwd = directory; }
  void count(const std::string& text) { bytes_ += text.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  PlaceholderValues values_;
  bool literal_;
  std::size_t bytes_ = 0;
};

warden::Input input_of(TaskInput input) {
  switch (input) {
    case TaskInput::client:
      return warden::Input::pipe;
    case TaskInput::terminal:
      return warden::Input::terminal;
    case TaskInput::file:
      break;
  }
  return warden::Input::file;
}

/// The directory comes first, because the paths of the streams may name it.
Result<void> fill_paths(const TaskSpec& spec, Filler& filler, warden::Start& start) {
  if (!spec.directory.empty()) {
    if (auto filled = filler.fill(spec.directory, start.directory); !filled) return filled;
  }
  filler.enter(start.directory);
  if (!spec.stdin_path.empty() && spec.stdin_path != "none") {
    if (auto filled = filler.fill(spec.stdin_path, start.in); !filled) return filled;
  }
  if (!start.measure_out) {
    if (auto filled = filler.fill(stream_path(spec.stdout_path, {}), start.out); !filled) {
      return filled;
    }
  }
  if (start.measure_err) return {};
  return filler.fill(stream_path(spec.stderr_path, {}), start.err);
}

/// A script is run by the words that the kernel would make of its #! line.
Result<void> begin_script(const TaskSpec& spec, const std::string& file, warden::Start& start) {
  auto interpreter = interpreter_of(spec.script);
  if (!interpreter) return tl::unexpected(interpreter.error());
  start.words.push_back(std::move(interpreter->program));
  if (!interpreter->argument.empty()) start.words.push_back(std::move(interpreter->argument));
  start.words.push_back(file);
  return {};
}

Result<void> fill_words(
    const TaskSpec& spec, const std::string& script, Filler& filler, warden::Start& start) {
  if (!spec.script.empty()) {
    if (auto begun = begin_script(spec, script, start); !begun) return begun;
  } else if (spec.command.empty()) {
    return failure(ErrorKind::usage, "there is no command");
  }
  for (const auto& word : words_of(spec)) {
    if (auto filled = filler.fill(word.text, start.words.emplace_back()); !filled) return filled;
  }
  return {};
}

std::string listed(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) {
    if (!text.empty()) text += ',';
    text += std::to_string(number);
  }
  return text;
}

/// What CUDA programs go by. A task that asked for no GPU sees none, lest it uses another's; unless
/// its own variables say that it knows better.
void set_cuda_defaults(const TaskPlace& place, std::map<std::string, std::string>& variables) {
  if (!place.has_gpus) return;
  variables["CUDA_VISIBLE_DEVICES"] = "";
  // Else CUDA numbers the fastest first, and nvidia-smi does not.
  variables["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
}

void set_devices(const TaskPlace& place, std::map<std::string, std::string>& variables) {
  // Always there: without it a script with `set -u` would end on nodes that have no GPUs.
  variables[device_variable("gpu")] = "";
  for (const TaskDevices& each : place.devices) {
    variables[device_variable(each.resource)] = listed(each.numbers);
    if (each.resource != "gpu" || each.numbers.empty()) continue;
    variables["CUDA_VISIBLE_DEVICES"] = listed(each.numbers);
  }
}

/// `base`, overridden by the spec's variables, overridden by ours.
std::map<std::string, std::string> environment_of(const sched::Launch& launch,
    const TaskNumbers& numbers,
    const TaskSpec& spec,
    const TaskPlace& place,
    const std::map<std::string, std::string>& base) {
  auto variables = base;
  set_cuda_defaults(place, variables);
  for (const auto& [name, value] : spec.environment) {
    // Checked at the submit; a frontend of another version may not have.
    if (!name.empty() && name.find('=') == std::string::npos) variables[name] = value;
  }
  variables["DUNLIN_JOB_ID"] = numbers.job;
  variables["DUNLIN_JOB_NAME"] = launch.job_name;
  variables["DUNLIN_TASK_INDEX"] = numbers.index;
  variables["DUNLIN_TASK_COUNT"] = numbers.count;
  variables["DUNLIN_GROUP"] = spec.group_name;
  variables["DUNLIN_GROUP_INDEX"] = numbers.group_index;
  variables["DUNLIN_GROUP_SIZE"] = numbers.group_size;
  variables["DUNLIN_ATTEMPT"] = numbers.attempt;
  variables["DUNLIN_PREEMPTIONS"] = std::to_string(launch.yield.preemptions);
  variables["DUNLIN_NODE"] = place.node;
  variables["DUNLIN_SLOT"] = std::to_string(place.slot);
  variables["DUNLIN_CPUS"] = cpus(launch.demand.cpu);
  variables["DUNLIN_MEMORY_MIB"] = std::to_string(launch.demand.memory);
  variables["DUNLIN_ENTRY"] = launch.entry;
  variables["DUNLIN_ARRAY_INDEX"] = spec.array ? launch.entry : "";
  // By this node's clock: what came from the frontend is the time left.
  variables["DUNLIN_DEADLINE"] =
      launch.due_in ? std::to_string((place.now_ns + launch.due_in->count()) / kNsPerSecond) : "";
  variables["DUNLIN_SUBMIT_DIR"] = spec.submit_directory;
  set_devices(place, variables);
  if (!is_end_command(launch.task.index)) return variables;
  for (const char* const name :
      {"DUNLIN_TASK_INDEX", "DUNLIN_GROUP", "DUNLIN_GROUP_INDEX", "DUNLIN_GROUP_SIZE",
          "DUNLIN_ATTEMPT", "DUNLIN_PREEMPTIONS", "DUNLIN_SLOT", "DUNLIN_CPUS", "DUNLIN_MEMORY_MIB",
          "DUNLIN_ENTRY", "DUNLIN_ARRAY_INDEX", "DUNLIN_DEADLINE", "DUNLIN_GPUS"}) {
    // A command for a job's end is no task of it: words about one would only mislead.
    variables.erase(name);
  }
  return variables;
}

/// KiB/s; 0: none. An estimate is no limit: a task held to it never shows that it is too little.
std::uint32_t limit_of(const sched::Launch& launch, std::uint32_t sched::Resources::* amount) {
  return sched::holds(launch.guessed, amount) ? 0 : launch.demand.*amount;
}

}  // namespace

std::map<std::string, std::string> base_environment() {
  std::map<std::string, std::string> variables{
      {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}};
  // Nothing else of the agent's: its variables may hold secrets, and tasks would depend on how it
  // was started.
  for (const char* name : {"PATH", "HOME", "LANG", "USER"}) {
    if (const char* value = std::getenv(name)) variables[name] = value;
  }
  return variables;
}

Result<warden::Start> make_start(const sched::Launch& launch,
    const TaskSpec& spec,
    const TaskPlace& place,
    const std::map<std::string, std::string>& base) {
  const TaskNumbers numbers(launch, spec);
  const PlaceholderValues values{.task_index = numbers.index,
      .task_count = numbers.count,
      .group_index = numbers.group_index,
      .job_id = numbers.job,
      .attempt = numbers.attempt,
      .entry = launch.entry,
      .node = place.node,
      .cwd = {},
      .submit_dir = spec.submit_directory};
  Filler filler(values, spec.literal);
  warden::Start start{.slot = place.slot,
      .cpu = launch.demand.cpu,
      .memory = launch.demand.memory,
      .disk_read = limit_of(launch, &sched::Resources::disk_read),
      .disk_write = limit_of(launch, &sched::Resources::disk_write),
      .net_in = limit_of(launch, &sched::Resources::net_in),
      .net_out = limit_of(launch, &sched::Resources::net_out),
      .directory = place.scratch,
      .out = place.live_out,
      .err = place.live_err,
      .in = {},
      .input = input_of(spec.input),
      .rows = spec.rows,
      .columns = spec.columns,
      .measure_out = spec.stdout_path.empty(),
      // A terminal shows both, and what it shows is kept as one.
      .measure_err = spec.stderr_path.empty() && spec.input != TaskInput::terminal,
      .words = {},
      .environment = {}};
  if (auto filled = fill_paths(spec, filler, start); !filled) {
    return tl::unexpected(filled.error());
  }
  if (auto filled = fill_words(spec, place.script, filler, start); !filled) {
    return tl::unexpected(filled.error());
  }
  start.umask = spec.umask;
  if (start.input != warden::Input::terminal) start.set_truncate(spec.truncate);
  for (const SoftLimit& limit : spec.limits) {
    if (limit.resource >= kLimitNames.size()) continue;  // A newer frontend's.
    start.limits.push_back({.resource = kLimitNames[limit.resource].resource, .max = limit.max});
  }
  if (const auto after = limit_signal_after(spec, launch.time_limit)) {
    start.set_signal(spec.limit_signal, *after);
  }
  for (const auto& [name, value] : environment_of(launch, numbers, spec, place, base)) {
    start.environment.push_back(name + "=" + value);
    filler.count(start.environment.back());
  }
  if (filler.bytes() > kBytesMax) {
    return failure(ErrorKind::usage, "the command and its variables exceed 4 MiB");
  }
  if (!spec.script.empty()) warden::set_script(start, {.path = place.script, .text = spec.script});
  return start;
}

}  // namespace dunlin::node
