// SPDX-License-Identifier: MIT
#include "node/client/client.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cxxabi.h>
#include <filesystem>
#include <memory>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "node/client/include/dunlin.h"
#include "node/client/submission.h"
#include "node/client/wait_time.h"

// The library's thread and its locks. Submits must never wait, not even for a thread that is busy
// with a large reply: so they go into an inbox with a lock of its own, and the thread moves them to
// the engine. Everything else takes the engine's lock, and callbacks are made without any.
namespace dunlin::client {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// A thread that is woken takes the processor of the one that woke it, for milliseconds where the
/// machine is busy. So a submit would wait for what it has asked for. A thread of this kind does
/// not: it waits for its turn.
void yield_to_the_program() {
  const sched_param none{};
  int policy = SCHED_OTHER;
  sched_param unused{};
  if (::pthread_getschedparam(::pthread_self(), &policy, &unused) != 0) return;
  if (policy == SCHED_OTHER) (void)::pthread_setschedparam(::pthread_self(), SCHED_BATCH, &none);
}

/// Where the program is; empty if that directory is gone, or out of reach.
std::string current_directory() {
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::current_path(failed);
  return !failed && path.is_absolute() ? path.string() : std::string();
}

}  // namespace

Client::Client(std::vector<std::string> addresses, bool own_loop, int protocol)
    : pid_(::getpid()),
      own_loop_(own_loop),
      addresses_(std::move(addresses)),
      chance_(draw_seed()),
      engine_(
          addresses_.size(),
          [this] { return std::uniform_real_distribution<double>(0, 1)(chance_); },
          protocol) {
  poll_ = ::epoll_create1(EPOLL_CLOEXEC);
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  timer_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (poll_ < 0 || wake_ < 0 || timer_ < 0) {
    release();
    fail("no descriptor for a client");
  }
  watch(poll_, wake_, EPOLLIN, EPOLL_CTL_ADD);
  watch(poll_, timer_, EPOLLIN, EPOLL_CTL_ADD);
  wake();
  if (own_loop_) return;
  // The program's signals are for its own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  errno = ::pthread_create(&thread_, nullptr, run, this);
  const int code = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  has_thread_ = code == 0;
  if (has_thread_) return;
  release();
  errno = code;
  fail("no thread for a client");
}

Client::~Client() {
  close();
  release();
}

void Client::release() {
  // In a child of fork() these are its own copies; the parent's conversation goes on.
  for (int* const fd : {&socket_, &poll_, &wake_, &timer_}) {
    if (*fd >= 0) ::close(*fd);
    *fd = -1;
  }
}

void Client::close() {
  if (serves_here()) return;  // In a callback: see close_in_call().
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    wake();
    changed_.notify_all();
  }
  // Outside of the lock: the thread takes it to end.
  if (std::exchange(has_thread_, false)) ::pthread_join(thread_, nullptr);
}

void* Client::run(void* self) {
  yield_to_the_program();
  Client& client = *static_cast<Client*>(self);
  try {
    while (!client.closed_) client.serve(-1);
  } catch (const abi::__forced_unwind&) {
    // The thread ends from within: an interpreter that ends has its threads end so, when they want
    // its lock. What catches that and does not pass it on ends the whole program.
    client.give_up();
    throw;
  } catch (...) {  // No memory is left: those that wait must not wait for ever.
    client.give_up();
  }
  std::shared_ptr<Client> last;  // Goes when nothing here uses the client any more.
  {
    const std::lock_guard lock(client.mutex_);
    last = std::move(client.last_);
  }
  return nullptr;
}

void Client::give_up() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

bool Client::close_in_call(std::shared_ptr<Client>& self) {
  if (!serves_here()) return false;
  give_up();
  if (std::exchange(has_thread_, false)) {
    ::pthread_detach(thread_);
    const std::lock_guard lock(mutex_);
    last_ = std::move(self);
  }
  return true;
}

/// The next call that is due, which counts as running from here on.
std::function<void()> Client::take_call(const JobPtr& job) {
  const std::lock_guard lock(mutex_);
  if (!job->over() || job->on_end.empty()) return nullptr;
  auto call = std::move(job->on_end.back().second);
  job->on_end.pop_back();
  calling_ = job.get();
  return call;
}

