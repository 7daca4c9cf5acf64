// SPDX-License-Identifier: MIT
#include "node/store/commit_thread.h"

#include <csignal>
#include <utility>

#include "overlay/ensure.h"

// A disk may take seconds for one fsync, and a person with sqlite3 may hold the database as long.
// On the loop's thread that stopped the leases of all tasks of the node.
namespace dunlin::node {

CommitThread::CommitThread(std::function<Result<void>()> write, std::function<void()> wake)
    : write_(std::move(write)),
      wake_(std::move(wake)) {
  // Signals are for the loop's thread.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

CommitThread::~CommitThread() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CommitThread::begin() {
  overlay::ensure(!busy_, "a commit is under way");
  busy_ = true;
  {
    const std::scoped_lock lock(mutex_);
    asked_ = true;
  }
  changed_.notify_all();
}

std::optional<Result<void>> CommitThread::take() {
  if (!busy_) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  return take_locked();
}

std::optional<Result<void>> CommitThread::wait() {
  if (!busy_) return std::nullopt;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return outcome_.has_value(); });
  return take_locked();
}

std::optional<Result<void>> CommitThread::take_locked() {
  if (outcome_) busy_ = false;
  return std::exchange(outcome_, std::nullopt);
}

void CommitThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return asked_ || ended_; });
    if (!asked_) return;
    asked_ = false;
    lock.unlock();
    auto outcome = write_();
    lock.lock();
    outcome_ = std::move(outcome);
    changed_.notify_all();
    lock.unlock();
    wake_();
    lock.lock();
  }
}

}  // namespace dunlin::node
