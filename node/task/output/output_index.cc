// SPDX-License-Identifier: MIT
#include "node/task/output/output_index.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <unistd.h>
#include <utility>

#include "node/task/output/output_file.h"

// Records are appended as tasks end, so the file is sorted by time, while users ask by task. The
// records asked for last stay in memory, sorted up to a point; the unsorted tail is searched line
// by line and sorted in when it grows. A file of a million tasks is so read once, and then only its
// new end.
// All records have one size, so a torn one (a full disk, a crash) is found by division and cut off.
namespace dunlin::node {
namespace {

/// Beyond so many unsorted records a lookup sorts them in.
constexpr std::size_t kTailMax = 4096;

bool before(const OutputRecord& a, const OutputRecord& b) {
  return std::pair(a.index, a.attempt()) < std::pair(b.index, b.attempt());
}

/// No job has a task of this number.
constexpr std::uint32_t kNoTask = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint8_t kOriginStream = 255;

}  // namespace

OutputRecord record_of(const OutputOrigin& origin) {
  return {.index = kNoTask,
      .number = static_cast<std::uint16_t>(origin.roams ? 1 : 0),
      .stream = kOriginStream,
      .size = origin.user};
}

std::optional<OutputOrigin> origin_of(const OutputRecord& record) {
  if (record.index != kNoTask || record.stream != kOriginStream) return std::nullopt;
  return OutputOrigin{.user = record.size, .roams = record.number != 0};
}

Result<std::uint64_t> append_output_record(
    const Folder& folder, const std::string& name, const OutputRecord& record) {
  const File file(folder, name, O_WRONLY | O_CREAT | O_APPEND);
  if (!file) return failure_of(errno, "cannot open " + name);
  // A half-written record of an earlier incarnation or a full disk would shift all that follow it.
  const auto end = static_cast<off_t>(file.size());
  const off_t torn = end % static_cast<off_t>(sizeof record);
  if (torn != 0 && ::ftruncate(file.descriptor(), end - torn) != 0) {
    return failure_of(errno, "cannot mend " + name);
  }
  const ssize_t written = ::write(file.descriptor(), &record, sizeof record);
  if (written != sizeof record) {
    return failure_of(written < 0 ? errno : ENOSPC, "cannot write " + name);
  }
  return file.occupied();
}

void OutputIndexCache::clear() {
  path_.clear();
  records_.clear();
  sorted_ = 0;
}

void OutputIndexCache::refresh(const std::string& path) {
  if (path != path_) {
    clear();
    path_ = path;
  }
  const File file(folder_, path, O_RDONLY);
  if (!file) {
    clear();
    return;
  }
  const auto count = static_cast<std::size_t>(file.size()) / sizeof(OutputRecord);
  // Those read before do not change: the file only grows.
  std::size_t have = records_.size();
  if (count > have) {
    records_.resize(count);
    while (have < count) {
      const ssize_t got = ::pread(file.descriptor(), &records_[have],
          (count - have) * sizeof(OutputRecord), static_cast<off_t>(have * sizeof(OutputRecord)));
      if (got < static_cast<ssize_t>(sizeof(OutputRecord))) break;
      have += static_cast<std::size_t>(got) / sizeof(OutputRecord);
    }
    records_.resize(have);
  }
  if (records_.size() - sorted_ > kTailMax) {
    // Stable: of two records of one attempt the later one counts, and must stay behind.
    std::ranges::stable_sort(records_, before);
    sorted_ = records_.size();
  }
}

void OutputIndexCache::for_each(const std::string& path, std::uint32_t index, auto&& visit) {
  refresh(path);
  const auto sorted_end = records_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  const auto first =
      std::lower_bound(records_.begin(), sorted_end, OutputRecord{.index = index}, before);
  for (auto r = first; r != sorted_end && r->index == index; ++r) visit(*r);
  for (auto r = sorted_end; r != records_.end(); ++r) {
    if (r->index == index) visit(*r);
  }
}

// Of two records of one attempt the later one counts.
std::optional<OutputRecord> OutputIndexCache::find(
    const std::string& path, std::uint32_t index, std::uint32_t attempt, OutputStream stream) {
  std::optional<OutputRecord> found;
  for_each(path, index, [&](const OutputRecord& record) {
    const bool same = record.stream == static_cast<std::uint8_t>(stream);
    if (same && record.attempt() == attempt) found = record;
  });
  return found;
}

std::optional<std::uint32_t> OutputIndexCache::last_attempt(
    const std::string& path, std::uint32_t index) {
  std::optional<std::uint32_t> last;
  for_each(path, index,
      [&](const OutputRecord& record) { last = std::max(last.value_or(0), record.attempt()); });
  return last;
}

}  // namespace dunlin::node
