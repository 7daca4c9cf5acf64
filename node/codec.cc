// SPDX-License-Identifier: MIT
#include "node/codec.h"

#include "sched/kernel.h"

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

Result<void> at_most(std::size_t max, std::size_t size, const std::string& what) {
  if (size <= max) return {};
  return failure(ErrorKind::usage,
      what + " is too long: " + std::to_string(size) + " where " + std::to_string(max) +
          " is the most");
}

/// All that `spec` says in words: `visit(name, text, most)` until one fails.
Result<void> for_each_text(const TaskSpec& spec, auto&& visit) {
  Result<void> result;
  for (std::size_t i = 0; result && i < spec.command.size(); ++i) {
    result = visit("argument " + std::to_string(i), spec.command[i].text, Word::kTextMax);
  }
  for (std::size_t i = 0; result && i < spec.environment.size(); ++i) {
    const auto& [name, value] = spec.environment[i];
    result = visit("the name of an environment variable", name, Variable::kNameMax);
    if (result) result = visit("environment variable " + name, value, Variable::kValueMax);
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
  plain::pack<wire::TaskSpec>(spec, kLimits, out);
}

std::optional<TaskSpec> decode_task_spec(std::span<const std::byte> bytes) {
  return plain::unpack<wire::TaskSpec, TaskSpec>(bytes, kLimits);
}

Result<void> validate(const TaskSpec& spec) {
  if (spec.command.empty()) return failure(ErrorKind::usage, "there is no command to run");
  auto result = at_most(TaskSpec::kCommandMax, spec.command.size(), "the list of arguments");
  if (!result) return result;
  result = at_most(TaskSpec::kEnvironmentMax, spec.environment.size(), "the environment");
  if (!result) return result;

  std::size_t total = 0;
  result = for_each_text(
      spec, [&](const std::string& what, const std::string& text, std::size_t max) -> Result<void> {
        total += text.size();
        return at_most(max, text.size(), what);
      });
  if (!result) return result;
  // Far below what pack() insists on, so that it may be asked how much it is in the end.
  result = at_most(kUnpackedMax / 4, total, "the command with its environment");
  if (!result) return result;
  std::string packed;
  encode(spec, packed);
  return at_most(sched::Tasks::kSpecMax, packed.size(),
      "the command with its environment (in the file of a shell script, any length will do)");
}

}  // namespace dunlin::node
