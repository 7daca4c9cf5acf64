// SPDX-License-Identifier: MIT
#include "node/codec.h"

#include "node/command_size.h"
#include "sched/kernel.h"

// A message that cannot be decoded is dropped as a whole. The texts of a task are checked when the
// job is taken, against bounds that make sure it can be encoded: later nobody is there to be told.
namespace dunlin::node {
// Argument-dependent lookup does not find these for numbers of attempts.
using sched::from_wire;
using sched::to_wire;
}  // namespace dunlin::node

#include "node/message.plain.h"
#include "overlay/packed.h"
#include "sched/message.h"

namespace dunlin::node {
namespace {

constexpr plain::Limits kLimits{.packed_max = kPackedMax, .unpacked_max = kUnpackedMax};
constexpr plain::Limits kSpecLimits{
    .packed_max = sched::Tasks::kSpecMax, .unpacked_max = kUnpackedMax};

// What validate() takes can be encoded: to each of its texts, packing adds at most 20 bytes for the
// pointer and the end, and to all of them two in each 2 KiB. It has a command or arguments.
static_assert(TaskSpec::kArgumentsMax == TaskSpec::kCommandMax);
constexpr std::size_t kTextsMax = TaskSpec::kCommandMax + 2 * TaskSpec::kEnvironmentMax + 9;
constexpr std::size_t kPathsMax = std::size_t{5} * TaskSpec::kDirectoryMax;
static_assert(
    kCommandBytesMax / 1024 * 1025 + kPathsMax + 20 * kTextsMax + 4096 <= sched::Tasks::kSpecMax);

Result<void> at_most(std::size_t max, std::size_t size, const std::string& what) {
  if (size <= max) return {};
  return failure(ErrorKind::usage,
      what + " is too long: " + std::to_string(size) + " where " + std::to_string(max) +
          " is the most");
}

/// All that `spec` says in words: `visit(name, text, most)` until one fails.
Result<void> for_each_text(const TaskSpec& spec, auto&& visit) {
  Result<void> result;
  const std::vector<Word>& words = words_of(spec);
  for (std::size_t i = 0; result && i < words.size(); ++i) {
    result = visit("argument " + std::to_string(i), words[i].text, Word::kTextMax);
  }
  for (std::size_t i = 0; result && i < spec.environment.size(); ++i) {
    const auto& [name, value] = spec.environment[i];
    result = visit("the name of an environment variable", name, Variable::kNameMax);
    if (result) result = visit("environment variable " + name, value, value_max(name));
  }
  if (result) result = visit("the directory", spec.directory, TaskSpec::kDirectoryMax);
  if (result) result = visit("the path of stdin", spec.stdin_path, TaskSpec::kStdinPathMax);
  if (result) result = visit("the path of stdout", spec.stdout_path, TaskSpec::kStdoutPathMax);
  if (result) result = visit("the path of stderr", spec.stderr_path, TaskSpec::kStderrPathMax);
  if (!result) return result;
  return visit("the submit directory", spec.submit_directory, TaskSpec::kSubmitDirectoryMax);
}

}  // namespace

void encode(const Message& message, std::string& out) {
  plain::pack<wire::Message>(message, kLimits, out);
}

std::optional<Message> decode(std::span<const std::byte> bytes) {
  return plain::unpack<wire::Message, Message>(bytes, kLimits);
}

void encode(const TaskSpec& spec, std::string& out) {
  plain::pack<wire::TaskSpec>(spec, kSpecLimits, out);
}

std::optional<TaskSpec> decode_task_spec(std::span<const std::byte> bytes) {
  return plain::unpack<wire::TaskSpec, TaskSpec>(bytes, kSpecLimits);
}

Result<void> validate(const TaskSpec& spec) {
  if (spec.command.empty() && spec.script.empty()) {
    return failure(ErrorKind::usage, "there is no command to run");
  }
  if (!spec.command.empty() && (!spec.script.empty() || !spec.arguments.empty())) {
    return failure(ErrorKind::usage, "there is a command, and arguments of a script beside it");
  }
  auto result = at_most(TaskSpec::kCommandMax, words_of(spec).size(), "the list of arguments");
  if (!result) return result;
  result = at_most(TaskSpec::kEnvironmentMax, spec.environment.size(), "the environment");
  if (!result) return result;

  result =
      for_each_text(spec, [&](const std::string& what, const std::string& text, std::size_t max) {
        return at_most(max, text.size(), what);
      });
  if (!result) return result;
  return check_command_bytes(spec);
}

}  // namespace dunlin::node
