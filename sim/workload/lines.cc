// SPDX-License-Identifier: MIT
#include "sim/workload/lines.h"

#include <algorithm>
#include <cerrno>

#include "config/byte_order_mark.h"

namespace dunlin::sim {
namespace {

constexpr std::size_t kPiece = 1 << 17;

}  // namespace

LineFile::LineFile(std::string path, std::FILE* file)
    : path_(std::move(path)),
      file_(file),
      packed_bytes_(kPiece) {}

Result<LineFile> LineFile::open(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) return failure_of(errno, path);
  return LineFile(path, file);
}

Result<void> LineFile::fill_packed() {
  const std::size_t size = std::fread(packed_bytes_.data(), 1, packed_bytes_.size(), file_.get());
  if (std::ferror(file_.get()) != 0) return failure_of(errno, path_);
  packed_ = std::span<const char>(packed_bytes_).first(size);
  at_end_ = size == 0;
  return {};
}

Result<bool> LineFile::unpack() {
  const auto problem = [&](const std::string& what) {
    return failure(ErrorKind::corrupt, place_of(number_ + 1) + ": " + what);
  };
  const std::string data = "its " + std::string(unpacking_->name()) + " data ";
  std::span<char> room(plain_bytes_);
  while (room.size() == plain_bytes_.size()) {
    if (damaged_) return problem(data + "are damaged here");
    if (packed_.empty()) {
      if (auto read = fill_packed(); !read) return tl::unexpected(read.error());
    }
    // Between streams there may be zeros that fill a block of a tape or of a disk.
    while (between_ && !packed_.empty() && packed_.front() == '\0') packed_ = packed_.subspan(1);
    if (between_ && packed_.empty()) {
      if (at_end_) return false;
      continue;
    }
    const std::size_t before = packed_.size();
    const auto state = unpacking_->unpack(packed_, room);
    between_ = state == Unpacking::State::between;
    // An unpacker that neither reads nor writes would be called for ever.
    const bool stuck = packed_.size() == before && room.size() == plain_bytes_.size();
    if (stuck && at_end_) return problem("the file is cut off here: " + data + "go on");
    // What came before the damage is given first: then the line is known.
    damaged_ = state == Unpacking::State::damaged || stuck;
  }
  plain_ = std::string_view(plain_bytes_.data(), plain_bytes_.size() - room.size());
  return true;
}

Result<bool> LineFile::fill() {
  if (!begun_) {
    begun_ = true;
    if (auto read = fill_packed(); !read) return tl::unexpected(read.error());
    const std::string_view head(packed_.data(), packed_.size());
    unpacking_ = unpacking_of(head.substr(0, kPackedHead));
    if (unpacking_) plain_bytes_.resize(kPiece);
  } else if (!unpacking_) {
    if (auto read = fill_packed(); !read) return tl::unexpected(read.error());
  }
  if (unpacking_) return unpack();
  plain_ = std::string_view(packed_.data(), packed_.size());
  return !plain_.empty();
}

Result<bool> LineFile::next(std::string& line) {
  line.clear();
  bool is_whole = false;
  while (!is_whole) {
    if (plain_.empty()) {
      const auto filled = fill();
      if (!filled) return filled;
      if (!*filled) break;
    }
    const std::size_t end = plain_.find('\n');
    is_whole = end != std::string_view::npos;
    line += plain_.substr(0, end);
    plain_.remove_prefix(is_whole ? end + 1 : plain_.size());
  }
  if (!is_whole && line.empty()) return false;
  // Only the first line can begin with a byte order mark.
  if (number_++ == 0) line.erase(0, line.size() - config::without_mark(line).size());
  while (line.ends_with('\r')) line.pop_back();
  return true;
}

std::optional<std::string> odd_byte(std::string_view line) {
  const auto is_odd = [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f; };
  const auto odd = std::ranges::find_if(line, is_odd);
  if (odd == line.end()) return std::nullopt;
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(*odd);
  return "byte " + std::to_string(odd - line.begin() + 1) + " is 0x" + kDigits[value >> 4] +
      kDigits[value & 0xf] + ", which stands in no text";
}

}  // namespace dunlin::sim
