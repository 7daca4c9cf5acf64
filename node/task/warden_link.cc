// SPDX-License-Identifier: MIT
#include "node/task/warden_link.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "node/kernel/descriptor.h"
#include "node/signals.h"

// A warden is found by its socket, and one that lives has tasks to hand over. If none is there, one
// is started, and found in the same way. Two states lie between: a warden that ends is still there
// and listens no more, and a new one finds its directory locked. Both pass, so the search goes on
// until its patience is over.
// Start and kill messages of an iteration leave in one write, because each wakes the warden. A
// warden that dies takes its tasks along; the link reports that once, and the executor starts
// another.
namespace dunlin::node {
namespace {

constexpr int kEndMs = 15'000;  ///< Longer than the warden sweeps for.
constexpr int kReapMs = 2000;
constexpr unsigned kPauseUs = 2000;
/// Between two tries to be the warden of a directory, while an earlier one ends there.
constexpr unsigned kSecondPauseUs = 50'000;
constexpr std::size_t kBlock = 32u << 10;
constexpr overlay::Duration kLater = std::chrono::seconds(1);

/// A file or a socket; closed when it goes.
struct Descriptor {
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number;
};

/// The connection to the warden of a directory; -1 if none listens there.
Result<int> connect_in(const std::string& path) {
  // Without following a link: the owner of a directory on the way could set one.
  const Descriptor directory(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (directory.number < 0 && errno == ENOENT) return -1;
  if (directory.number < 0) return failure_of(errno, "cannot enter " + path);
  const int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (connection < 0) return failure_of(errno, "no socket to the warden");
  // By the descriptor, because the path of a socket may have 107 bytes at most.
  const std::string name =
      "/proc/self/fd/" + std::to_string(directory.number) + "/" + warden::kSocketFile;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.c_str(), name.size());
  if (::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return connection;
  }
  const int error = errno;
  ::close(connection);
  if (error == ENOENT || error == ECONNREFUSED || error == EAGAIN) return -1;
  return failure_of(error, "cannot reach the warden at " + path + "/" + warden::kSocketFile);
}

Result<std::string> read_secret(const std::string& directory) {
  const std::string path = directory + "/" + warden::kSecretFile;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.number < 0) return failure_of(errno, "cannot read " + path);
  std::string secret(warden::kSecretSize + 1, '\0');
  const ssize_t got = ::read(file.number, secret.data(), secret.size());
  // One byte more was asked for, so a file that is too long is told apart, and refused as wrong.
  secret.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return secret;
}

/// The process at the other end; 0 if it is another user's.
int process_of(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return 0;
  return peer.uid == ::geteuid() ? peer.pid : 0;
}

}  // namespace

WardenLink::WardenLink(uv_loop_t& loop, Events events)
    : loop_(loop),
      events_(std::move(events)),
      later_(loop, [this] {
        flush();
        tell();
      }) {}

Result<std::unique_ptr<WardenLink>> WardenLink::open(
    uv_loop_t& loop, const Options& options, Events events) {
  std::unique_ptr<WardenLink> link(new WardenLink(loop, std::move(events)));
  if (auto found = link->find(options); !found) return tl::unexpected(found.error());
  link->watch();
  return link;
}

void WardenLink::watch() {
  poll_ = make_handle<uv_poll_t>();
  uv_poll_init(&loop_, poll_.get(), socket_);
  poll_->data = this;
  flush_ = make_handle<uv_prepare_t>();
  uv_prepare_init(&loop_, flush_.get());
  flush_->data = this;
  listen();
  // What came behind the list raises no event.
  if (frames_.ready()) later_.at(now(loop_));
}

// Blocks the loop, as opening an agent may. All other talk to the warden goes through watch().
Result<void> WardenLink::find(const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < options.patience) {
    const auto connection = connect_in(options.directory);
    if (!connection) return tl::unexpected(connection.error());
    if (*connection >= 0) {
      socket_ = *connection;
      const auto greeted = greet(options);
      if (!greeted) return tl::unexpected(greeted.error());
      if (*greeted == Greeted::well) return list(static_cast<int>(options.patience.count()));
      hang_up();
    } else if (!options.service && !process_.started()) {
      const auto program =
          options.program.empty() ? find_warden() : Result<std::string>(options.program);
      if (!program) return tl::unexpected(program.error());
      if (auto started = process_.start(loop_, *program, options.directory); !started) {
        return started;
      }
    }
    if (const auto status = process_.take_end()) {
      const bool second = WIFEXITED(*status) && WEXITSTATUS(*status) == warden::kExitSecond;
      // kExitSecond: another warden holds the lock. It ends soon, or listens soon.
      if (!second) {
        return failure(ErrorKind::io, "the warden ended at once; see the lines above");
      }
      ::usleep(kSecondPauseUs);
    }
    ::usleep(kPauseUs);
  }
  return failure(ErrorKind::timeout,
      options.service
          ? "no warden listens in " + options.directory + "; start the service dunlin-warden"
          : "the warden in " + options.directory + " did not answer in time");
}

