// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "node/client/client.h"
#include "node/client/submission.h"
#include "node/client/wait_time.h"
#include "node/read_json.h"

// The client's socket and timer: what one turn of its thread, or of the program's loop, does.
namespace dunlin::client {
namespace {

using Clock = std::chrono::steady_clock;

/// Read at a time, before what has come is served.
constexpr std::size_t kReadMax = std::size_t{1} << 20;
/// Submitted jobs that are read in one turn, and about how much of them: so that the first ones are
/// sent while the others wait to be read.
constexpr std::size_t kJobsMax = 64;
constexpr std::size_t kJobBytesMax = std::size_t{1} << 20;

/// Has the timer wake the loop then.
void arm(int timer, Time due) {
  itimerspec when{};
  if (due != kNever) {
    // At least 1: a time of 0 would stop the timer, and what is due now would never be done.
    const int left = std::max(1, ms_until(due, Clock::now()));
    when.it_value.tv_sec = left / 1000;
    when.it_value.tv_nsec = left % 1000 * 1'000'000L;
  }
  ::timerfd_settime(timer, 0, &when, nullptr);
}

}  // namespace

/// The turn of one thread, and of no other meanwhile.
class Client::Turn {
 public:
  explicit Turn(Client& client) : client_(client) { client_.server_ = std::this_thread::get_id(); }
  ~Turn() {
    client_.server_ = std::thread::id{};
    const std::lock_guard lock(client_.mutex_);
    client_.serving_ = false;
    client_.changed_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Client& client_;
};

/// False if another thread serves: its turn is waited for, but no longer than asked. What it did
/// may be all that was wanted.
bool Client::begin_turn(int wait_ms) {
  std::unique_lock lock(mutex_);
  if (!serving_) return serving_ = true;
  const auto served = [this] { return !serving_; };
  if (wait_ms < 0) {
    changed_.wait(lock, served);
  } else {
    changed_.wait_for(lock, std::chrono::milliseconds(wait_ms), served);
  }
  return false;
}

void Client::serve(int wait_ms) {
  if (serves_here() || !begin_turn(wait_ms)) return;  // The first: in a callback.
  const Turn turn(*this);
  prepare();
  std::array<epoll_event, 4> events;
  ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), wait_ms);
  std::uint64_t count = 0;
  // No descriptor of the client blocks. NOLINTNEXTLINE(clang-analyzer-unix.*)
  for (const int fd : {wake_, timer_}) (void)!::read(fd, &count, sizeof(count));
  woken_.exchange(false);  // Sees what was done before the one that set it.
  receive();
  prepare();
}

/// Does what is due, sends what is to be sent, and sets the timer for the rest.
void Client::prepare() {
  read_jobs();
  std::vector<JobPtr> changed;
  Time due{};
  {
    const std::lock_guard lock(mutex_);
    const Time now = Clock::now();
    if (engine_.advance(now) && socket_ >= 0) {
      const Problem& problem = engine_.problem();
      hang_up(now, problem.text.empty() ? "the agent does not answer" : problem.text);
    }
    if (engine_.wants_connection(now)) connect(now);
    // Once more, because a new connection has something to send at once.
    engine_.advance(now);
    if (sending_.empty()) {
      // Both keep their memory, as most turns send something.
      sending_.swap(engine_.out());
    } else {
      sending_ += std::exchange(engine_.out(), {});
    }
    due = engine_.due();
    changed = engine_.take_changed();
    changed_.notify_all();
  }
  // Without the mutex: a callback may call the library.
  call_back(changed);
  send();
  arm(timer_, due);
}

/// Reads jobs outside the mutex, since a large one takes long.
void Client::read_jobs() {
  {
    const std::lock_guard lock(inbox_mutex_);
    std::ranges::move(inbox_, std::back_inserter(reading_));
    inbox_.clear();
  }
  std::vector<std::pair<JobPtr, Problem>> read;
  for (std::size_t bytes = 0;
      !reading_.empty() && read.size() < kJobsMax && bytes < kJobBytesMax;) {
    const JobPtr job = std::move(reading_.front());
    reading_.pop_front();
    const std::string text = std::exchange(job->text, {});
    bytes += text.size();
    read.emplace_back(job, read_submission(text, *job));
  }
  if (read.empty()) return;
  // For another turn, after what has been read was sent.
  if (!reading_.empty()) wake();
  const std::lock_guard lock(mutex_);
  for (const auto& [job, problem] : read) engine_.submit(job, problem);
}

void Client::connect(Time now) {
  const std::string& path = addresses_[engine_.address()];
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // It fits: see can_be_asked().
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof(address.sun_path) - 1));
  socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool connected = socket_ >= 0 &&
      ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  if (!connected) {
    const int code = errno;
    hang_up(now, "cannot connect to " + path + ": " + std::strerror(code));
    return;
  }
  watch(poll_, socket_, EPOLLIN, EPOLL_CTL_ADD);
  engine_.on_connected(now);
}

void Client::hang_up(Time now, const std::string& why) {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  // Half a message cannot be ended on another connection; the engine begins anew there.
  sending_.clear();
  wants_to_send_ = false;
  reader_ = {};
  engine_.on_lost(now, why);
}

void Client::receive() {
  std::array<char, 65'536> bytes;
  std::string why;
  // Bounded: an agent that sends without end must not keep submits from going out.
  for (std::size_t total = 0; socket_ >= 0 && total < kReadMax && why.empty();) {
    // It does not wait. NOLINTNEXTLINE(clang-analyzer-unix.*)
    const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (size < 0) why = std::string("the connection to the agent broke: ") + std::strerror(errno);
    if (size == 0) why = "the agent closed the connection";
    if (size <= 0) break;
    total += static_cast<std::size_t>(size);
    reader_.feed({bytes.data(), static_cast<std::size_t>(size)});
    // Messages are read outside the mutex, so that a submit need not wait for it.
    while (const auto text = reader_.next()) {
      Json message = read_json<Json>(*text);
      const std::lock_guard lock(mutex_);
      if (engine_.hear(Clock::now(), std::move(message))) continue;
      why = engine_.parting().empty() ? "the agent sent what is no reply" : engine_.parting();
    }
    if (reader_.broken()) why = "the agent sent a message of more than 16 MiB";
  }
  if (why.empty()) return;
  const std::lock_guard lock(mutex_);
  hang_up(Clock::now(), why);
}

void Client::send() {
  std::size_t sent = 0;
  bool full = false;
  while (socket_ >= 0 && sent < sending_.size() && !full) {
    const ssize_t size = ::send(
        socket_, sending_.data() + sent, sending_.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size > 0) sent += static_cast<std::size_t>(size);
    if (size < 0 && errno != EINTR) full = true;  // A broken one is found when it is read.
  }
  sending_.erase(0, sent);
  if (socket_ < 0 || full == wants_to_send_) return;
  wants_to_send_ = full;
  watch(poll_, socket_, full ? EPOLLIN | EPOLLOUT : EPOLLIN, EPOLL_CTL_MOD);
}

}  // namespace dunlin::client
