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

namespace dunlin::node {
namespace {

/// An output larger than this keeps its file instead of being copied to the job's stream.
constexpr std::uint64_t kCopyMax = 256u << 10;

}  // namespace

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

/// Each step leaves something that end_again() can go on from: the live file is emptied, or has
/// become the task's own file, before or after its record is there, never without one of them.
Result<void> OutputStore::keep(
    const LiveKey& task, std::uint32_t slot, OutputStream stream, std::uint64_t size) {
  const auto live = live_path(slot, stream);
  const auto directory = job_path(task.job);
  if (options_.task_limit != 0) size = std::min(size, options_.task_limit);
  OutputRecord record{.index = task.index,
      .number = sched::number_of(task.attempt),
      .stream = static_cast<std::uint8_t>(stream),
      .own_file = size > kCopyMax,
      .offices = static_cast<std::uint16_t>(task.attempt >> 16),
      .size = size};
  const auto fail = [&](int error, const std::string& what) {
    ::unlink(live.c_str());  // Whatever happens, the next task of the slot starts with nothing.
    return failure_of(error, "output of a task is lost: cannot write " + what);
  };
  if (!jobs_.contains(task.job)) {
    const auto home = directory.substr(0, directory.rfind('/'));
    if (::mkdir(home.c_str(), 0700) != 0 && errno != EEXIST) return fail(errno, home);
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return fail(errno, directory);
  }
  if (record.own_file != 0) {
    const auto path = own_file(directory, record);
    const bool moved = ::truncate(live.c_str(), static_cast<off_t>(size)) == 0 &&
        ::rename(live.c_str(), path.c_str()) == 0;
    const int error = errno;
    if (!moved && (error != ENOENT || ::access(path.c_str(), F_OK) != 0)) return fail(error, path);
  } else if (auto copied = copy(live, directory + kStreamFile, record); !copied) {
    ::unlink(live.c_str());
    return copied;
  }
  auto appended = append_output_record(directory + kIndexFile, record);
  if (record.own_file == 0 && ::truncate(live.c_str(), 0) != 0) return fail(errno, live);
  if (!appended) return appended;
  JobFiles& files = jobs_[task.job];
  files.bytes += size + sizeof record;
  files.used_at = wall_clock_ns();
  bytes_ += size + sizeof record;
  return {};
}

Result<void> OutputStore::copy(
    const std::string& live, const std::string& path, OutputRecord& record) {
  const auto fail = [&](int error) {
    return failure_of(error, "output of a task is lost: cannot write " + path);
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
