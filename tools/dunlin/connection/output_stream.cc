// SPDX-License-Identifier: MIT
#include "tools/dunlin/connection/output_stream.h"

#include <algorithm>
#include <utility>

#include "node/base64.h"
#include "tools/dunlin/put.h"

// Users want each task's output in one piece, but a thousand tasks read one by one cost a thousand
// round trips. So the next few streams are asked for while the first is printed. Only their first
// pieces: most outputs are short, and memory stays bounded however long they are.
// A live stream has no order to keep. It is printed as it comes, since the user watches it.
// Every node is asked for its first stream at once, because one that is gone must be told soon, not
// when its turn comes; and the user waits for it once.
namespace dunlin::cli {
namespace {

constexpr std::size_t kRangesShown = 12;

}  // namespace

std::string ranges_text(std::vector<std::uint32_t> tasks) {
  std::ranges::sort(tasks);
  const auto twice = std::ranges::unique(tasks);
  tasks.erase(twice.begin(), twice.end());
  std::string text;
  std::size_t ranges = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::size_t first = i;
    while (i + 1 < tasks.size() && tasks[i + 1] == tasks[i] + 1) ++i;
    if (!text.empty()) text += ", ";
    // A thousand tasks that failed here and there must not fill the screen.
    if (++ranges > kRangesShown) return text + "...";
    text += std::to_string(tasks[first]);
    if (i > first) text += "-" + std::to_string(tasks[i]);
  }
  return text;
}

Result<void> OutputStream::add(const TaskStream& stream) {
  const auto [node, is_new] = nodes_.try_emplace(stream.node);
  // It did not answer for an earlier stream, and is not waited for again.
  if (node->second.silent) {
    node->second.left_out.push_back(stream.task);
    return {};
  }
  fetches_.push_back({.stream = stream, .data = {}});
  if (is_new && nodes_.size() <= kNodesAtOnce) {
    if (auto asked = ask(fetches_.back()); !asked) return asked;
  }
  return advance();
}

void OutputStream::leave_out(const std::string& node) {
  Node& silent = nodes_[node];
  silent.silent = true;
  for (Fetch& fetch : fetches_) {
    if (fetch.complete || fetch.stream.node != node) continue;
    silent.left_out.push_back(fetch.stream.task);
    fetch.complete = true;
    // An answer that comes after all is then nobody's: it would stand in the middle of another
    // task.
    fetch.id = 0;
  }
  report_left_out();
}

// Also called when all is over, hence the answer; what was told is not told again.
bool OutputStream::report_left_out() {
  for (auto& [name, node] : nodes_) {
    if (node.left_out.empty()) continue;
    left_out_ = true;
    before_print_();
    const std::string tasks = ranges_text(std::exchange(node.left_out, {}));
    const bool one = tasks.find_first_not_of("0123456789") == std::string::npos;
    say_("node " + name + " does not answer; the output of " + (one ? "task " : "tasks ") + tasks +
        " is left out");
  }
  return left_out_;
}

Result<void> OutputStream::ask(Fetch& fetch) {
  Json request = job_;
  request["task"] = fetch.stream.task;
  request["stream"] = fetch.stream.err ? "err" : "out";
  request["offset"] = fetch.offset;
  // An offset is of one attempt: if another one counts by now, the agent begins at its start.
  if (fetch.attempt != 0) request["offset_attempt"] = fetch.attempt;
  if (fetch.stream.live)
    request["follow"] = true;
  else
    request["bytes_max"] = kPieceBytes;
  const auto id = agent_.start("output", std::move(request));
  if (!id) return tl::unexpected(id.error());
  fetch.id = *id;
  return {};
}

// After the connection broke: from where each stream was, so that nothing is printed twice.
Result<void> OutputStream::resume() {
  for (Fetch& fetch : fetches_) {
    if (std::exchange(fetch.id, 0) == 0) continue;
    if (auto asked = ask(fetch); !asked) return asked;
  }
  return advance();
}

Result<bool> OutputStream::take(const Reply& reply) {
  const auto found = std::ranges::find(fetches_, reply.id, &Fetch::id);
  if (found == fetches_.end()) return false;
  Fetch& fetch = *found;
  if (reply.error) {
    // A task that never ran has no output, which is no error.
    const bool none = fetch.stream.live && reply.error->kind == ErrorKind::not_found;
    const bool silent = reply.error->kind == ErrorKind::timeout && !fetch.stream.node.empty();
    if (silent) leave_out(std::string(fetch.stream.node));
    if (!none && !silent && trouble_.empty()) trouble_ = reply.error->text;
    fetch.complete = true;
    fetch.id = 0;
  } else {
    const auto piece = node::from_base64(value<std::string>(reply.ok, "data"));
    const std::size_t got = piece ? piece->size() : 0;
    if (piece) fetch.data += *piece;
    const auto attempt = value<std::uint64_t>(reply.ok, "attempt");
    if (attempt != fetch.attempt) {  // Another one, from its beginning.
      fetch.attempt = attempt;
      fetch.offset = 0;
    }
    fetch.offset += got;
    if (reply.end) {
      fetch.id = 0;
      // An empty piece is the end, whatever the total says, because the rest may have expired.
      fetch.complete =
          fetch.stream.live || got == 0 || fetch.offset >= value<std::uint64_t>(reply.ok, "total");
    }
  }
  if (fetch.stream.live) {
    if (auto printed = print(fetch); !printed) return tl::unexpected(printed.error());
  }
  if (auto fine = advance(); !fine) return tl::unexpected(fine.error());
  return true;
}

Result<void> OutputStream::advance() {
  while (!fetches_.empty()) {
    Fetch& head = fetches_.front();
    if (auto printed = print(head); !printed) return printed;
    if (!head.complete) break;
    // The next task's label must not stand behind an unfinished line.
    if (labelled_ && head.mid_line) {
      if (auto ended = put(head.stream.err ? stderr : stdout, "\n"); !ended) return ended;
    }
    fetches_.pop_front();
  }
  const std::size_t count = std::min(fetches_.size(), kAtOnce);
  for (std::size_t i = 0; i < count; ++i) {
    Fetch& fetch = fetches_[i];
    // Only the first stream reads beyond its first piece; the others wait with it in memory.
    if (fetch.id != 0 || fetch.complete || (i != 0 && fetch.offset != 0)) continue;
    if (auto asked = ask(fetch); !asked) return asked;
  }
  return {};
}

Result<void> OutputStream::print(Fetch& fetch) {
  if (fetch.data.empty()) return {};
  before_print_();
  std::FILE* const to = fetch.stream.err ? stderr : stdout;
  const std::string text = labelled_ ? with_labels(fetch.data, fetch.stream.task, fetch.mid_line)
                                     : std::move(fetch.data);
  fetch.data.clear();
  return put(to, text);
}

std::string with_labels(std::string_view piece, std::uint32_t task, bool& mid_line) {
  const std::string label = std::to_string(task) + ": ";
  std::string text;
  // Pieces end anywhere: whether the last line did is carried on to the next one.
  for (const char c : piece) {
    if (!mid_line) text += label;
    text += c;
    mid_line = c != '\n';
  }
  return text;
}

}  // namespace dunlin::cli
