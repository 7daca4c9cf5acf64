// SPDX-License-Identifier: MIT
#include "node/warden/use/counters.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <unistd.h>
#include <vector>

#include "node/kernel/kernel_file.h"

// The forms in which the kernel tells what processes have used: cgroup v2, cgroup v1 and /proc
// differ in names, units and in what they count. Here they become the same numbers: bytes and
// nanoseconds. A text that is not as expected gives nothing instead of a wrong number.
namespace dunlin::node {
namespace {

/// Cuts the next part of `text` off, up to `end` or the end of the text.
std::string_view cut(std::string_view& text, char end) {
  const auto size = std::min(text.find(end), text.size());
  const auto part = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return part;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    if (const auto word = cut(line, ' '); !word.empty()) words.push_back(word);
  }
  return words;
}

}  // namespace

std::optional<Device> parse_device(std::string_view text) {
  Device device;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, device.major);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != ':') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, device.minor);
  if (minor.ec != std::errc{}) return std::nullopt;
  return device;
}

DiskBytes parse_io_stat(std::string_view text, const CountsDevice& counts) {
  DiskBytes sum;
  while (!text.empty()) {
    const auto words = words_of(cut(text, '\n'));
    const auto device = words.empty() ? std::nullopt : parse_device(words.front());
    // A disk below another, such as LVM's, has the same bytes counted twice: see CountedDisks.
    if (!device || !counts(*device)) continue;
    for (const std::string_view word : words) {
      // Both keys have seven letters with the "=".
      const auto value = [&] { return leading_number(word.substr(7)).value_or(0); };
      if (word.starts_with("rbytes=")) sum.read += value();
      if (word.starts_with("wbytes=")) sum.written += value();
    }
  }
  return sum;
}

DiskBytes parse_blkio_bytes(std::string_view text, const CountsDevice& counts) {
  DiskBytes sum;
  while (!text.empty()) {
    const auto words = words_of(cut(text, '\n'));
    if (words.size() != 3) continue;  // "Total 3" is of all devices.
    const bool reads = words[1] == "Read";
    const auto device = parse_device(words[0]);
    if (!device || (!reads && words[1] != "Write") || !counts(*device)) continue;
    (reads ? sum.read : sum.written) += leading_number(words[2]).value_or(0);
  }
  return sum;
}

std::optional<DiskBytes> parse_process_io(std::string_view text) {
  const auto read = keyed_number(text, "read_bytes:");
  const auto written = keyed_number(text, "write_bytes:");
  if (!read || !written) return std::nullopt;
  // Bytes of files that were deleted or cut before they reached the disk.
  const std::uint64_t cancelled = keyed_number(text, "cancelled_write_bytes:").value_or(0);
  return DiskBytes{.read = *read, .written = *written - std::min(*written, cancelled)};
}

std::optional<std::uint64_t> parse_process_cpu(std::string_view text) {
  const auto name_end = text.rfind(')');  // The name may hold anything, even a ")".
  if (name_end == std::string_view::npos) return std::nullopt;
  const auto words = words_of(text.substr(name_end + 1));
  // See proc(5): fields 14 to 17; the first of `words` is field 3.
  // Its own times and those of children that it has waited for, in user mode and in the kernel.
  constexpr std::size_t kFirst = 11;
  constexpr std::size_t kTimes = 4;
  if (words.size() < kFirst + kTimes) return std::nullopt;
  std::uint64_t ticks = 0;
  for (std::size_t i = kFirst; i < kFirst + kTimes; ++i) {
    const auto time = leading_number(words[i]);
    if (!time) return std::nullopt;
    ticks += *time;
  }
  static const auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return ticks * (1'000'000'000 / per_second);
}

std::optional<DiskBytes> disk_bytes_of(pid_t process) {
  const auto text = read_kernel_file("/proc/" + std::to_string(process) + "/io");
  return text ? parse_process_io(*text) : std::nullopt;
}

std::optional<std::uint64_t> cpu_of(pid_t process) {
  const auto text = read_kernel_file("/proc/" + std::to_string(process) + "/stat");
  return text ? parse_process_cpu(*text) : std::nullopt;
}

}  // namespace dunlin::node
