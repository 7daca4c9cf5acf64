// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/task_feed.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

#include "node/base64.h"
#include "tools/dunlin/put.h"

// A piece is answered when the task has taken it, so a few pieces under way are the window: a task
// that reads slowly makes this process read slowly, and one that reads nothing costs four pieces.
// The terminal is taken over when the task has its own, not before: until then Ctrl-C is ours.
namespace dunlin::cli {

TaskFeed::~TaskFeed() {
  if (watched_) wake_.remove(from_);
  if (terminal_) wake_.remove(terminal_->resized_fd());
}

Result<void> TaskFeed::start() {
  const auto id = agent_.start("attach", {{"number", job_}, {"show", is_terminal_}});
  if (!id) return tl::unexpected(id.error());
  // Only now: replies to it may come with the next turn, and take() knows them by this id.
  attach_ = *id;
  struct stat input{};
  // A file is always readable, and poll() refuses some kinds of input (/dev/null in epoll): those
  // are simply read.
  always_ready_ = fstat(from_, &input) == 0 && S_ISREG(input.st_mode);
  return {};
}

Result<bool> TaskFeed::take(const Reply& reply) {
  if (reply.id == attach_) {
    if (auto shown = take_attached(reply); !shown) return tl::unexpected(shown.error());
  } else if (pieces_.erase(reply.id) != 0) {
    // A task that has ended, or reads no more, is no failure of the client that feeds it.
    if (reply.error || value<bool>(reply.ok, "closed")) ended_ = true;
    // The last piece is taken, so all before it are: what breaks from now on harms nothing.
    if (reply.id == last_ && !reply.error) given_ = true;
  } else {
    return false;
  }
  if (auto worked = work(); !worked) return tl::unexpected(worked.error());
  return true;
}

Result<void> TaskFeed::take_attached(const Reply& reply) {
  // An attach that fails after all was given takes nothing from the task any more.
  if (reply.error && !given_) trouble_ = reply.error;
  const auto shown = node::from_base64(value<std::string>(reply.ok, "data"));
  if (is_terminal_ && shown && !shown->empty()) {
    if (auto printed = put(stdout, *shown); !printed) return printed;
  }
  if (reply.end || reply.error) {
    attach_ = 0;
    ended_ = true;
    terminal_.reset();
    return {};
  }
  // The first reply says that the task has its input; the terminal is taken over once.
  if (attached_) return {};
  attached_ = true;
  if (!is_terminal_) return {};
  terminal_ = std::make_unique<RawTerminal>(from_);
  wake_.add(terminal_->resized_fd());
  return {};
}

Result<std::uint64_t> TaskFeed::give(Json piece) {
  piece["attach"] = attach_;
  const auto id = agent_.start("input", std::move(piece));
  if (!id) return tl::unexpected(id.error());
  pieces_.insert(*id);
  return *id;
}

Result<void> TaskFeed::work() {
  if (terminal_ && is_readable(terminal_->resized_fd())) {
    const TerminalSize size = terminal_->take_size();
    // Before any key: the task draws what it answers for the new size.
    auto given = give({{"rows", size.rows}, {"columns", size.columns}});
    if (!given) return tl::unexpected(given.error());
  }
  // As many pieces as the window allows, in one go.
  while (wants() && (always_ready_ || is_readable(from_))) {
    if (auto read = read_some(); !read) return read;
  }
  watch();
  return {};
}

Result<void> TaskFeed::read_some() {
  std::array<char, kPiece> piece;
  const ssize_t got = ::read(from_, piece.data(), piece.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return {};
  if (got < 0) {
    // Half of the input must not look to the task like all of it.
    trouble_ = failure_of(errno, "standard input cannot be read").value();
    return {};
  }
  ended_ = got == 0;
  const std::string_view data(piece.data(), static_cast<std::size_t>(got));
  const auto given = give({{"data", node::to_base64(data)}, {"end", got == 0}});
  if (!given) return tl::unexpected(given.error());
  if (got == 0) last_ = *given;
  return {};
}

void TaskFeed::on_lost() {
  if (attach_ == 0) return;
  attach_ = 0;
  // The end was given and taken: the warden has it, and the task does not notice the agent's death.
  const bool whole = ended_ && pieces_.empty() && !is_terminal_;
  // Ids of the old connection mean nothing to the new one.
  pieces_.clear();
  ended_ = true;
  terminal_.reset();
  watch();
  if (whole) return;
  trouble_ = failure(ErrorKind::io,
      is_terminal_ ? "the agent began anew, and the terminal of the task was lost with it"
                   : "the agent began anew, and the standard input of the task was lost with it")
                 .value();
}

void TaskFeed::watch() {
  const bool wanted = wants() && !always_ready_;
  // An input that is not wanted must not be watched: it stays readable, and the loop would never
  // rest.
  if (wanted == watched_) return;
  if (!wanted) {
    wake_.remove(from_);
  } else if (!wake_.add(from_)) {
    always_ready_ = true;
    return;
  }
  watched_ = wanted;
}

}  // namespace dunlin::cli
