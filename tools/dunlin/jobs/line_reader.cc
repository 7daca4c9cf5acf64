// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/line_reader.h"

#include <cerrno>

#include "config/byte_order_mark.h"

// A list of tasks may be longer than memory should hold at once: it is read in chunks, while
// earlier ones are on their way to the agent. A line becomes words of a command, so what no
// argument can hold is refused here, with the number of its line.
namespace dunlin::cli {
namespace {

constexpr std::size_t kPiece = 64 * 1024;

}  // namespace

Result<LineReader> LineReader::open(const std::string& path) {
  if (path == "-") return LineReader(stdin, "stdin");
  std::FILE* const file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return failure_of(errno, path);
  return LineReader(file, path);
}

Result<std::vector<std::string>> LineReader::next_chunk() {
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  while (bytes < kChunkBytes && !at_end()) {
    char piece[kPiece];
    const std::size_t size = std::fread(piece, 1, sizeof piece, file_.get());
    if (size == 0 && std::ferror(file_.get()) != 0) return failure_of(errno, name_);
    at_end_ = size == 0;
    bytes += size;
    std::string_view text(piece, size);
    for (auto end = text.find('\n'); end != text.npos; end = text.find('\n')) {
      rest_ += text.substr(0, end);
      if (auto fine = take(rest_, lines); !fine) return tl::unexpected(fine.error());
      rest_.clear();
      text.remove_prefix(end + 1);
    }
    rest_ += text;
    // A line without an end must not fill memory: it is refused as soon as it is too long.
    if (at_end_ || rest_.size() > kLineMax) {
      if (auto fine = take(rest_, lines); !fine) return tl::unexpected(fine.error());
      rest_.clear();
    }
  }
  return lines;
}

// Lines are counted with the empty ones, so that errors name the line that an editor shows.
Result<void> LineReader::take(std::string_view line, std::vector<std::string>& lines) {
  if (line_++ == 0) line = config::without_mark(line);
  if (line.ends_with('\r')) line.remove_suffix(1);
  // An empty line is no task: files often end with one.
  if (line.empty()) return {};
  const std::string place = name_ + ":" + std::to_string(line_) + ": ";
  if (line.size() > kLineMax) {
    return failure(ErrorKind::usage, place + "longer than 64 KiB; pass long input in files");
  }
  if (line.find('\0') != line.npos) {
    return failure(ErrorKind::usage, place + "holds a zero byte, which no argument can");
  }
  lines.emplace_back(line);
  return {};
}

}  // namespace dunlin::cli
