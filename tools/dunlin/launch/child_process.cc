// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char** environ;

// A child has three socket pairs instead of pipes: they do not block, and writing to a child that
// has closed its input is an error and no signal. Its end is a descriptor of its own (pidfd),
// because a stream may stay open after it: a master of ssh that it left behind holds it.
namespace dunlin::cli {
namespace {

/// What is kept of a stream: a step says a few lines. More is read, and dropped.
constexpr std::size_t kKeptBytesMax = 256 * 1024;

/// Closes once, however often it is called: a number of a file may be another's by then.
void close_if_open(int& fd) {
  if (fd >= 0) ::close(std::exchange(fd, -1));
}

/// A pipe or a socket pair, [0] ours.
struct Pair {
  int ours = -1;
  int theirs = -1;

  ~Pair() {
    close_if_open(ours);
    close_if_open(theirs);
  }
};

/// A pair of sockets: a child that reads no more is an error to see, and no SIGPIPE.
bool open_pair(Pair& pair) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  pair.ours = ends[0];
  pair.theirs = ends[1];
  return ::fcntl(pair.ours, F_SETFL, O_NONBLOCK) == 0;
}

/// Returns the error of posix_spawnp.
int spawn_with(const std::vector<std::string>& argv, const std::array<int, 3>& fds, pid_t& pid) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int to = 0; to < 3; ++to) {
    // A copy that dup2 makes does not close on exec: these three sockets go along, and no other
    // child's.
    ::posix_spawn_file_actions_adddup2(&actions, fds[static_cast<std::size_t>(to)], to);
  }
  const int code = ::posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return code;
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::vector<std::string>& argv) {
  Pair in;
  Pair out;
  Pair err;
  if (!open_pair(in) || !open_pair(out) || !open_pair(err)) {
    return failure_of(errno, "no sockets for a child: fewer hosts at a time (-P)");
  }
  std::unique_ptr<ChildProcess> child(new ChildProcess);
  if (const int code = spawn_with(argv, {in.theirs, out.theirs, err.theirs}, child->pid_);
      code != 0) {
    return failure_of(code, "cannot run " + argv[0]);
  }
  // The child cannot be reaped by another before this: only status() waits for it.
  child->ended_ = static_cast<int>(::syscall(SYS_pidfd_open, child->pid_, 0));
  child->in_ = std::exchange(in.ours, -1);
  child->out_.fd = std::exchange(out.ours, -1);
  child->err_.fd = std::exchange(err.ours, -1);
  return child;
}

ChildProcess::~ChildProcess() {
  close_if_open(in_);
  close_if_open(out_.fd);
  close_if_open(err_.fd);
  // Or a launch that was broken off would leave an ssh behind that goes on with its script.
  if (pid_ > 0 && !status_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  close_if_open(ended_);
}

void ChildProcess::feed(std::string_view bytes, bool last) {
  if (!bytes.empty()) pending_.push_back(bytes);
  no_more_ = no_more_ || last;
}

void ChildProcess::add_polls(std::vector<pollfd>& polls) const {
  // A socket is nearly always writable: without bytes to write poll() would never wait.
  if (in_ >= 0 && (!pending_.empty() || no_more_)) {
    polls.push_back({.fd = in_, .events = POLLOUT, .revents = 0});
  }
  for (const int fd : {out_.fd, err_.fd, ended_}) {
    if (fd >= 0) polls.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  }
}

bool ChildProcess::step() {
  // All three each time: a child that writes much before it reads must not stand still.
  const bool wrote = write_some();
  const bool heard = read_from(out_);
  const bool complained = read_from(err_);
  return wrote || heard || complained;
}

bool ChildProcess::write_some() {
  bool moved = false;
  while (in_ >= 0 && !pending_.empty()) {
    std::string_view& bytes = pending_.front();
    const ssize_t size = ::send(in_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return moved;
    // It reads no more: its status says why.
    if (size < 0) close_if_open(in_);
    if (size < 0) break;
    moved = true;
    bytes.remove_prefix(static_cast<std::size_t>(size));
    if (bytes.empty()) pending_.pop_front();
  }
  if (pending_.empty() && no_more_) close_if_open(in_);
  return moved;
}

bool ChildProcess::read_from(Stream& stream) {
  bool moved = false;
  std::array<char, 8192> piece;
  while (stream.fd >= 0) {
    const ssize_t size = ::recv(stream.fd, piece.data(), piece.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) break;
    if (size <= 0) {
      close_if_open(stream.fd);
      break;
    }
    moved = true;
    // Read on although nothing more is kept, or the child would wait for us for ever.
    const std::size_t room = kKeptBytesMax - stream.text.size();
    stream.text.append(piece.data(), std::min(static_cast<std::size_t>(size), room));
  }
  return moved;
}

// The end of the process counts, not that of its streams, which another process may hold open.
std::optional<int> ChildProcess::status() {
  if (status_) return status_;
  int raw = 0;
  if (::waitpid(pid_, &raw, WNOHANG) != pid_) return std::nullopt;
  step();  // What it wrote before its end.
  status_ = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
  return status_;
}

void ChildProcess::kill() {
  if (!status_) ::kill(pid_, SIGKILL);
}

}  // namespace dunlin::cli