// The listener must be of this user: anybody could make a socket where this directory was, and
// would be told the secret.
Result<WardenLink::Greeted> WardenLink::greet(const Options& options) {
  pid_ = process_of(socket_);
  if (pid_ == 0) {
    return failure(ErrorKind::refused, "another user's process listens in " + options.directory);
  }
  auto secret = read_secret(options.directory);
  if (!secret) return tl::unexpected(secret.error());
  std::string out;
  warden::append_frame(out,
      warden::Hello{.greeting = {.incarnation = options.incarnation, .secret = std::move(*secret)},
          .settings = options.settings});
  // It hung up: it ends, or it was replaced between two looks at its directory.
  if (::send(socket_, out.data(), out.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(out.size())) {
    return Greeted::ends;
  }
  const auto frame = await_frame(static_cast<int>(options.patience.count()));
  if (!frame && frame.error().kind == ErrorKind::timeout) return tl::unexpected(frame.error());
  if (!frame) return Greeted::ends;
  const auto welcome = warden::parse<warden::Welcome>(frame->body);
  if (frame->kind != warden::Kind::welcome || !welcome) return Greeted::ends;
  if (welcome->version != warden::kVersion) return Greeted::ends;
  if (!welcome->error.empty()) return failure(ErrorKind::refused, welcome->error);
  limits_ = welcome->limits;
  users_ = welcome->users;
  suspends_ = welcome->suspends;
  limits_disk_ = welcome->limits_disk;
  limits_net_ = welcome->limits_net;
  since_ = welcome->since;
  return Greeted::well;
}

// Before anything is started: the tasks that the warden has kept take room on this node.
Result<void> WardenLink::list(int patience_ms) {
  for (;;) {
    const auto frame = await_frame(patience_ms);
    if (!frame) return tl::unexpected(frame.error());
    if (frame->kind == warden::Kind::listed) return {};
    if (frame->kind == warden::Kind::kept) {
      auto kept = warden::parse<warden::Kept>(frame->body);
      if (kept) kept_.push_back({.task = std::move(*kept), .ended = {}});
      // An end follows the task that it belongs to.
    } else if (frame->kind == warden::Kind::exited && !kept_.empty()) {
      kept_.back().ended = warden::parse<warden::Exited>(frame->body);
    }
  }
}

Result<warden::FrameReader::Frame> WardenLink::await_frame(int patience_ms) {
  while (!frames_.ready()) {
    pollfd polled{.fd = socket_, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&polled, 1, patience_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return failure(ErrorKind::timeout, "the warden did not answer in time");
    std::array<char, kBlock> block;  // NOLINT(*-member-init): it is filled right now.
    const ssize_t got = ::recv(socket_, block.data(), block.size(), 0);
    if (got <= 0) return failure(ErrorKind::io, "the warden ended at once; see the lines above");
    frames_.append({block.data(), static_cast<std::size_t>(got)});
  }
  return *frames_.next();
}

void WardenLink::hang_up() {
  close_if_open(socket_);
  frames_ = warden::FrameReader();
}

WardenLink::~WardenLink() {
  // Handles go before what they watch.
  // Without a poll handle it was never watched: a search that failed leaves the warden to others.
  const bool ends = socket_ >= 0 && poll_ != nullptr && !leaving_ && !dead_;
  if (ends) warden::append_frame(out_, warden::Stop{});
  if (poll_ != nullptr) {
    flush();
    poll_.reset();
    flush_.reset();
  }
  // The end of a warden is the end of its socket.
  if (ends && !await_hang_up()) signal_process(pid_, SIGKILL);
  hang_up();
  if (!leaving_) process_.await_end(kReapMs);
}

bool WardenLink::await_hang_up() {
  for (;;) {
    pollfd polled{.fd = socket_, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&polled, 1, kEndMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    std::array<char, kBlock> block;  // NOLINT(*-member-init): what it still tells is of no use.
    if (::recv(socket_, block.data(), block.size(), 0) <= 0) return true;
  }
}

// To forget an end is not urgent, and each write wakes the warden: it goes with the next orders, or
// after a second.
void WardenLink::send_later(const warden::Forget& message) {
  warden::append_frame(out_, message);
  if (std::exchange(late_, true)) return;
  later_.at(now(loop_) + kLater);
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

// Before the loop waits. Bytes that the socket does not take now stay in order, and go when it can
// be written.
void WardenLink::flush() {
  late_ = false;
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
  tell();
}

// In the order in which the warden wrote them: a task that is stuck has ended first, and is freed
// later. Kinds that mean nothing here are passed over.
void WardenLink::tell() {
  while (const auto frame = frames_.next()) {
    if (frame->kind == warden::Kind::exited) {
      if (const auto exited = warden::parse<warden::Exited>(frame->body)) events_.exited(*exited);
    } else if (frame->kind == warden::Kind::freed) {
      if (const auto freed = warden::parse<warden::Freed>(frame->body)) events_.freed(*freed);
    } else if (frame->kind == warden::Kind::used) {
      if (const auto used = warden::parse<warden::Used>(frame->body)) events_.used(*used);
    } else if (frame->kind == warden::Kind::fed) {
      if (const auto fed = warden::parse<warden::Fed>(frame->body)) events_.fed(*fed);
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
