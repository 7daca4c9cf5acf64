// SPDX-License-Identifier: MIT
// The end of an attempt: its live output becomes its job's.
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "node/task/output.h"
#include "node/task/output_file.h"
#include "node/wall_clock.h"
#include "sched/task.h"

namespace dunlin::node {
namespace {

/// An output larger than this keeps its file instead of being copied to the job's stream.
constexpr std::uint64_t kCopyMax = 256u << 10;
/// Room set aside for the names and records of output that filled the disk.
constexpr off_t kReserve = 256 << 10;
constexpr const char* kReserveFile = "/reserve";
/// A write of so much takes a block that was not there before.
constexpr std::size_t kTriedBlock = 4096;

}  // namespace

void OutputStore::make_reserve() {
  if (has_reserve_) return;
  const std::string path = options_.directory + kReserveFile;
  bool made = false;
  {
    const File file(path, O_RDWR | O_CREAT);
    made = file && ::posix_fallocate(file.descriptor(), 0, kReserve) == 0;
  }
  has_reserve_ = made;
  // Part of it would be room that a task can use.
  if (!made) ::unlink(path.c_str());
}

void OutputStore::spend_reserve() {
  has_reserve_ = false;
  ::unlink((options_.directory + kReserveFile).c_str());
}

int OutputStore::try_write(const sched::TaskId& task, std::uint32_t attempt) {
  const auto live = live_.find({key_of(task.job), task.index, attempt});
  if (live == live_.end()) return 0;
  int error = 0;
  for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
    const File file(live_path(live->second, stream), O_RDWR);
    if (!file && errno != ENOENT && sched::is_want_of_room(errno)) error = errno;
    if (!file) continue;
    // A block of its own: there may be room in the last one.
    const std::string block(kTriedBlock, '\0');
    const auto end = static_cast<off_t>(file.size());
    const ssize_t written = ::pwrite(file.descriptor(), block.data(), block.size(), end);
    const int failed = written < 0 ? errno : ENOSPC;
    if (::ftruncate(file.descriptor(), end) != 0) return errno;
    if (written != static_cast<ssize_t>(block.size()) && sched::is_want_of_room(failed))
      error = failed;
  }
  if (error != 0) cut_off_.insert(live->first);
  return error;
}

Result<void> OutputStore::end(const sched::TaskId& task,
    std::uint32_t attempt,
    std::uint64_t out_bytes,
    std::uint64_t err_bytes) {
  const LiveKey key{key_of(task.job), task.index, attempt};
  const auto live = live_.find(key);
  if (live == live_.end()) return {};
  const std::uint32_t slot = live->second;
  live_.erase(live);
  Result<void> result;
  if (out_bytes > 0) result = keep(key, slot, OutputStream::out, out_bytes);
  if (err_bytes > 0) {
    auto kept = keep(key, slot, OutputStream::err, err_bytes);
    if (result) result = std::move(kept);
  }
  cut_off_.erase(key);
  return result;
}

Result<void> OutputStore::end_again(const sched::TaskId& task,
    std::uint32_t attempt,
    std::uint64_t out_bytes,
    std::uint64_t err_bytes) {
  const LiveKey key{key_of(task.job), task.index, attempt};
  const auto live = live_.find(key);
  if (live == live_.end()) return {};
  for (const auto& [stream, bytes] :
      {std::pair{OutputStream::out, &out_bytes}, std::pair{OutputStream::err, &err_bytes}}) {
    if (*bytes == 0 || !is_kept(key, stream)) continue;
    // The last step of end() that may be missing.
    ::unlink(live_path(live->second, stream).c_str());
    *bytes = 0;
  }
  return end(task, attempt, out_bytes, err_bytes);
}

bool OutputStore::is_kept(const LiveKey& task, OutputStream stream) {
  const auto index = job_path(task.job) + kIndexFile;
  return index_.find(index, task.index, task.attempt, stream).has_value();
}

