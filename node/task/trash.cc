// SPDX-License-Identifier: MIT
#include "node/task/trash.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

// A task may leave as many files as it likes, and to delete them takes seconds: 300,000 held up the
// loop for 4.8 s, and with it the leases of all tasks. So a directory is moved away, which is one
// system call, and deleted by another thread. It pauses after each slice, because the records of
// the agent go to the same disk.
// A slice begins at the top again: what earlier ones deleted costs nothing. A directory that lies
// deep is first moved to the top, so that neither descriptors nor the stack run out.
namespace dunlin::node {
namespace {

constexpr int kDepthMax = 32;
constexpr useconds_t kPause = 2000;  ///< Microseconds between two slices.

/// Deletes what is in one directory, at most so many entries.
class Slice {
 public:
  Slice(int top, int entries_max, std::uint64_t& moved, const std::atomic<bool>& stop)
      : top_(top),
        left_(entries_max),
        moved_(moved),
        stop_(stop) {}

  /// True if the directory `descriptor`, which this closes, is empty now.
  bool empty_directory(int descriptor, int depth) {
    DIR* const directory = ::fdopendir(descriptor);
    if (directory == nullptr) {
      fail("a directory");
      ::close(descriptor);
      return false;
    }
    bool all = true;
    while (const dirent* entry = ::readdir(directory)) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (stop_ || left_ <= 0) {
        all = false;
        break;
      }
      if (!remove(descriptor, entry->d_name, depth)) all = false;
    }
    ::closedir(directory);
    return all;
  }

  bool progressed() const { return progressed_; }
  const std::string& error() const { return error_; }

 private:
  bool remove(int parent, const char* name, int depth) {
    if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT) return done();
    // Of a directory Linux says EISDIR, and POSIX has EPERM.
    if (errno != EISDIR && errno != EPERM) return fail(name);
    if (depth >= kDepthMax) {
      open_up(parent, name);
      return move_up(parent, name) ? done() : fail(name);
    }
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int inner = ::openat(parent, name, kFlags);
    if (inner < 0 && errno == EACCES && open_up(parent, name)) {
      inner = ::openat(parent, name, kFlags);
    }
    if (inner < 0) return fail(name);
    ::fchmod(inner, 0700);  // A task may have taken the right to change it from us.
    if (!empty_directory(inner, depth + 1)) return false;
    return ::unlinkat(parent, name, AT_REMOVEDIR) == 0 ? done() : fail(name);
  }
  /// Lets us into a directory. By a descriptor that does not even look where a link leads: the name
  /// may be one by now, and the mode of what it leads to is not ours to change.
  static bool open_up(int parent, const char* name) {
    const int held = ::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (held < 0) return false;
    const std::string itself = "/proc/self/fd/" + std::to_string(held);
    const bool opened = ::chmod(itself.c_str(), 0700) == 0;
    const int error = errno;
    ::close(held);
    errno = error;
    return opened;
  }
  bool move_up(int parent, const char* name) {
    int moved = -1;
    do {  // An earlier incarnation may have used the number.
      const std::string place = "deep-" + std::to_string(moved_++);
      moved = ::renameat(parent, name, top_, place.c_str());
    } while (moved != 0 && (errno == EEXIST || errno == ENOTEMPTY));
    return moved == 0;
  }
  bool done() {
    --left_;
    return progressed_ = true;
  }
  bool fail(const char* name) {
    if (error_.empty()) error_ = std::string(name) + ": " + std::strerror(errno);
    --left_;
    return false;
  }

  int top_;
  int left_;
  std::uint64_t& moved_;
  const std::atomic<bool>& stop_;
  bool progressed_ = false;
  std::string error_;
};

}  // namespace

struct Trash::Work {
  std::string directory{};
  std::uint64_t taken = 0;
  Trash* owner = nullptr;  ///< Null once it is gone.
  bool running = false;
  bool asked = false;  ///< Something was taken since the slice began.
  // Of the slice that runs:
  std::atomic<bool> stop = false;
  std::uint64_t moved = 0;
  bool more = false;
  std::string error{};

  /// On a thread of the pool.
  void slice() {
    const int top = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    more = false;
    error.clear();
    if (top < 0) {
      error = std::strerror(errno);
      return;
    }
    const std::uint64_t before = moved;
    Slice slice(top, kSlice, moved, stop);
    const bool empty = slice.empty_directory(::fcntl(top, F_DUPFD_CLOEXEC, 0), 0);
    ::close(top);
    // What cannot be deleted is not tried again before something else is taken.
    more = (!empty || moved != before) && slice.progressed() && !stop;
    if (!more) error = slice.error();
    if (more) ::usleep(kPause);
  }
};

Trash::Trash(uv_loop_t& loop, std::string directory, OnError on_error)
    : loop_(loop),
      on_error_(std::move(on_error)),
      work_(std::make_shared<Work>()) {
  work_->directory = std::move(directory);
  work_->owner = this;
  if (::mkdir(work_->directory.c_str(), 0700) != 0) run();
}

Trash::~Trash() {
  work_->owner = nullptr;
  work_->stop = true;
}

Result<void> Trash::take(const std::string& path) {
  // An earlier incarnation may have left its own numbers.
  for (;;) {
    const auto place = work_->directory + "/" + std::to_string(work_->taken++);
    if (::access(place.c_str(), F_OK) == 0) continue;
    if (::rename(path.c_str(), place.c_str()) != 0) {
      return failure_of(errno, "cannot move " + path + " to " + place);
    }
    run();
    return {};
  }
}

bool Trash::idle() const {
  return !work_->running;
}

void Trash::run() {
  work_->asked = true;
  if (std::exchange(work_->running, true)) return;
  work_->asked = false;
  auto* const request = new uv_work_t{};
  // The thread has its share: the owner may go while a slice runs.
  request->data = new std::shared_ptr<Work>(work_);
  uv_queue_work(
      &loop_, request,
      [](uv_work_t* queued) { (*static_cast<std::shared_ptr<Work>*>(queued->data))->slice(); },
      [](uv_work_t* queued, int) {
        const std::unique_ptr<std::shared_ptr<Work>> held(
            static_cast<std::shared_ptr<Work>*>(queued->data));
        delete queued;
        Work& work = **held;
        work.running = false;
        if (work.owner == nullptr) return;
        if (!work.error.empty() && work.owner->on_error_) {
          work.owner->on_error_("cannot delete in " + work.directory + ": " + work.error);
        }
        if (work.more || work.asked) work.owner->run();
      });
}

}  // namespace dunlin::node