/// A callback runs, and no longer, however it ends.
class Client::Calling {
 public:
  explicit Calling(Client& client) : client_(client) {}
  ~Calling() {
    const std::lock_guard lock(client_.mutex_);
    client_.calling_ = nullptr;
    client_.changed_.notify_all();
  }
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;

 private:
  Client& client_;
};

void Client::call_back(const std::vector<JobPtr>& changed) {
  for (const JobPtr& job : changed) {
    while (const auto call = take_call(job)) {
      const Calling calling(*this);
      call();
    }
  }
}

void Client::wake() {
  // One write for many changes: the thread clears the flag before it looks.
  if (woken_.exchange(true)) return;
  const std::uint64_t one = 1;
  (void)!::write(wake_, &one, sizeof(one));
}

Problem Client::submit(
    std::span<const std::string_view> jobs, bool results, std::vector<JobPtr>& made) {
  // Now: the text is read later, by another thread, and the program may be elsewhere by then.
  const std::string here = current_directory();
  for (const std::string_view text : jobs) {
    if (!may_be_object(text)) return {DUNLIN_USAGE, "a job must be a JSON object"};
    auto job = std::make_shared<Job>();
    job->text = text;
    job->directory = here;
    job->wants_results = results;
    job->handles = 1;
    made.push_back(std::move(job));
  }
  if (closed_) return {DUNLIN_CLOSED, "the client was closed"};
  // Before they are in the inbox: a flush in another thread must not miss them.
  given_ += made.size();
  {
    const std::lock_guard lock(inbox_mutex_);
    inbox_.insert(inbox_.end(), made.begin(), made.end());
  }
  wake();
  return {};
}

Problem Client::find(const std::string& id, bool results, JobPtr& job) {
  if (!is_job_id(id)) {
    return {DUNLIN_USAGE, "a job's id is NODE.NUMBER, the node's id in 16 hexadecimal digits"};
  }
  const std::lock_guard lock(mutex_);
  if (closed_) return {DUNLIN_CLOSED, "the client was closed"};
  job = engine_.find(id, results);
  ++job->handles;
  wake();
  return {};
}

void Client::drop(const JobPtr& job, const void* handle) {
  std::unique_lock lock(mutex_);
  std::erase_if(job->on_end, [handle](const auto& each) { return each.first == handle; });
  // In the callback itself there is nothing to wait for: it would wait for itself.
  if (!serves_here()) changed_.wait(lock, [&] { return calling_ != job.get(); });
  if (--job->handles == 0) engine_.drop(job);
}

void Client::on_end(const JobPtr& job, const void* handle, std::function<void()> call) {
  std::unique_lock lock(mutex_);
  std::erase_if(job->on_end, [handle](const auto& each) { return each.first == handle; });
  if (!call) {
    // What is taken back may be freed by the program.
    if (!serves_here()) changed_.wait(lock, [&] { return calling_ != job.get(); });
    return;
  }
  job->on_end.emplace_back(handle, std::move(call));
  // It has ended before: the call is made all the same, by the thread that makes them.
  if (job->over()) engine_.note_changed(job);
  wake();
}

void Client::change(const std::function<void(Engine&)>& work) {
  const std::lock_guard lock(mutex_);
  work(engine_);
  wake();
}

void Client::look(const std::function<void(const Engine&)>& read) {
  const std::lock_guard lock(mutex_);
  read(engine_);
}

int Client::wait(int wait_ms, const std::function<bool()>& holds) {
  const Time limit = wait_ms < 0 ? kNever : Clock::now() + std::chrono::milliseconds(wait_ms);
  // A callback must not wait: what it waits for comes by the thread that calls it.
  const bool only_looks = wait_ms == 0 || serves_here();
  std::unique_lock lock(mutex_);
  while (!holds()) {
    if (closed_) return DUNLIN_CLOSED;
    const Time now = Clock::now();
    if (only_looks || now >= limit) return DUNLIN_TIMEOUT;
    // Nobody else serves the client, so this thread does while it waits; of several that wait, one.
    if (own_loop_ && !serving_) {
      lock.unlock();
      serve(ms_until(limit, now));
      lock.lock();
    } else if (limit == kNever) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, limit);
    }
  }
  return DUNLIN_OK;
}

}  // namespace dunlin::client
