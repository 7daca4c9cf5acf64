// SPDX-License-Identifier: MIT
#include "node/task/output.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "node/task/output_file.h"
#include "node/wall_clock.h"

// A cluster runs millions of short tasks that write a line or nothing, so files are what costs.
// Running tasks write to files that are used again and again; at a task's end its bytes join its
// job's stream, and an index of fixed-size records says where they are. Jobs are deleted whole, the
// oldest first, when all of it grows too large: to cut holes into streams would cost more than it
// frees.
namespace dunlin::node {
namespace {

namespace fs = std::filesystem;

/// The jobs that one sweep() deletes the output of, at most: it must not stop the agent.
constexpr int kDropMax = 4;
/// Somebody may still look at output that is younger, in ns.
constexpr std::int64_t kFresh = 600'000'000'000;

std::string hex(std::uint64_t value) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
  const std::string text(digits, end);
  return std::string(16 - text.size(), '0') + text;
}

std::optional<std::uint64_t> read_hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto* const end = text.end();
  if (text.size() != 16 || std::from_chars(text.begin(), end, value, 16).ptr != end) return {};
  return value;
}

std::string directory_name(std::uint32_t number, std::uint64_t lineage) {
  return std::to_string(number) + (lineage == 0 ? "" : "-" + hex(lineage));
}

/// The number and the lineage of the job with a directory of this name.
std::optional<std::pair<std::uint32_t, std::uint64_t>> read_directory_name(std::string_view text) {
  const auto dash = text.find('-');
  const std::string_view digits = text.substr(0, dash);
  std::uint32_t number = 0;
  const auto* const end = digits.end();
  if (digits.empty() || std::from_chars(digits.begin(), end, number).ptr != end) return {};
  if (dash == std::string_view::npos) return std::pair{number, std::uint64_t{0}};
  const auto lineage = read_hex(text.substr(dash + 1));
  if (!lineage || *lineage == 0) return {};
  return std::pair{number, *lineage};
}

}  // namespace

Result<OutputStore> OutputStore::open(OutputOptions options) {
  std::error_code error;
  // Tasks open their files from their own directories.
  options.directory = fs::absolute(options.directory, error).string();
  const auto live = options.directory + "/live";
  for (const auto& directory : {options.directory, live}) {
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
      return failure_of(errno, "cannot make the output directory " + directory);
    }
  }
  if (::access(live.c_str(), W_OK) != 0) return failure_of(errno, "cannot write to " + live);
  OutputStore store(std::move(options));
  store.survey();
  store.make_reserve();
  return store;
}

void OutputStore::clear_live(const std::set<std::uint32_t>& taken) {
  std::set<std::string> in_use;
  for (const std::uint32_t slot : taken) {
    for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
      in_use.insert(live_path(slot, stream));
    }
  }
  std::error_code ignored;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(options_.directory + "/live", ignored)) {
    if (!in_use.contains(entry.path().string())) left.push_back(entry.path());
  }
  for (const auto& path : left) fs::remove_all(path, ignored);
}

/// Finds the output that earlier incarnations kept: <home>/<job>/ directories, with their sizes.
void OutputStore::survey() {
  std::error_code ignored;
  for (const auto& home : fs::directory_iterator(options_.directory, ignored)) {
    const auto id = read_hex(home.path().filename().string());
    if (!id) continue;
    for (const auto& job : fs::directory_iterator(home.path(), ignored)) {
      const auto named = read_directory_name(job.path().filename().string());
      if (!named) continue;
      JobFiles files;
      for (const auto& file : fs::directory_iterator(job.path(), ignored)) {
        struct stat found{};
        if (::stat(file.path().c_str(), &found) != 0) continue;
        files.bytes += static_cast<std::uint64_t>(found.st_size);
        files.used_at = std::max(files.used_at,
            std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec);
      }
      bytes_ += files.bytes;
      jobs_[{*id, named->first, named->second}] = files;
    }
  }
}

std::string OutputStore::live_path(std::uint32_t slot, OutputStream stream) const {
  return options_.directory + "/live/" + std::to_string(slot) + suffix(stream);
}

std::string OutputStore::job_path(const JobKey& job) const {
  return options_.directory + "/" + hex(job.home) + "/" + directory_name(job.number, job.lineage);
}

void OutputStore::begin(const sched::TaskId& task, std::uint32_t attempt, std::uint32_t slot) {
  live_[{key_of(task.job), task.index, attempt}] = slot;
}

