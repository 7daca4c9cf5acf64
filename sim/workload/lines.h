// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"
#include "sim/workload/unpacking.h"

namespace dunlin::sim {

/// A text file read line by line, whatever its size; unpacked on the way if gzip, bzip2, xz or zstd
/// packed it. A line may hold any byte but its end. A byte order mark is no part of the first.
class LineFile {
 public:
  static Result<LineFile> open(const std::string& path);

  /// Reads the next line, without its end, into `line`. False at the end of the file.
  Result<bool> next(std::string& line);
  /// "path:line" of the line last read.
  std::string place() const { return place_of(number_); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  LineFile(std::string path, std::FILE* file);

  std::string place_of(std::uint64_t number) const { return path_ + ":" + std::to_string(number); }
  /// Fills `plain_` anew. False at the end of the file.
  Result<bool> fill();
  Result<void> fill_packed();
  Result<bool> unpack();

  std::string path_;
  std::uint64_t number_ = 0;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<char> packed_bytes_;
  std::vector<char> plain_bytes_;
  std::span<const char> packed_;  ///< What is read, and not yet unpacked.
  std::string_view plain_;        ///< What is unpacked, and not yet given.
  std::unique_ptr<Unpacking> unpacking_;
  bool begun_ = false;
  bool between_ = true;   ///< No packed stream has begun that has not ended.
  bool at_end_ = false;   ///< Of what is read.
  bool damaged_ = false;  ///< What follows can't be unpacked.
};

/// What is wrong with `line` if it holds a byte that no text does, such as NUL. Empty if none.
std::optional<std::string> odd_byte(std::string_view line);

}  // namespace dunlin::sim
