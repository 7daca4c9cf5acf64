// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"

namespace dunlin::cli {

/// Lines of a file, a bounded piece of it at a time. Empty lines are left out; a last line needs no
/// newline, and a byte order mark is no part of the first.
class LineReader {
 public:
  static constexpr std::size_t kLineMax = 65'536;
  /// The bytes of a chunk, roughly.
  static constexpr std::size_t kChunkBytes = 1 << 20;

  /// Opens a file; "-" is stdin. Fails if it cannot be opened.
  static Result<LineReader> open(const std::string& path);

  /// The next lines; none at the end. Fails, naming the line, if one is longer than kLineMax or
  /// holds a zero byte, or if the file cannot be read.
  Result<std::vector<std::string>> next_chunk();
  /// True if next_chunk() has no more lines.
  bool at_end() const { return at_end_ && rest_.empty(); }

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdin) std::fclose(file);
    }
  };
  LineReader(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {}
  /// Adds one line, checked. Empty ones are left out.
  Result<void> take(std::string_view line, std::vector<std::string>& lines);

  std::unique_ptr<std::FILE, Close> file_;
  std::string name_;
  std::string rest_;  // The beginning of a line without its end.
  std::uint64_t line_ = 0;
  bool at_end_ = false;
};

}  // namespace dunlin::cli
