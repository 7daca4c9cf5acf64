// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "node/message.h"
#include "node/task/output_index.h"

// The names of the files of an OutputStore, and how they are read.
namespace dunlin::node {

inline constexpr const char* kStreamFile = "/stream";
inline constexpr const char* kIndexFile = "/index";

inline const char* suffix(OutputStream stream) {
  return stream == OutputStream::out ? ".out" : ".err";
}

/// The file of an output that is not in its job's stream.
inline std::string own_file(const std::string& job, const OutputRecord& record) {
  return job + "/" + std::to_string(record.index) + "." + std::to_string(record.attempt()) +
      suffix(static_cast<OutputStream>(record.stream));
}

/// Closes when it goes.
class File {
 public:
  File(const std::string& path, int flags)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  std::uint64_t size() const {
    struct stat found{};
    return ::fstat(descriptor_, &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
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

}  // namespace dunlin::node
