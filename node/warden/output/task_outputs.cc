// SPDX-License-Identifier: MIT
#include "node/warden/output/task_outputs.h"

#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "node/warden/output/output_pace.h"

// The main thread looks which pipes have something (epoll), and hands those to the mover. As long
// as the mover has a stream, epoll does not tell of it: it is armed for one event at a time. So a
// task that prints nothing costs the mover nothing, and one that prints without end has one turn
// after the other with the rest. On a disk with little room they go slowly, a little each.
namespace dunlin::node::warden {
namespace {

constexpr int kEventsAtOnce = 64;
/// Names what tells that the mover is through with something: no stream is called so.
constexpr std::uint64_t kDone = ~std::uint64_t{0};

epoll_event event_of(std::uint64_t id, std::size_t stream) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.u64 = id * TaskOutput::kStreams + stream;
  return event;
}

}  // namespace

struct TaskOutputs::Entry {
  std::uint64_t id = 0;
  std::shared_ptr<TaskOutput> output;
  std::array<bool, TaskOutput::kStreams> moving{};  ///< The mover has it, or will.
  bool awaited = false;                             ///< The main thread waits for its end.
};

// Shared with the mover, which a disk that hangs may keep for ever: the warden ends without it.
struct TaskOutputs::Shared {
  std::mutex mutex{};
  std::condition_variable pushed{};
  using Item = std::pair<std::shared_ptr<Entry>, std::size_t>;
  std::deque<Item> queue{};
  std::uint64_t room_min = 0;
  int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  int done = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

  /// Requires the mutex.
  void push(const std::shared_ptr<Entry>& entry, std::size_t stream) {
    if (std::exchange(entry->moving[stream], true)) return;
    queue.emplace_back(entry, stream);
    pushed.notify_one();
  }

  [[noreturn]] void serve() {
    std::unique_lock lock(mutex);
    std::deque<Item> aside;
    OutputPace pace;
    for (;;) {
      const auto any = [this] { return !queue.empty(); };
      if (aside.empty()) {
        pushed.wait(lock, any);
      } else {
        pushed.wait_until(lock, pace.over(), any);
      }
      if (pace.step(OutputPace::Clock::now(), room_min)) {
        queue.insert(queue.end(), aside.begin(), aside.end());
        aside.clear();
      }
      if (queue.empty()) continue;
      const auto [entry, index] = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      KeptStream& stream = entry->output->stream(index);
      const std::uint64_t bytes = pace.grant(stream.moved(), [&] { return stream.room(); });
      const auto state = bytes == 0 ? KeptStream::State::more : stream.move(bytes);
      lock.lock();
      if (bytes == 0) {
        aside.emplace_back(entry, index);
        continue;
      }
      if (state == KeptStream::State::more) {
        queue.emplace_back(entry, index);
        continue;
      }
      entry->moving[index] = false;
      if (state == KeptStream::State::empty) {
        auto event = event_of(entry->id, index);
        ::epoll_ctl(epoll, EPOLL_CTL_MOD, stream.descriptor(), &event);
      }
      if (entry->awaited) ::eventfd_write(done, 1);
    }
  }
};

TaskOutputs::TaskOutputs() : shared_(std::make_shared<Shared>()) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kDone;
  ::epoll_ctl(shared_->epoll, EPOLL_CTL_ADD, shared_->done, &event);
  std::thread([shared = shared_] { shared->serve(); }).detach();
}

TaskOutputs::~TaskOutputs() = default;

void TaskOutputs::leave_room(std::uint64_t bytes) {
  const std::scoped_lock lock(shared_->mutex);
  shared_->room_min = bytes;
}

void TaskOutputs::add(std::uint64_t id, std::shared_ptr<TaskOutput> output) {
  if (output == nullptr) return;
  auto entry = std::make_shared<Entry>();
  entry->id = id;
  entry->output = std::move(output);
  for (std::size_t i = 0; i < TaskOutput::kStreams; ++i) {
    const int end = entry->output->stream(i).descriptor();
    auto event = event_of(id, i);
    if (end >= 0) ::epoll_ctl(shared_->epoll, EPOLL_CTL_ADD, end, &event);
  }
  entries_[id] = std::move(entry);
}

int TaskOutputs::descriptor() const {
  return shared_->epoll;
}

bool TaskOutputs::on_ready() {
  std::array<epoll_event, kEventsAtOnce> events;
  const int count = ::epoll_wait(shared_->epoll, events.data(), kEventsAtOnce, 0);
  const std::scoped_lock lock(shared_->mutex);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t told = events[static_cast<std::size_t>(i)].data.u64;
    const auto entry = entries_.find(told / TaskOutput::kStreams);
    if (entry == entries_.end()) continue;
    const std::size_t index = told % TaskOutput::kStreams;
    if (entry->second->moving[index]) continue;
    // A stream that has ended without more waits for the end of its task.
    const KeptStream& stream = entry->second->output->stream(index);
    if (stream.waiting() > 0) shared_->push(entry->second, index);
  }
  eventfd_t told = 0;
  return ::eventfd_read(shared_->done, &told) == 0;
}

bool TaskOutputs::finish(std::uint64_t id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return true;
  const auto entry = found->second;
  const std::scoped_lock lock(shared_->mutex);
  bool all = true;
  for (std::size_t i = 0; i < TaskOutput::kStreams; ++i) {
    if (entry->moving[i]) {
      all = false;
      continue;
    }
    KeptStream& stream = entry->output->stream(i);
    if (stream.waiting() > 0) {
      shared_->push(entry, i);
      all = false;
    } else {
      stream.close();
    }
  }
  entry->awaited = !all;
  return all;
}

TaskOutputs::Outcome TaskOutputs::forget(std::uint64_t id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return {};
  const std::scoped_lock lock(shared_->mutex);
  const TaskOutput& output = *found->second->output;
  Outcome outcome{.failed = output.failed()};
  for (std::size_t i = 0; i < TaskOutput::kStreams; ++i) {
    outcome.bytes[i] = output.stream(i).moved();
  }
  entries_.erase(found);  // The mover may still have it.
  return outcome;
}

}  // namespace dunlin::node::warden
