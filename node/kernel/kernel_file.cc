// SPDX-License-Identifier: MIT
#include "node/kernel/kernel_file.h"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <unistd.h>

// Files of /proc and of cgroups. They have no size, so they are read until their end, up to a
// bound; and what is written to one is an order to the kernel, whose answer is the error of the
// write. Numbers are taken out of their texts without a copy.
namespace dunlin::node {

std::optional<std::string> read_kernel_file(const std::string& path) {
  constexpr std::size_t kTextMax = 256u << 10;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text;
  char block[4096];
  ssize_t got = 0;
  while (text.size() < kTextMax && (got = ::read(file, block, sizeof block)) > 0) {
    text.append(block, static_cast<std::size_t>(got));
  }
  ::close(file);
  if (got < 0) return std::nullopt;
  return text;
}

int write_kernel_file(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const ssize_t written = ::write(file, text.data(), text.size());
  const int error = written < 0 ? errno : 0;
  ::close(file);
  return error;
}

std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> keyed_number(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == ' ') {
      const std::size_t value = line.find_first_not_of(' ', key.size());
      return value == line.npos ? std::nullopt : leading_number(line.substr(value));
    }
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return std::nullopt;
}

std::vector<pid_t> parse_pids(std::string_view text) {
  std::vector<pid_t> pids;
  while (!text.empty()) {
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
    if (error == std::errc{}) pids.push_back(pid);
    const auto used = static_cast<std::size_t>(end - text.data());
    text.remove_prefix(std::max<std::size_t>(used, 1));
  }
  return pids;
}

}  // namespace dunlin::node
