// SPDX-License-Identifier: MIT
#include "node/warden/spawner_pool.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <utility>

#include "node/warden/start_queue.h"

// A start blocks the thread that makes it until the new process executes its program: 0.1 ms on an
// idle machine, one or two turns at a core on a busy one, for ever on a dead network disk. The main
// thread therefore only queues starts. Several threads wait for several turns at once, so a busy
// machine does not slow the starts of a node down to one by one; and a start that hangs holds one
// thread, not the others.
namespace dunlin::node::warden {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kThreadsMin = 4;
/// A launch waits so long before another thread is made for it, ...
constexpr auto kWaitMax = 100ms;
/// ... and so long if its user has none that is busy: others may hold all threads there are.
constexpr auto kFirstWaitMax = 20ms;
constexpr std::size_t kStackSize = 64u << 10;

}  // namespace

struct SpawnerPool::Shared {
  std::mutex mutex{};
  std::condition_variable pushed{};
  StartQueue queue{};

  /// The work of a thread. Its children run on `stack_end` one after the other.
  [[noreturn]] void serve(std::byte* stack_end) {
    for (;;) {
      std::shared_ptr<Launch> launch;  // Goes after the lock: what it closes may take its time.
      std::unique_lock lock(mutex);
      pushed.wait(lock, [&] { return (launch = queue.take(Clock::now())) != nullptr; });
      lock.unlock();
      launch->run(stack_end);
      lock.lock();
      if (queue.finish(*launch)) pushed.notify_all();
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
  [[maybe_unused]] const auto* const of_the_thread = arguments.release();
  ++threads_;
}

void SpawnerPool::push(std::shared_ptr<Launch> launch) {
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->queue.push(std::move(launch), Clock::now());
  }
  shared_->pushed.notify_one();
}

bool SpawnerPool::withdraw(const Launch& launch) {
  const std::scoped_lock lock(shared_->mutex);
  const bool withdrawn = shared_->queue.withdraw(launch);
  // A user who is alone from now on may use spawners that rest.
  if (withdrawn && !shared_->queue.empty()) shared_->pushed.notify_all();
  return withdrawn;
}

void SpawnerPool::tick(Clock::time_point now) {
  bool stands = false;
  {
    const std::unique_lock lock(shared_->mutex, std::try_to_lock);
    if (!lock || shared_->queue.empty()) return;
    const bool gave_up = shared_->queue.look(now);
    const auto next = shared_->queue.next();
    const auto patience = next && next->first ? kFirstWaitMax : kWaitMax;
    const bool waits = next && now - next->since >= patience;
    // Not at each look: all spawners would wake for each start, to find that one has it already.
    if (gave_up || waits) shared_->pushed.notify_all();
    stands = waits && now - grown_ >= patience && threads_ < shared_->queue.spawners_max();
  }
  if (!stands) return;
  grown_ = now;
  add_thread();
}

std::optional<Clock::time_point> SpawnerPool::deadline() const {
  // A thread that has the lock takes a launch, so the queue does not stand still; to wait for it
  // would cost two switches of threads for each start.
  const std::unique_lock lock(shared_->mutex, std::try_to_lock);
  if (!lock) return Clock::now() + kWaitMax;
  if (shared_->queue.empty()) return std::nullopt;
  const auto next = shared_->queue.next();
  // Until one hangs, or is through.
  if (!next || threads_ >= shared_->queue.spawners_max()) return Clock::now() + kWaitMax;
  return std::max(next->since, grown_) + (next->first ? kFirstWaitMax : kWaitMax);
}

}  // namespace dunlin::node::warden