// What a task has written stays where it is on a full disk: its file becomes the task's own, as a
// large one does, which takes no room but that of the names.
Result<void> OutputStore::keep(
    const LiveKey& task, std::uint32_t slot, OutputStream stream, std::uint64_t size) {
  const auto live = live_path(slot, stream);
  if (options_.task_limit != 0) size = std::min(size, options_.task_limit);
  OutputRecord record{.index = task.index,
      .number = sched::number_of(task.attempt),
      .stream = static_cast<std::uint8_t>(stream),
      .own_file = size > kCopyMax ? OutputRecord::kOwnFile : std::uint8_t{0},
      .offices = static_cast<std::uint16_t>(task.attempt >> 16),
      .size = size};
  if (cut_off_.contains(task)) record.own_file = OutputRecord::kOwnFile | OutputRecord::kCutOff;
  auto kept = try_keep(task, live, record);
  if (!kept && sched::is_want_of_room(kept.error().code)) {
    spend_reserve();
    record.own_file |= OutputRecord::kOwnFile;
    kept = try_keep(task, live, record);
  }
  if (kept) return kept;
  ::unlink(live.c_str());  // Whatever happens, the next task of the slot starts with nothing.
  return failure_of(
      kept.error().code, "output of a task is lost: cannot write " + kept.error().text);
}

/// Each step leaves something that end_again() can go on from: the live file is emptied, or has
/// become the task's own file, before or after its record is there, never without one of them.
/// The text of the error is the path.
Result<void> OutputStore::try_keep(
    const LiveKey& task, const std::string& live, OutputRecord record) {
  const auto directory = job_path(task.job);
  const auto fail = [](const std::string& what) -> Result<void> {
    return tl::unexpected(Error{ErrorKind::io, what, errno});
  };
  if (!jobs_.contains(task.job)) {
    const auto home = directory.substr(0, directory.rfind('/'));
    if (::mkdir(home.c_str(), 0700) != 0 && errno != EEXIST) return fail(home);
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return fail(directory);
  }
  if (record.own_file != 0) {
    const auto path = own_file(directory, record);
    const bool moved = ::truncate(live.c_str(), static_cast<off_t>(record.size)) == 0 &&
        ::rename(live.c_str(), path.c_str()) == 0;
    const int error = errno;
    if (!moved && (error != ENOENT || ::access(path.c_str(), F_OK) != 0)) {
      errno = error;
      return fail(path);
    }
  } else if (auto copied = copy(live, directory + kStreamFile, record); !copied) {
    return copied;
  }
  auto appended = append_output_record(directory + kIndexFile, record);
  if (!appended) return tl::unexpected(Error{ErrorKind::io, directory, appended.error().code});
  if (record.own_file == 0 && ::truncate(live.c_str(), 0) != 0) return fail(live);
  JobFiles& files = jobs_[task.job];
  files.bytes += record.size + sizeof record;
  files.used_at = wall_clock_ns();
  bytes_ += record.size + sizeof record;
  return {};
}

Result<void> OutputStore::copy(
    const std::string& live, const std::string& path, OutputRecord& record) {
  const auto fail = [&](int error) -> Result<void> {
    return tl::unexpected(Error{ErrorKind::io, path, error});
  };
  const File from(live, O_RDONLY);
  const File to(path, O_RDWR | O_CREAT);
  if (!from || !to) return fail(errno);
  record.offset = to.size() & ((1ULL << 48) - 1);
  ::lseek(to.descriptor(), static_cast<off_t>(record.offset), SEEK_SET);
  for (std::uint64_t left = record.size; left > 0;) {
    const ssize_t sent = ::sendfile(to.descriptor(), from.descriptor(), nullptr, left);
    if (sent <= 0) {
      const int error = sent < 0 ? errno : EIO;
      if (::ftruncate(to.descriptor(), static_cast<off_t>(record.offset)) != 0) {
      }
      return fail(error);
    }
    left -= static_cast<std::uint64_t>(sent);
  }
  return {};
}

}  // namespace dunlin::node