OutputPiece OutputStore::read(const sched::TaskId& task,
    std::optional<std::uint32_t> attempt,
    OutputStream stream,
    std::uint64_t offset,
    std::uint32_t bytes_max) {
  const JobKey job = key_of(task.job);
  // Takes the running attempt that was asked for, or the last one.
  constexpr auto kLast = std::numeric_limits<sched::AttemptNumber>::max();
  const auto above = live_.upper_bound({job, task.index, attempt.value_or(kLast)});
  if (above != live_.begin()) {
    const auto& [key, slot] = *std::prev(above);
    if (key.job == job && key.index == task.index && (!attempt || key.attempt == *attempt)) {
      OutputPiece piece{.found = true, .attempt = key.attempt, .data = {}};
      if (const File file(live_path(slot, stream), O_RDONLY); file) {
        piece.total = file.size();
        piece.data = file.read(offset, bytes_max, piece.total);
      }
      return piece;
    }
  }
  const auto directory = job_path(job);
  const auto index = directory + kIndexFile;
  if (!attempt) attempt = index_.last_attempt(index, task.index);
  if (!attempt) return {.ended = true, .data = {}};
  OutputPiece piece{.ended = true, .attempt = *attempt, .data = {}};
  const auto record = index_.find(index, task.index, *attempt, stream);
  if (!record) {  // Found if only the other stream was silent.
    const auto other = stream == OutputStream::out ? OutputStream::err : OutputStream::out;
    piece.found = index_.find(index, task.index, *attempt, other).has_value();
    return piece;
  }
  piece.found = true;
  piece.cut_off = (record->own_file & OutputRecord::kCutOff) != 0;
  const File file(
      record->own_file != 0 ? own_file(directory, *record) : directory + kStreamFile, O_RDONLY);
  if (!file) return {.ended = true, .data = {}};
  const std::uint64_t begin = record->own_file != 0 ? 0 : record->offset;
  // After a power failure the index may know of more than reached the disk.
  const std::uint64_t size = file.size();
  piece.total = size < begin ? 0 : std::min(record->size, size - begin);
  if (offset < piece.total) piece.data = file.read(begin + offset, bytes_max, begin + piece.total);
  return piece;
}

void OutputStore::drop(std::map<JobKey, JobFiles>::iterator job) {
  std::error_code ignored;
  const auto path = job_path(job->first);
  fs::remove_all(path, ignored);
  ::rmdir(path.substr(0, path.rfind('/')).c_str());  // If it was the home's last.
  bytes_ -= job->second.bytes;
  jobs_.erase(job);
  index_.clear();
}

void OutputStore::forget(const sched::JobId& job) {
  const auto found = jobs_.find(key_of(job));
  if (found != jobs_.end()) drop(found);
}

std::size_t OutputStore::give_up_old() {
  std::set<JobKey> busy;
  for (const auto& [key, slot] : live_) busy.insert(key.job);
  const std::int64_t fresh = wall_clock_ns() - kFresh;
  std::size_t given_up = 0;
  for (; given_up < kDropMax; ++given_up) {
    auto oldest = jobs_.end();
    for (auto job = jobs_.begin(); job != jobs_.end(); ++job) {
      if (busy.contains(job->first) || job->second.used_at > fresh) continue;
      if (oldest == jobs_.end() || job->second.used_at < oldest->second.used_at) oldest = job;
    }
    if (oldest == jobs_.end()) break;
    drop(oldest);
  }
  return given_up;
}

void OutputStore::sweep() {
  make_reserve();
  std::uint64_t live_bytes = 0;
  for (const auto& [key, slot] : live_) {
    for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
      const auto path = live_path(slot, stream);
      struct stat found{};
      if (::stat(path.c_str(), &found) != 0) continue;
      auto size = static_cast<std::uint64_t>(found.st_size);
      if (options_.task_limit != 0 && size > options_.task_limit &&
          ::truncate(path.c_str(), static_cast<off_t>(options_.task_limit)) == 0) {
        size = options_.task_limit;
      }
      live_bytes += size;
    }
  }
  for (int dropped = 0; dropped < kDropMax && bytes_ + live_bytes > options_.total_limit;
      ++dropped) {
    const auto oldest =
        std::ranges::min_element(jobs_, {}, [](const auto& entry) { return entry.second.used_at; });
    if (oldest == jobs_.end()) return;
    drop(oldest);
  }
}

}  // namespace dunlin::node
