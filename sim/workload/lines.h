// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "overlay/result.h"

namespace dunlin::sim {

/// A text file read line by line, whatever its size; unpacked on the way if it is gzipped.
class LineFile {
 public:
  static Result<LineFile> open(const std::string& path);

  /// Reads the next line, without its end, into `line`. False at the end of the file.
  Result<bool> next(std::string& line);
  /// "path:line" of the line last read.
  std::string place() const { return path_ + ":" + std::to_string(number_); }

 private:
  struct Close {
    void operator()(void* file) const;
  };

  explicit LineFile(std::string path, void* file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  std::uint64_t number_ = 0;
  std::unique_ptr<void, Close> file_;
};

}  // namespace dunlin::sim
