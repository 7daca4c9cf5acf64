// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "node/kernel/folder.h"
#include "node/message.h"
#include "node/task/output/output_index.h"
#include "node/task/output/output_ledger.h"

// The names of the files of an OutputStore, and how they are read.
namespace dunlin::node {

inline constexpr const char* kStreamFile = "stream";
inline constexpr const char* kIndexFile = "index";

/// Part of the format on the disk, as all names here: an agent of another version reads them.
inline const char* suffix(OutputStream stream) {
  return stream == OutputStream::out ? ".out" : ".err";
}

/// The file of an output that is not in its job's stream, in the directory of the job.
inline std::string own_file(const OutputRecord& record) {
  return std::to_string(record.index) + "." + std::to_string(record.attempt()) +
      suffix(static_cast<OutputStream>(record.stream));
}

/// Beside the live file of a stream that was cut: says of which attempt, and to how many bytes.
inline std::string cut_file(const std::string& live) {
  return live + ".cut";
}

/// Every file takes as much besides its blocks: its place in directory and table of files.
inline constexpr std::uint64_t kFileCost = 1024;

/// What a file occupies on the disk, in bytes: not how long it seems, for it may have holes.
inline std::uint64_t occupied_by(const struct stat& found) {
  constexpr std::uint64_t kBlock = 512;  // Of st_blocks, whatever the file system's.
  return static_cast<std::uint64_t>(found.st_blocks) * kBlock + kFileCost;
}

/// A file below a folder. Closes when it goes.
class File {
 public:
  File(const Folder& folder, std::string_view name, int flags)
      : descriptor_(folder.open_file(name, flags)) {}
  ~File() {
    if (descriptor_ < 0) return;
    const int error = errno;
    ::close(descriptor_);
    errno = error;
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  std::uint64_t size() const {
    struct stat found{};
    return ::fstat(descriptor_, &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
  }
  /// What it occupies on the disk.
  std::uint64_t occupied() const {
    struct stat found{};
    return ::fstat(descriptor_, &found) == 0 ? occupied_by(found) : kFileCost;
  }
  /// At most `bytes_max` bytes from `offset`, but none at `end` or beyond.
  std::string read(std::uint64_t offset, std::uint32_t bytes_max, std::uint64_t end) const {
    std::string data;
    if (offset >= end) return data;
    data.resize(std::min<std::uint64_t>(bytes_max, end - offset));
    const ssize_t got = ::pread(descriptor_, data.data(), data.size(), static_cast<off_t>(offset));
    data.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return data;
  }

 private:
  int descriptor_;
};

/// Names an attempt in such a file.
inline std::string attempt_text(
    const OutputJobKey& job, std::uint32_t index, std::uint32_t attempt) {
  std::string text;
  for (const std::uint64_t part : {job.home, std::uint64_t{job.number}, job.lineage,
           std::uint64_t{index}, std::uint64_t{attempt}}) {
    text += (text.empty() ? "" : ".") + std::to_string(part);
  }
  return text;
}

/// Says that a live file is to have so many bytes of that attempt, and no more. On a full disk it
/// may not be said.
inline void note_cut(const Folder& folder,
    const std::string& live,
    const std::string& attempt,
    std::uint64_t bytes) {
  const std::string text = attempt + " " + std::to_string(bytes);
  const File file(folder, cut_file(live), O_WRONLY | O_CREAT | O_TRUNC);
  if (file) (void)!::write(file.descriptor(), text.data(), text.size());
}

/// What note_cut() said of that attempt; empty: nothing. What it said of an earlier one of the slot
/// may still be there.
inline std::optional<std::uint64_t> noted_cut(
    const Folder& folder, const std::string& live, const std::string& attempt) {
  const File file(folder, cut_file(live), O_RDONLY);
  const std::string said = file ? file.read(0, 256, file.size()) : "";
  if (!said.starts_with(attempt + " ")) return std::nullopt;
  std::uint64_t bytes = 0;
  const auto* const end = said.data() + said.size();
  const auto read = std::from_chars(said.data() + attempt.size() + 1, end, bytes);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(bytes) : std::nullopt;
}

}  // namespace dunlin::node
