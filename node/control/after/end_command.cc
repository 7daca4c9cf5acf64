// SPDX-License-Identifier: MIT
#include "node/control/after/end_command.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "node/base64.h"
#include "node/codec.h"
#include "node/control/agent_services.h"
#include "node/control/command_json.h"
#include "node/task/end_command.h"
#include "sched/frontend/job_changes.h"
#include "sched/task.h"

// A command that a job's home runs when the job has ended. It is checked as a task's is, but has no
// placeholders, because it belongs to no task: what it may know stands in variables.
namespace dunlin::node {
namespace {

/// Reads the output of the command piece by piece; it is on this node.
class EndOutputPending final : public Pending {
 public:
  EndOutputPending(OutputRequest request, std::uint64_t bytes_max)
      : request_(request),
        left_(bytes_max) {}

  overlay::Time due() const override { return due_; }

  bool advance(AgentServices& agent, const Reply& reply) override {
    // When a congested client has room again nobody says, so it is looked for.
    due_ = agent.now() + std::chrono::milliseconds(50);
    if (reply.congested()) return true;
    request_.bytes_max =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(OutputChunk::kDataMax, left_));
    const OutputChunk chunk = agent.read_output(request_);
    const std::uint64_t begin = request_.offset;
    request_.offset += chunk.data.size();
    left_ -= chunk.data.size();
    // An empty piece ends it, even before the total: what is missing may have expired.
    const bool more = left_ > 0 && request_.offset < chunk.total && !chunk.data.empty();
    Json json = {{"attempt", chunk.attempt}, {"offset", begin}, {"total", chunk.total},
        {"next", request_.offset}, {"ended", !chunk.found || chunk.ended},
        {"data", to_base64(chunk.data)}};
    more ? reply.part(std::move(json)) : reply.end(std::move(json));
    if (more) due_ = agent.now();
    return more;
  }

 private:
  OutputRequest request_;
  std::uint64_t left_;
  overlay::Time due_{};
};

std::string_view run_word(const sched::JobState& job) {
  const sched::EndCommand& command = job.progress().end_command;
  switch (command.run) {
    case sched::EndRun::none:
      break;
    case sched::EndRun::started:
      return "running";
    case sched::EndRun::ended:
      return sched::has_failed(command) ? "failed" : "done";
  }
  return "waiting";
}

}  // namespace

std::string parse_end_command(Args& args, const std::string& owner) {
  if (!args.has("on_end")) return {};
  Args said = args.object("on_end");
  TaskSpec spec;
  spec.owner = owner;
  for (std::string& word : said.byte_texts("command", TaskSpec::kCommandMax)) {
    if (word.find("%{") != std::string::npos) {
      said.fail("command",
          "without placeholders, which are for tasks: it has $DUNLIN_JOB, "
          "$DUNLIN_STATE and others");
    }
    spec.command.push_back({std::move(word)});
  }
  if (spec.command.empty()) said.fail("command", "a list of at least one text");
  spec.directory = said.bytes("directory", TaskSpec::kDirectoryMax);
  spec.submit_directory = spec.directory;
  if (auto fine = validate(spec); !fine) said.fail(fine.error());
  if (!args.check()) return {};  // A wrong one may be too large to encode.
  std::string bytes;
  encode(spec, bytes);  // With room for the variables that are added when it is run.
  return bytes;
}

Json end_command_json(const sched::JobState& job) {
  const std::string& bytes = job.job().end_command;
  if (bytes.empty()) return nullptr;
  const sched::EndCommand& command = job.progress().end_command;
  const auto spec = decode_task_spec(std::as_bytes(std::span(bytes)));
  return {{"command", spec ? command_json(*spec) : Json::array()}, {"state", run_word(job)},
      {"outcome", sched::kOutcomeWords[static_cast<std::size_t>(command.outcome)]},
      {"status", command.status},
      {"shell_status", sched::shell_status(command.outcome, command.status)},
      {"detail", command.detail}};
}

PendingResult read_end_output(
    const sched::JobState& job, OutputRequest request, std::uint64_t bytes_max) {
  const std::string number = std::to_string(job.id().number);
  if (job.job().end_command.empty()) {
    return failure(ErrorKind::not_found, "job " + number + " has no command for its end");
  }
  if (job.progress().end_command.run == sched::EndRun::none) {
    return failure(
        ErrorKind::not_found, "the command for the end of job " + number + " has not been run yet");
  }
  request.home = job.id().home;
  request.job = job.id().number;
  request.lineage = job.id().lineage;
  request.index = kEndCommandIndex;
  request.attempt = kEndCommandAttempt;
  return std::make_unique<EndOutputPending>(request, bytes_max);
}

}  // namespace dunlin::node
