// SPDX-License-Identifier: MIT
#include "node/warden/spawner_pool.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <utility>

// A start blocks the thread that makes it until the new process executes its program: 0.1 ms on an
// idle machine, one or two turns at a core on a busy one, for ever on a dead network disk. The main
// thread therefore only queues starts. Several threads wait for several turns at once, so a busy
// machine does not slow the starts of a node down to one by one; and a start that hangs holds one
// thread, not the others.
namespace dunlin::node::warden {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kThreadsMin = 4;
constexpr std::size_t kThreadsMax = 32;
constexpr auto kWaitMax = 100ms;
constexpr std::size_t kStackSize = 64u << 10;

}  // namespace

struct SpawnerPool::Shared {
  std::mutex mutex{};
  std::condition_variable pushed{};
  std::deque<std::pair<Clock::time_point, std::shared_ptr<Launch>>> queue{};

  /// The work of a thread. Its children run on `stack_end` one after the other.
  [[noreturn]] void serve(std::byte* stack_end) {
    for (;;) {
      std::unique_lock lock(mutex);
      pushed.wait(lock, [this] { return !queue.empty(); });
      const auto launch = std::move(queue.front().second);
      queue.pop_front();
      lock.unlock();
      launch->run(stack_end);
    }
  }
};

SpawnerPool::SpawnerPool() : shared_(std::make_shared<Shared>()) {
  while (threads_ < kThreadsMin) {
    const std::size_t before = threads_;
    add_thread();
    if (threads_ == before) break;  // tick() tries again.
  }
}

SpawnerPool::~SpawnerPool() = default;

void SpawnerPool::add_thread() {
  void* const stack = ::mmap(
      nullptr, kStackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return;
  struct Arguments {
    std::shared_ptr<Shared> shared;
    std::byte* stack_end;
  };
  auto arguments =
      std::make_unique<Arguments>(shared_, static_cast<std::byte*>(stack) + kStackSize);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  ::pthread_attr_setstacksize(&attributes, 4 * kStackSize);
  pthread_t thread{};
  const int error = ::pthread_create(
      &thread, &attributes,
      [](void* given) -> void* {
        const std::unique_ptr<Arguments> mine(static_cast<Arguments*>(given));
        mine->shared->serve(mine->stack_end);
      },
      arguments.get());
  ::pthread_attr_destroy(&attributes);
  if (error != 0) {
    ::munmap(stack, kStackSize);
    return;
  }
  (void)arguments.release();  // The thread's.
  ++threads_;
}

void SpawnerPool::push(std::shared_ptr<Launch> launch) {
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->queue.emplace_back(Clock::now(), std::move(launch));
  }
  shared_->pushed.notify_one();
}

bool SpawnerPool::withdraw(const Launch& launch) {
  const std::scoped_lock lock(shared_->mutex);
  return std::erase_if(shared_->queue,
             [&](const auto& waiting) { return waiting.second.get() == &launch; }) > 0;
}

void SpawnerPool::tick(Clock::time_point now) {
  const auto due = deadline();
  if (!due || now < *due || threads_ >= kThreadsMax) return;
  grown_ = now;
  add_thread();
}

std::optional<Clock::time_point> SpawnerPool::deadline() const {
  if (threads_ >= kThreadsMax) return std::nullopt;
  // A thread that has the lock takes a launch, so the queue does not stand still; to wait for it
  // would cost two switches of threads for each start.
  const std::unique_lock lock(shared_->mutex, std::try_to_lock);
  if (!lock) return Clock::now() + kWaitMax;
  if (shared_->queue.empty()) return std::nullopt;
  return std::max(shared_->queue.front().first, grown_) + kWaitMax;
}

}  // namespace dunlin::node::warden
