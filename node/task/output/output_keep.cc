// SPDX-License-Identifier: MIT
// The end of an attempt: its live output becomes its job's.
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "node/task/output/output.h"
#include "node/task/output/output_file.h"
#include "node/wall_clock.h"
#include "sched/task.h"

namespace dunlin::node {
namespace {

/// An output larger than this keeps its file instead of being copied to the job's stream.
constexpr std::uint64_t kCopyMax = 256u << 10;
/// A write of so much takes a block that was not there before.
constexpr std::size_t kTriedBlock = 4096;

/// Cuts a live file to so many bytes. False, with errno, if that fails.
bool cut_live_file(const Folder& folder, const std::string& live, std::uint64_t size) {
  const File file(folder, live, O_WRONLY);
  return file && ::ftruncate(file.descriptor(), static_cast<off_t>(size)) == 0;
}

/// Appends what a live file holds to the stream of a job, and notes where in `record`. Returns what
/// the stream occupies on the disk now, in bytes.
Result<std::uint64_t> append_to_stream(const File& live, const Folder& job, OutputRecord& record) {
  const auto fail = [](int error) -> Result<std::uint64_t> {
    return tl::unexpected(Error{ErrorKind::io, kStreamFile, error});
  };
  if (!live) return fail(errno);
  const File to(job, kStreamFile, O_RDWR | O_CREAT);
  if (!to) return fail(errno);
  // The record has 48 bits for it.
  record.offset = to.size() & ((1ULL << 48) - 1);
  ::lseek(to.descriptor(), static_cast<off_t>(record.offset), SEEK_SET);
  for (std::uint64_t left = record.size; left > 0;) {
    const ssize_t sent = ::sendfile(to.descriptor(), live.descriptor(), nullptr, left);
    if (sent <= 0) {
      const int error = sent < 0 ? errno : EIO;
      // Without the half of it: no record will ever name these bytes.
      if (::ftruncate(to.descriptor(), static_cast<off_t>(record.offset)) != 0) {
      }
      return fail(error);
    }
    left -= static_cast<std::uint64_t>(sent);
  }
  return to.occupied();
}

}  // namespace

int OutputStore::try_write(const sched::TaskId& task, std::uint32_t attempt, int met) {
  const auto live = live_.find({JobKey::of(task.job), task.index, attempt});
  if (live == live_.end()) return met;
  int error = met;
  for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
    const File file(live_folder_, live_name(live->second.slot, stream), O_RDWR);
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
  const LiveKey key{JobKey::of(task.job), task.index, attempt};
  const auto live = live_.find(key);
  if (live == live_.end()) return {};
  const Live ended = live->second;
  live_.erase(live);
  Result<void> result;
  if (out_bytes > 0) result = keep(key, ended, OutputStream::out, out_bytes);
  if (err_bytes > 0) {
    auto kept = keep(key, ended, OutputStream::err, err_bytes);
    if (result) result = std::move(kept);
  }
  cut_off_.erase(key);
  return result;
}

Result<void> OutputStore::end_again(const sched::TaskId& task,
    std::uint32_t attempt,
    std::uint64_t out_bytes,
    std::uint64_t err_bytes) {
  const LiveKey key{JobKey::of(task.job), task.index, attempt};
  const auto live = live_.find(key);
  if (live == live_.end()) return {};
  for (const auto& [stream, bytes] :
      {std::pair{OutputStream::out, &out_bytes}, std::pair{OutputStream::err, &err_bytes}}) {
    if (*bytes == 0 || !is_kept(key, stream)) continue;
    // The last step of end() that may be missing.
    live_folder_.unlink(live_name(live->second.slot, stream));
    *bytes = 0;
  }
  return end(task, attempt, out_bytes, err_bytes);
}

bool OutputStore::is_kept(const LiveKey& task, OutputStream stream) {
  const auto index = job_name(task.job) + "/" + kIndexFile;
  return index_.find(index, task.index, task.attempt, stream).has_value();
}

Folder OutputStore::make_job(const JobKey& job, const Live& task) {
  const auto name = job_name(job);
  if (kept_.find(job) != nullptr) return root_.folder(name);
  const bool made =
      root_.make_directory(name.substr(0, name.rfind('/'))) && root_.make_directory(name);
  Folder folder = made ? root_.folder(name) : Folder();
  struct stat found{};
  if (folder && (!folder.look_at(kIndexFile, found) || found.st_size == 0)) {
    // Without it the job counts as nobody's after a restart.
    (void)append_output_record(
        folder, kIndexFile, record_of({.user = task.user, .roams = task.roams}));
  }
  return folder;
}

// What a task has written stays where it is on a full disk: its file becomes the task's own, as a
// large one does, which takes no room but that of the names.
Result<void> OutputStore::keep(
    const LiveKey& task, const Live& live, OutputStream stream, std::uint64_t size) {
  size = std::min(size, limit_of(live, stream));
  // It was cut while the task wrote, where it grew too large.
  const File written(live_folder_, live_name(live.slot, stream), O_RDONLY);
  if (written) size = std::min(size, std::uint64_t{written.size()});
  OutputRecord record{.index = task.index,
      .number = sched::number_of(task.attempt),
      .stream = static_cast<std::uint8_t>(stream),
      .own_file = size > kCopyMax ? OutputRecord::kOwnFile : std::uint8_t{0},
      .offices = static_cast<std::uint16_t>(task.attempt >> 16),
      .size = size};
  const bool cut = live.cut_to[static_cast<std::size_t>(stream)] != kUncut;
  if (cut) live_folder_.unlink(cut_file(live_name(live.slot, stream)));
  if (cut || cut_off_.contains(task)) {
    record.own_file = OutputRecord::kOwnFile | OutputRecord::kCutOff;
  }
  auto kept = try_keep(task, live, record);
  if (!kept && sched::is_want_of_room(kept.error().code)) {
    // Room that was set aside for this: on a full disk names and the record need some, too.
    reserve_.spend();
    record.own_file |= OutputRecord::kOwnFile;
    kept = try_keep(task, live, record);
  }
  if (kept) return kept;
  // Whatever happens, the next task of the slot starts with nothing.
  live_folder_.unlink(live_name(live.slot, stream));
  return failure_of(kept.error().code,
      "output of a task is lost: cannot write " + options_.directory + "/" + kept.error().text);
}

/// Each step leaves something that end_again() can go on from: the live file is emptied, or has
/// become the task's own file, before or after its record is there, never without one of them.
/// The text of the error is the path below the directory of output.
Result<void> OutputStore::try_keep(const LiveKey& task, const Live& live, OutputRecord record) {
  const auto name = live_name(live.slot, static_cast<OutputStream>(record.stream));
  const auto directory = job_name(task.job);
  const auto fail = [](int error, const std::string& what) -> Result<void> {
    return tl::unexpected(Error{ErrorKind::io, what, error});
  };
  const Folder folder = make_job(task.job, live);
  if (!folder) return fail(errno, directory);
  const OutputJobFiles* const known = kept_.find(task.job);
  OutputJobFiles files =
      known != nullptr ? *known : OutputJobFiles{.user = live.user, .roams = live.roams};
  if (files.user == 0) files.user = live.user;
  Result<void> placed;
  if (record.own_file != 0) {
    placed = move(name, directory, record, files);
  } else if (auto stream = append_to_stream(File(live_folder_, name, O_RDONLY), folder, record)) {
    files.stream = *stream;
  } else {
    placed = tl::unexpected(stream.error());
  }
  if (!placed) return fail(placed.error().code, directory + "/" + placed.error().text);
  auto appended = append_output_record(folder, kIndexFile, record);
  files.index = appended.value_or(files.index);
  files.used_at = wall_clock_ns();
  kept_.put(task.job, files);
  if (!appended) return fail(appended.error().code, directory + "/" + kIndexFile);
  if (record.own_file == 0 && !cut_live_file(live_folder_, name, 0))
    return fail(errno, "live/" + name);
  return {};
}

Result<void> OutputStore::move(const std::string& live,
    const std::string& directory,
    const OutputRecord& record,
    OutputJobFiles& files) const {
  const auto own = own_file(record);
  const bool moved = cut_live_file(live_folder_, live, record.size) &&
      root_.rename("live/" + live, directory + "/" + own);
  const int error = errno;
  struct stat found{};
  const bool there = root_.look_at(directory + "/" + own, found);
  if (!moved && (error != ENOENT || !there)) {
    return tl::unexpected(Error{ErrorKind::io, own, error});
  }
  if (moved) files.others += occupied_by(found);
  return {};
}

}  // namespace dunlin::node
