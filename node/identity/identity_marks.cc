// SPDX-License-Identifier: MIT
#include "node/identity/identity_marks.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <unistd.h>

#include "node/identity/private_file.h"
#include "sched/raft/checksum.h"

// The file is four lines of text: people can read it, and numbers of a fixed width can be written
// over in place, in one small write that the death of the process cannot tear. A power cut can, so
// the last line is a checksum of the others. A new incarnation replaces the whole file.
namespace dunlin::node {
namespace {

constexpr std::string_view kMarksLine = "dunlin marks 1\n";
constexpr std::string_view kChecksum = "checksum    ";
constexpr std::size_t kMarksMax = 256;

/// The number behind `name`, which the rest of `text` must begin with; moves on to the next line.
std::optional<std::uint32_t> take_number(std::string_view& text, std::string_view name, int base) {
  if (!text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());
  const auto end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::uint32_t value = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + end, value, base);
  if (error != std::errc{} || last != text.data() + end) return std::nullopt;
  text.remove_prefix(end + 1);
  return value;
}

std::uint32_t sum_of(std::string_view text) {
  return sched::crc32c(std::as_bytes(std::span(text)));
}

struct Marks {
  std::uint32_t incarnation = 0;
  std::uint32_t job_last = 0;
};

std::optional<Marks> parse_marks(std::string_view text) {
  const std::string_view whole = text;
  if (!text.starts_with(kMarksLine)) return std::nullopt;
  text.remove_prefix(kMarksLine.size());
  const auto incarnation = take_number(text, "incarnation ", 10);
  const auto job = take_number(text, "job         ", 10);
  const std::string_view summed = whole.substr(0, whole.size() - text.size());
  const auto checksum = take_number(text, kChecksum, 16);
  if (!incarnation || !job || !checksum || *checksum != sum_of(summed)) return std::nullopt;
  return Marks{.incarnation = *incarnation, .job_last = *job};
}

}  // namespace

Result<IdentityMarks> IdentityMarks::open(const std::filesystem::path& directory) {
  IdentityMarks marks(directory / "identity.marks");
  const auto text = read_private_file(marks.path_, 0, kMarksMax);
  if (!text && text.error().kind == ErrorKind::not_found) return marks;
  if (!text && text.error().kind != ErrorKind::corrupt) return tl::unexpected(text.error());
  const auto found = text ? parse_marks(*text) : std::nullopt;
  if (found) {
    marks.incarnation_ = found->incarnation;
    marks.job_last_ = found->job_last;
  } else {
    marks.damage_ = marks.path_.string() +
        ": damaged, and made anew: incarnations and job numbers go on from the database and the "
        "clock";
  }
  return marks;
}

IdentityMarks::IdentityMarks(IdentityMarks&& other) noexcept
    : path_(std::move(other.path_)),
      incarnation_(other.incarnation_),
      job_last_(other.job_last_),
      damage_(std::move(other.damage_)),
      file_(std::exchange(other.file_, -1)) {}

IdentityMarks::~IdentityMarks() {
  if (file_ >= 0) ::close(file_);
}

std::string IdentityMarks::text() const {
  char lines[kMarksMax];
  std::snprintf(
      lines, sizeof lines, "incarnation %010u\njob         %010u\n", incarnation_, job_last_);
  std::string text = std::string(kMarksLine) + lines;
  std::snprintf(lines, sizeof lines, "%08x\n", sum_of(text));
  return text + std::string(kChecksum) + lines;
}

Result<void> IdentityMarks::raise_incarnation(std::uint32_t incarnation) {
  incarnation_ = std::max(incarnation_, incarnation);
  if (auto written = write_private_file(path_, text(), true); !written) return written;
  if (file_ >= 0) ::close(file_);
  file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  return {};
}

void IdentityMarks::use_job(std::uint32_t number) {
  if (number <= job_last_) return;
  job_last_ = number;
  const std::string now = text();
  // A failure changes nothing, because the id of a job does not rest on this file.
  if (file_ >= 0) (void)!::pwrite(file_, now.data(), now.size(), 0);
}

Result<std::uint32_t> incarnation_after(std::uint32_t used, std::int64_t unix_seconds) {
  constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
  const std::int64_t next = std::max(std::int64_t{used} + 1, std::min(unix_seconds, kMax));
  if (next <= kMax) return static_cast<std::uint32_t>(next);
  return failure(ErrorKind::corrupt,
      "this identity has no incarnation left: something counted them too far; give the node a new "
      "identity with `dunlin identity --new`");
}

}  // namespace dunlin::node
