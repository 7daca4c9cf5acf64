// SPDX-License-Identifier: MIT
#include "node/client/outputs.h"

#include <chrono>
#include <string>
#include <utility>

#include "node/base64.h"
#include "node/client/frames.h"
#include "node/client/include/dunlin.h"

namespace dunlin::client {
namespace {

constexpr std::chrono::milliseconds kOutputRest{1000};

void hear(const std::shared_ptr<Output>& output, const Reply& reply, Later& later) {
  if (reply.last) output->asked = 0;
  if (reply.failed()) {
    const int status = reply.problem.status;
    if (status == DUNLIN_LOST) return;
    // A node that is away may come back; what is followed waits for it.
    const bool away = output->follow && status == DUNLIN_TIMEOUT;
    const bool busy = may_try_again(reply.problem, later.now(), output->busy_at);
    if (away || busy) {
      output->resting = true;
      later.in(busy ? pause_of(reply.problem) : kOutputRest, [output] { output->resting = false; });
      return;
    }
    output->problem = reply.problem;
    output->ended = true;
    return;
  }
  output->busy_at = {};
  const auto bytes = node::from_base64(text_of(reply.ok, "data"));
  const auto next = number_of<std::uint64_t>(reply.ok, "next");
  const auto attempt = number_of<std::uint32_t>(reply.ok, "attempt");
  // Attempts only grow. One that goes back would join the output of two attempts in one text.
  if (!bytes || bytes->size() > kMessageMax || attempt < output->attempt) {
    output->problem = {DUNLIN_CORRUPT, "the agent told of output that makes no sense"};
    output->ended = true;
    return;
  }
  output->attempt = attempt;
  // As the agent says, not by the bytes: of a new attempt it begins anew.
  output->offset = next;
  output->got += bytes->size();
  output->waiting += bytes->size();
  if (!bytes->empty()) output->chunks.push_back({attempt, *bytes});
  // A reply that is the last and not full: there is no more.
  const bool whole =
      flag_of(reply.ok, "ended") && next >= number_of<std::uint64_t>(reply.ok, "total");
  output->ended = reply.last && (whole || output->got < Output::kPiece);
}

void ask(const std::shared_ptr<Output>& output, Conversation& agent, Later& later) {
  const JobPtr& job = output->job;
  if (!output->ended && job->phase == Job::Phase::failed) {
    output->problem = job->problem;
    output->ended = true;
  }
  const bool waits = output->ended || output->asked != 0 || output->resting || job->id.empty() ||
      output->waiting >= Output::kPiece || !agent.has_room();
  if (waits) return;
  std::string members = "\"job\":" + json_text(job->id) +
      ",\"task\":" + std::to_string(output->task) +
      ",\"offset\":" + std::to_string(output->offset) +
      ",\"bytes_max\":" + std::to_string(Output::kPiece);
  if (output->attempt != 0) members += ",\"offset_attempt\":" + std::to_string(output->attempt);
  if (!job->lineage.empty()) members += ",\"lineage\":" + json_text(job->lineage);
  if (output->err) members += ",\"stream\":\"err\"";
  if (output->follow) members += ",\"follow\":true";
  output->got = 0;
  output->asked = agent.ask(
      "output", members, [output, &later](const Reply& reply) { hear(output, reply, later); });
}

}  // namespace

bool Outputs::add(const std::shared_ptr<Output>& output) {
  if (outputs_.size() >= kAtOnceMax) return false;
  outputs_.push_back(output);
  return true;
}

void Outputs::drop(const std::shared_ptr<Output>& output, Conversation& agent) {
  if (output->asked != 0) agent.stop(output->asked);
  std::erase(outputs_, output);
}

void Outputs::advance(Conversation& agent, Later& later) {
  for (const auto& output : outputs_) ask(output, agent, later);
}

void Outputs::fail_all(const Problem& why) {
  for (const auto& output : std::exchange(outputs_, {})) {
    output->problem = why;
    output->ended = true;
  }
}

}  // namespace dunlin::client
