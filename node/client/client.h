// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "node/client/engine.h"
#include "node/client/frames.h"
#include "node/client/job.h"
#include "node/client/later.h"

namespace dunlin::client {

/// The engine with what it needs of the system: a socket, a clock, chance, and a thread that serves
/// it, unless the program's own loop does. Any thread may call it.
class Client {
 public:
  /// `addresses` are paths of Unix sockets, at least one. Throws std::system_error without a thread
  /// or a descriptor.
  Client(std::vector<std::string> addresses, bool own_loop);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// True in a process that fork() made since: then nothing of this may be used.
  bool forked() const { return pid_ != ::getpid(); }
  /// Closes the descriptors. For a child of fork(), which has copies of them, and for the end.
  void release();
  /// Ends the conversation and the thread. Waits that are under way end with DUNLIN_CLOSED.
  void close();

  /// Submits jobs by their JSON texts, all or none. Fails with DUNLIN_USAGE.
  Problem submit(std::span<const std::string_view> jobs, bool results, std::vector<JobPtr>& made);
  /// A job by its id, "NODE.NUMBER". Fails with DUNLIN_USAGE.
  Problem find(const std::string& id, bool results, JobPtr& job);
  /// A handle of the program is gone, and so is its callback: one that runs is waited for.
  void drop(const JobPtr& job, const void* handle);
  /// Calls `call` when the job is over, in the thread of the client; soon, if it is.
  void on_end(const JobPtr& job, const void* handle, std::function<void()> call);
  void command(const std::shared_ptr<Command>& command);
  /// False if too many outputs are read at once.
  bool read(const std::shared_ptr<Output>& output);
  void stop_reading(const std::shared_ptr<Output>& output);

  /// Waits until `holds` is true, which is called under the mutex; in an own loop, serves it
  /// meanwhile. DUNLIN_OK, DUNLIN_TIMEOUT or DUNLIN_CLOSED.
  int wait(int wait_ms, const std::function<bool()>& holds);
  /// True if no submit waits to be acknowledged. To be called by what wait() calls.
  bool is_settled() const { return engine_.submits().idle(); }
  /// Calls `read` under the mutex.
  void look(const std::function<void(const Engine&)>& read);
  /// There is work for the thread: room to read more.
  void wake();

  bool has_own_loop() const { return own_loop_; }
  /// Readable when serve() has work.
  int fd() const { return poll_; }
  /// Waits at most so long for work, and does it.
  void serve(int wait_ms);

 private:
  static void* run(void* self);
  void prepare();
  void connect(Time now);
  void hang_up(Time now, const std::string& why);
  void receive();
  void send();
  void call_back(const std::vector<JobPtr>& changed);
  void arm(Time due);
  void wake_locked();
  bool serves_here() const { return server_ == std::this_thread::get_id(); }

  const pid_t pid_;
  const bool own_loop_;
  const std::vector<std::string> addresses_;
  int poll_ = -1;   ///< An epoll of the three others.
  int wake_ = -1;   ///< An eventfd.
  int timer_ = -1;  ///< A timerfd.
  pthread_t thread_{};
  bool has_thread_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  bool woken_ = false;
  const Job* calling_ = nullptr;  ///< The job of which a callback runs.
  std::minstd_rand chance_;
  Engine engine_;

  // Of the one thread that serves.
  std::mutex serving_;
  std::atomic<std::thread::id> server_{};
  int socket_ = -1;
  std::string sending_;
  bool wants_to_send_ = false;  ///< The socket was full.
  FrameReader reader_;
};

}  // namespace dunlin::client
