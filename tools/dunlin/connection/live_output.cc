// SPDX-License-Identifier: MIT
#include "tools/dunlin/connection/live_output.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "node/base64.h"
#include "tools/dunlin/connection/output_stream.h"
#include "tools/dunlin/put.h"

// A request that follows a stream stays open until the attempt has ended, and an agent takes so
// many requests on one connection only. A job may run on thousands of CPUs. So streams take turns:
// the one that has been silent for longest is let go, and asked for again where it stopped, when
// its turn comes. A chatty stream keeps its place, but it cannot keep out more than one other.
namespace dunlin::cli {

Result<void> LiveOutput::follow(std::uint32_t task, std::uint32_t attempt, bool err) {
  waiting_.push_back({.task = task, .attempt = attempt, .err = err});
  return ask();
}

Result<void> LiveOutput::ask() {
  while (!waiting_.empty() && open_.size() < kAtOnce) {
    Stream& stream = waiting_.front();
    Json request = job_;
    request["task"] = stream.task;
    request["stream"] = stream.err ? "err" : "out";
    request["attempt"] = stream.attempt;
    request["offset"] = stream.offset;
    request["follow"] = true;
    const auto id = agent_.start("output", std::move(request));
    if (!id) return tl::unexpected(id.error());
    // Its turn begins now, although nothing was heard: else it would be let go at once.
    stream.heard = Clock::now();
    open_.emplace(*id, std::move(stream));
    waiting_.pop_front();
  }
  return {};
}

Result<bool> LiveOutput::take(const Reply& reply, Clock::time_point now) {
  const auto open = open_.find(reply.id);
  // Also of streams that were let go: what was under way is told again from the offset.
  if (open == open_.end()) return false;
  Stream& stream = open->second;
  std::string piece;
  if (reply.error) {
    // An attempt that never began to run has no output, which is no error.
    if (reply.error->kind != ErrorKind::not_found) {
      // By the reason, so that a node that is gone is told once, with all its tasks.
      left_out_[reply.error->text].emplace_back(stream.task, stream.attempt);
    }
  } else {
    piece = node::from_base64(value<std::string>(reply.ok, "data")).value_or("");
  }
  // What came, not what was printed: a line that waits for its end is kept here.
  stream.offset += piece.size();
  stream.heard = now;
  const bool last = reply.end || reply.error;
  if (auto printed = print(stream, piece, last); !printed) return tl::unexpected(printed.error());
  if (!last) return true;
  open_.erase(open);
  if (auto asked = ask(); !asked) return tl::unexpected(asked.error());
  return true;
}

Result<void> LiveOutput::resume() {
  // First again: they had their turn when the connection broke.
  for (auto& [id, stream] : open_) waiting_.push_front(std::move(stream));
  open_.clear();
  return ask();
}

Result<void> LiveOutput::tick(Clock::time_point now) {
  std::vector<std::pair<Clock::time_point, std::uint64_t>> silent;
  for (const auto& [id, stream] : open_) {
    if (now - stream.heard >= kTurn) silent.emplace_back(stream.heard, id);
  }
  // The longest silent first.
  std::ranges::sort(silent);
  // Nobody is let go for nothing: as many as others wait.
  silent.resize(std::min(silent.size(), waiting_.size()));
  for (const auto& [heard, id] : silent) {
    // What is on its way to us is dropped, and told again from this offset.
    const auto stopped = agent_.start("stop", {{"request", id}});
    if (!stopped) return tl::unexpected(stopped.error());
    auto stream = open_.extract(id);
    waiting_.push_back(std::move(stream.mapped()));
  }
  return ask();
}

Result<void> LiveOutput::print(Stream& stream, std::string_view piece, bool last) {
  stream.line += piece;
  const std::size_t end = stream.line.rfind('\n');
  std::size_t size = end == std::string::npos ? 0 : end + 1;
  // The rest of a line waits for its end, so that lines of two tasks do not mix; but not for ever.
  if (last || stream.line.size() - size >= line_max_) size = stream.line.size();
  if (size == 0) return {};
  std::string text;
  // Of the output here, not of the task: all tasks share two of them.
  bool& mid_line = mid_line_[stream.err ? 1 : 0];
  if (labelled_) {
    text = with_labels(std::string_view(stream.line).substr(0, size), stream.task, mid_line);
    if (std::exchange(mid_line, false)) text += '\n';
  } else {
    // What a task wrote last without an end of line keeps its bytes, if nothing comes behind it.
    if (mid_line) text += '\n';
    text.append(stream.line, 0, size);
    mid_line = text.back() != '\n';
  }
  stream.line.erase(0, size);
  before_print_();
  return put(stream.err ? stderr : stdout, text);
}

std::vector<std::string> LiveOutput::troubles() const {
  std::vector<std::string> sentences;
  for (const auto& [reason, attempts] : left_out_) {
    std::vector<std::uint32_t> tasks;
    for (const Attempt& attempt : attempts) {
      // What an attempt wrote that was made again is no loss.
      if (!replaced_.contains(attempt)) tasks.push_back(attempt.first);
    }
    if (tasks.empty()) continue;
    sentences.push_back(reason + "; output of task " + ranges_text(tasks) + " is left out");
  }
  return sentences;
}

}  // namespace dunlin::cli
