// SPDX-License-Identifier: MIT
#include "node/client/inputs.h"

#include <algorithm>
#include <utility>

#include "node/base64.h"
#include "node/client/include/dunlin.h"

// Bytes that the program gives to a task, each of them once: what was sent may be with the task
// when a connection breaks, so it is never sent again, and such an input fails. Before the task has
// begun nothing was given, and then a broken connection costs nothing.
namespace dunlin::client {
namespace {

/// What an agent takes in one message.
constexpr std::size_t kPieceMax = std::size_t{48} << 10;

void fail(Input& input, const Problem& why) {
  input.over = true;
  input.problem = why;
}

}  // namespace

bool Inputs::add(const std::shared_ptr<Input>& input) {
  const auto given =
      std::ranges::count_if(inputs_, [](const auto& each) { return !each->dropped; });
  // Those that were dropped do not count: the program knows nothing of them any more.
  if (static_cast<std::size_t>(given) >= kAtOnceMax) return false;
  inputs_.push_back(input);
  return true;
}

void Inputs::drop(const std::shared_ptr<Input>& input, Conversation& agent) {
  if (!input->ready && !input->over && !input->job->over()) {
    // The task has not begun. If the agent were told now it would forget it, and the task would
    // wait for its input: so it is told when the task is there.
    input->dropped = true;
    return;
  }
  if (input->attached != 0 && !input->over) agent.stop(input->attached);
  std::erase(inputs_, input);
}

void Inputs::end_dropped(Conversation& agent) {
  std::erase_if(inputs_, [&agent](const auto& input) {
    if (!input->dropped) return false;
    const bool begun = input->ready && input->attached != 0;
    if (begun && !input->over) agent.stop(input->attached);
    return begun || input->over || input->job->over();
  });
}

void Inputs::advance(Conversation& agent) {
  end_dropped(agent);
  for (const auto& input : inputs_) {
    if (input->over) continue;
    if (input->job->phase == Job::Phase::failed) {
      fail(*input, input->job->problem);
    } else if (input->attached == 0) {
      attach(input, agent);
    } else {
      give(input, agent);
    }
  }
}

void Inputs::attach(const std::shared_ptr<Input>& input, Conversation& agent) {
  const Job& job = *input->job;
  if (job.id.empty() || !agent.has_room()) return;
  std::string members = "\"job\":" + json_text(job.id) + ",\"task\":" + std::to_string(input->task);
  if (!job.lineage.empty()) members += ",\"lineage\":" + json_text(job.lineage);
  input->attached = agent.ask("attach", members, [input](const Reply& reply) {
    const bool lost = reply.problem.status == DUNLIN_LOST;
    if (lost && !input->begun && !input->over) {
      // Nothing was given yet: the task may still wait for it.
      input->attached = 0;
      input->ready = false;
    } else if (reply.failed() && input->taken) {
      input->over = true;  // The task has all of it: the way is of no use any more.
    } else if (reply.failed() && !input->over) {
      fail(*input, reply.problem);
    } else {
      input->ready = true;
      input->over = input->over || reply.last;
    }
  });
}

void Inputs::give(const std::shared_ptr<Input>& input, Conversation& agent) {
  while (input->ready && !input->over && !input->said_end && agent.has_room()) {
    if (input->under_way >= kUnderWayMax) return;
    if (input->waiting.empty() && !input->end) return;
    const std::string piece = input->waiting.substr(0, kPieceMax);
    // Not kept for a second try: what was given once may be with the task, and must not come twice.
    input->waiting.erase(0, piece.size());
    input->said_end = input->end && input->waiting.empty();
    input->begun = true;
    ++input->under_way;
    std::string members = "\"attach\":" + std::to_string(input->attached) + ",\"data\":\"" +
        node::to_base64(piece) + '"';
    if (input->said_end) members += ",\"end\":true";
    agent.ask("input", members, [input](const Reply& reply) {
      // Pieces are answered when the task has taken them: so a task that reads slowly holds the
      // program up.
      --input->under_way;
      if (input->over) return;
      if (reply.failed()) return fail(*input, reply.problem);
      // With none under way the end was answered, too.
      input->taken = input->said_end && input->under_way == 0;
      input->over = flag_of(reply.ok, "closed") && !input->taken;
    });
  }
}

void Inputs::fail_all(const Problem& why) {
  for (const auto& input : std::exchange(inputs_, {})) {
    if (!input->over) fail(*input, why);
  }
}

}  // namespace dunlin::client
