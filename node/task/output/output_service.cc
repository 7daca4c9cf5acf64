// SPDX-License-Identifier: MIT
#include "node/task/output/output_service.h"

#include <utility>

// Output of tasks for other nodes, piece by piece. A request may wait for more to come (a long
// poll): files grow without telling anybody, so they are looked at twenty times a second, and only
// while somebody waits. The other half asks other nodes, and keeps a bounded number of answers.
namespace dunlin::node {
namespace {

// Files grow without telling anybody: look so often, and only while somebody waits.
constexpr overlay::Duration kLookPeriod = std::chrono::milliseconds(50);
constexpr overlay::Duration kWaitMax = std::chrono::seconds(30);

}  // namespace

OutputService::OutputService(uv_loop_t& loop, OutputStore& output, Send send)
    : loop_(loop),
      output_(output),
      send_(std::move(send)),
      wakeup_(loop, [this] { look_again(); }) {}

OutputChunk OutputService::read(const OutputRequest& request) {
  const sched::JobId job{.home = request.home, .number = request.job, .lineage = request.lineage};
  const auto attempt = request.attempt == 0 ? std::nullopt : std::optional(request.attempt);
  OutputPiece piece = output_.read({.job = job, .index = request.index}, attempt, request.stream,
      request.offset, std::min<std::uint32_t>(request.bytes_max, OutputChunk::kDataMax));
  return {.request = request.request,
      .found = piece.found,
      .ended = piece.ended,
      .attempt = piece.attempt,
      .total = piece.total,
      .data = std::move(piece.data),
      .cut_off = piece.cut_off,
      .at_limit = piece.at_limit};
}

void OutputService::on_message(const overlay::Endpoint& from, const OutputRequest& request) {
  OutputChunk chunk = read(request);
  const bool news = !chunk.data.empty() || chunk.ended;
  // With too many that wait, a request is answered as if it had not asked to: the asker then asks
  // again.
  if (news || request.wait == overlay::Duration{0} || waiting_.size() >= kWaitingMax) {
    send_(from, std::move(chunk));
    return;
  }
  // The bound is ours: the other node may ask for any time.
  const overlay::Time until = now(loop_) + std::min(request.wait, kWaitMax);
  waiting_.push_back({.from = from, .request = request, .until = until});
  if (waiting_.size() == 1) wakeup_.at(now(loop_) + kLookPeriod);
}

void OutputService::look_again() {
  std::erase_if(waiting_, [this](const Waiting& waiting) {
    OutputChunk chunk = read(waiting.request);
    const bool news = !chunk.data.empty() || chunk.ended || waiting.until <= now(loop_);
    if (news) send_(waiting.from, std::move(chunk));
    return news;
  });
  if (!waiting_.empty()) wakeup_.at(now(loop_) + kLookPeriod);
}

std::uint64_t OutputService::ask(const overlay::Endpoint& node, OutputRequest request) {
  // The oldest request that nobody came back for makes room.
  if (asked_.size() >= kAnswersMax) asked_.erase(asked_.begin());
  request.request = ++request_last_;
  asked_[request.request].node = node.id;
  const std::uint64_t number = request.request;
  send_(node, request);
  return number;
}

void OutputService::on_message(const overlay::Endpoint& from, const OutputChunk& chunk) {
  const auto asked = asked_.find(chunk.request);
  // Requests are numbered, not drawn by chance: an answer counts only from the node that was asked.
  if (asked == asked_.end() || asked->second.node != from.id) return;
  asked->second.answer = chunk;
}

std::optional<OutputChunk> OutputService::take(std::uint64_t request) {
  const auto asked = asked_.find(request);
  if (asked == asked_.end() || !asked->second.answer) return std::nullopt;
  std::optional<OutputChunk> answer = std::move(asked->second.answer);
  asked_.erase(asked);
  return answer;
}

}  // namespace dunlin::node
