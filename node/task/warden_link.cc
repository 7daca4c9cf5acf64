// SPDX-License-Identifier: MIT
#include "node/task/warden_link.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "node/signals.h"

// The warden is a child of the agent, with one end of a socket pair. Start and kill messages of an
// iteration leave in one write, because each wakes the warden. A warden that dies takes its tasks
// along; the link reports that once, and the executor starts another.
namespace dunlin::node {
namespace {

constexpr int kReadyMs = 5000;
constexpr int kEndMs = 15'000;  ///< Longer than the warden sweeps for.
constexpr std::size_t kBlock = 32u << 10;

}  // namespace

Result<std::string> find_warden() {
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  std::vector<std::string> candidates{here / "dunlin-warden", here / "../lib/dunlin/dunlin-warden"};
  if (const char* named = std::getenv("DUNLIN_WARDEN")) candidates = {named};
  for (const auto& candidate : candidates) {
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return failure(ErrorKind::not_found,
      "there is no executable " + candidates[0] +
          "; reinstall Dunlin, or name it in "
          "$DUNLIN_WARDEN");
}

Result<std::unique_ptr<WardenLink>> WardenLink::open(
    uv_loop_t& loop, const std::string& program, const warden::Hello& hello, Events events) {
  std::unique_ptr<WardenLink> link(new WardenLink(std::move(events)));
  if (auto started = link->start(loop, program); !started) return tl::unexpected(started.error());
  if (auto greeted = link->greet(hello); !greeted) return tl::unexpected(greeted.error());
  link->poll_ = make_handle<uv_poll_t>();
  uv_poll_init(&loop, link->poll_.get(), link->socket_);
  link->poll_->data = link.get();
  link->flush_ = make_handle<uv_prepare_t>();
  uv_prepare_init(&loop, link->flush_.get());
  link->flush_->data = link.get();
  link->listen();
  return link;
}

Result<void> WardenLink::start(uv_loop_t& loop, const std::string& program) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    return failure_of(errno, "cannot make a socket pair for the warden");
  }
  socket_ = pair[0];
  ::fcntl(socket_, F_SETFL, O_NONBLOCK);
  std::array<uv_stdio_container_t, warden::kSocketDescriptor + 1> stdio{};
  stdio[0].flags = UV_IGNORE;
  stdio[1].flags = UV_IGNORE;
  stdio[2] = {.flags = UV_INHERIT_FD, .data = {.fd = STDERR_FILENO}};
  stdio[warden::kSocketDescriptor] = {.flags = UV_INHERIT_FD, .data = {.fd = pair[1]}};
  std::string path = program;
  char* arguments[] = {path.data(), nullptr};
  uv_process_options_t options{};
  options.file = path.c_str();
  options.args = arguments;
  char* nothing[] = {nullptr};
  options.env = nothing;  // A warden needs none of the agent's variables, and one may be a secret.
  options.stdio = stdio.data();
  options.stdio_count = static_cast<int>(stdio.size());
  options.exit_cb = [](uv_process_t*, std::int64_t, int) {};  // The socket's end tells.
  process_ = make_handle<uv_process_t>();
  const int error = uv_spawn(&loop, process_.get(), &options);
  ::close(pair[1]);
  if (error != 0) {
    process_->pid = 0;
    return failure_of(-error, "cannot start the warden " + program);
  }
  return {};
}

Result<void> WardenLink::greet(const warden::Hello& hello) {
  const auto dead = [] {
    return failure(ErrorKind::io, "the warden ended at once; see the lines above");
  };
  warden::append_frame(out_, hello);
  if (::send(socket_, out_.data(), out_.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(out_.size())) {
    return dead();
  }
  out_.clear();
  while (!frames_.ready()) {
    pollfd polled{.fd = socket_, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&polled, 1, kReadyMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return failure(ErrorKind::timeout, "the warden did not answer within 5 s");
    char block[4096];
    const ssize_t got = ::recv(socket_, block, sizeof block, 0);
    if (got <= 0) return dead();
    frames_.append({block, static_cast<std::size_t>(got)});
  }
  const auto frame = *frames_.next();
  const auto ready = warden::parse<warden::Ready>(frame.body);
  if (frame.kind != warden::Kind::ready || !ready) return dead();
  if (!ready->error.empty()) return failure(ErrorKind::refused, ready->error);
  limits_ = ready->limits;
  return {};
}

WardenLink::~WardenLink() {
  const int pid = process_ ? process_->pid : 0;
  // Handles go before what they watch.
  poll_.reset();
  flush_.reset();
  process_.reset();
  if (socket_ >= 0) ::close(socket_);
  if (pid == 0) return;
  // By now libuv does not look for it any more, or it has reaped it already (ECHILD).
  for (int waited = 0; waited < kEndMs; ++waited) {
    if (::waitpid(pid, nullptr, WNOHANG) != 0) return;
    ::usleep(1000);
  }
  signal_process(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

void WardenLink::listen() {
  const int wanted = UV_READABLE | (writing_ ? UV_WRITABLE : 0);
  uv_poll_start(poll_.get(), wanted, [](uv_poll_t* handle, int status, int events) {
    auto& link = *static_cast<WardenLink*>(handle->data);
    if (status < 0) return link.die();
    if ((events & UV_WRITABLE) != 0) link.flush();
    if ((events & UV_READABLE) != 0 && !link.dead_) link.receive();
  });
}

void WardenLink::flush() {
  uv_prepare_stop(flush_.get());
  std::size_t begin = 0;
  while (begin < out_.size() && !dead_) {
    const ssize_t sent = ::send(socket_, out_.data() + begin, out_.size() - begin, MSG_NOSIGNAL);
    if (sent < 0) break;  // Full: go on when there is room. Broken: reading will tell.
    begin += static_cast<std::size_t>(sent);
  }
  out_.erase(0, begin);
  const bool writing = !out_.empty() && !dead_;
  if (writing != writing_) {
    writing_ = writing;
    listen();
  }
}

void WardenLink::receive() {
  std::array<char, kBlock> block;  // NOLINT(*-member-init): it is filled right now.
  const ssize_t got = ::recv(socket_, block.data(), block.size(), 0);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return die();
  if (got > 0) frames_.append({block.data(), static_cast<std::size_t>(got)});
  while (const auto frame = frames_.next()) {
    if (frame->kind == warden::Kind::exited) {
      if (const auto exited = warden::parse<warden::Exited>(frame->body)) events_.exited(*exited);
    } else if (frame->kind == warden::Kind::freed) {
      if (const auto freed = warden::parse<warden::Freed>(frame->body)) events_.freed(*freed);
    } else if (frame->kind == warden::Kind::note) {
      if (const auto note = warden::parse<warden::Note>(frame->body)) events_.note(note->text);
    }
  }
}

void WardenLink::die() {
  if (dead_) return;
  dead_ = true;
  uv_poll_stop(poll_.get());
  uv_prepare_stop(flush_.get());
  events_.died();
}

}  // namespace dunlin::node
