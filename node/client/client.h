// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
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
//
// Its members stand by the thread that uses them, not by size: a program has one or two of it.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
class Client {
 public:
  /// `addresses` are paths of Unix sockets, at least one. Throws std::system_error without a thread
  /// or a descriptor. `protocol`: as the engine's.
  Client(std::vector<std::string> addresses, bool own_loop, int protocol = Engine::kProtocol);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// True in a process that fork() made since: then nothing of this may be used.
  bool forked() const { return pid_ != ::getpid(); }
  /// Closes the descriptors. For a child of fork(), which has copies of them, and for the end.
  void release();
  /// Ends the conversation and the thread. Waits that are under way end with DUNLIN_CLOSED.
  void close();
  /// The same in a callback, where the thread cannot be waited for: it takes `self`, the last
  /// handle, and the client goes when the thread has ended. False in any other place.
  bool close_in_call(std::shared_ptr<Client>& self);

  /// Submits jobs by their JSON texts, all or none: copies them, and waits for nothing. They are
  /// read in the thread of the client. Fails with DUNLIN_USAGE if one cannot be a JSON object.
  Problem submit(std::span<const std::string_view> jobs, bool results, std::vector<JobPtr>& made);
  /// A job by its id, "NODE.NUMBER". Fails with DUNLIN_USAGE.
  Problem find(const std::string& id, bool results, JobPtr& job);
  /// A handle of the program is gone, and so is its callback: one that runs is waited for.
  void drop(const JobPtr& job, const void* handle);
  /// Calls `call` when the job is over, in the thread of the client; soon, if it is. It takes the
  /// place of the handle's last one. None takes that back: one that runs is waited for.
  void on_end(const JobPtr& job, const void* handle, std::function<void()> call);
  /// Calls `work` under the mutex; then the thread does what that asked for.
  void change(const std::function<void(Engine&)>& work);

  /// Waits until `holds` is true, which is called under the mutex; in an own loop, serves it
  /// meanwhile. DUNLIN_OK, DUNLIN_TIMEOUT or DUNLIN_CLOSED.
  int wait(int wait_ms, const std::function<bool()>& holds);
  /// How many jobs were submitted.
  std::uint64_t given() const { return given_; }
  /// True if none of the first `given` submits waits to be acknowledged. To be called by what
  /// wait() calls.
  bool is_settled(std::uint64_t given) const {
    return engine_.submitted() >= given && engine_.submits().settled(given);
  }
  /// Calls `read` under the mutex.
  void look(const std::function<void(const Engine&)>& read);
  /// There is work for the thread: room to read more.
  void wake();

  /// Readable when serve() has work; -1 if a thread of this library serves it.
  int fd() const { return own_loop_ ? poll_ : -1; }
  /// Waits at most so long for work, and does it; or for another thread that does.
  void serve(int wait_ms);

 private:
  class Calling;
  class Turn;

  static void* run(void* self);
  /// Ends the conversation without a wait for the thread.
  void give_up();
  /// Makes this thread the one that serves. False if another one does.
  bool begin_turn(int wait_ms);
  /// Does all that needs no new bytes of the agent.
  void prepare();
  /// Reads submitted texts, some at a time, and gives them to the engine.
  void read_jobs();
  /// Connects to the engine's address; a failure counts as a connection that was lost.
  void connect(Time now);
  /// Requires the mutex, as connect() does.
  void hang_up(Time now, const std::string& why);
  /// Reads what has come, up to a bound, and gives it to the engine.
  void receive();
  /// Sends as much as the socket takes, and has the loop wait for room for the rest.
  void send();
  std::function<void()> take_call(const JobPtr& job);
  void call_back(const std::vector<JobPtr>& changed);
  bool serves_here() const { return server_ == std::this_thread::get_id(); }

  /// Of the process that opened it: a child of fork() has another.
  const pid_t pid_;
  const bool own_loop_;
  const std::vector<std::string> addresses_;
  int poll_ = -1;   ///< An epoll of the three others.
  int wake_ = -1;   ///< An eventfd.
  int timer_ = -1;  ///< A timerfd.
  pthread_t thread_{};
  bool has_thread_ = false;

  std::mutex mutex_;
  /// Told of whatever a wait() may wait for.
  std::condition_variable changed_;
  std::atomic<bool> closed_ = false;
  std::atomic<bool> woken_ = false;
  const Job* calling_ = nullptr;  ///< The job of which a callback runs.
  bool serving_ = false;          ///< A thread is in serve().
  std::shared_ptr<Client> last_;  ///< This, if it was closed in a callback.
  std::minstd_rand chance_;
  Engine engine_;

  // A submit takes this mutex alone, which is held for moments: the other one is held while there
  // is work with many jobs.
  std::mutex inbox_mutex_;
  std::vector<JobPtr> inbox_;
  std::atomic<std::uint64_t> given_ = 0;

  // Of the one thread that serves.
  std::atomic<std::thread::id> server_{};
  std::deque<JobPtr> reading_;  ///< Taken from the inbox, and not read yet.
  int socket_ = -1;
  std::string sending_;
  bool wants_to_send_ = false;  ///< The socket was full.
  FrameReader reader_;
};

}  // namespace dunlin::client
