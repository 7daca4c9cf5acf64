// SPDX-License-Identifier: MIT
#include "node/client/upload.h"

#include <utility>

#include "node/client/include/dunlin.h"

// Until the end is said the agent keeps nothing of it beyond the connection: if that breaks before,
// any agent may be given the job. From then on the node may have it.
namespace dunlin::client {

void Upload::begin(const JobPtr& job, const std::string& node, Conversation& agent, Done done) {
  now_ = std::make_shared<State>(State{.job = job, .node = node, .done = std::move(done)});
  const std::string members = job->members + ",\"key\":\"" + job->key + "\"";
  agent.ask("submit_begin", members, [this, state = now_](const Reply& reply) {
    if (state != now_) return;
    if (reply.failed()) return end(reply);
    state->number = number_of<std::uint32_t>(reply.ok, "upload");
    if (state->number == 0) {
      Reply odd;
      odd.problem = {DUNLIN_CORRUPT, "the agent began an upload and did not say which"};
      end(odd);
    }
  });
}

void Upload::advance(Conversation& agent) {
  while (now_ != nullptr && now_->number != 0 && agent.has_room()) {
    // Held here: an answer may end the upload.
    const auto state = now_;
    const auto& pieces = state->job->pieces;
    const std::string upload = "\"upload\":" + std::to_string(state->number);
    if (state->sent < pieces.size() && state->sent - state->answered < kUnderWayMax) {
      const std::string members = upload + "," + pieces[state->sent++];
      agent.ask("submit_lines", members, [this, state](const Reply& reply) {
        if (state != now_) return;
        ++state->answered;
        if (reply.failed()) end(reply);
      });
      continue;
    }
    // The end only when all pieces are answered: if one was refused, there is no job.
    if (state->answered < pieces.size() || state->said_end) return;
    state->said_end = true;
    // See above: from here on that node may have the job.
    state->job->node = state->node;
    agent.ask("submit_end", upload, [this, state](const Reply& reply) {
      if (state == now_) end(reply);
    });
  }
}

void Upload::end(const Reply& reply) {
  const auto state = std::exchange(now_, nullptr);
  state->done(reply);
}

}  // namespace dunlin::client
