// SPDX-License-Identifier: MIT
#include "node/store/shared_logs.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

#include "sched/raft/raft_check.h"

// Names of logs, one a line, in a file that only grows and is read once. The database is no place
// for them: an older one may be brought back, and must not bring an older list with it. A torn line
// costs no other name, because each stands between two line ends.
namespace dunlin::node {
namespace {

/// A name as text, and the end of its line.
constexpr std::size_t kSharedLine = 17;
/// The end of the file that is read, some hundred thousand names: more than logs a node opens while
/// any database of it is worth bringing back.
constexpr std::size_t kSharedMax = 2 << 20;

tl::unexpected<Error> shared_failure(const std::string& path) {
  return failure(ErrorKind::io, path + ": " + std::strerror(errno));
}

/// A file that is open.
class SharedFile {
 public:
  SharedFile(const std::string& path, int flags)
      : file_(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600)) {}
  ~SharedFile() {
    if (file_ >= 0) ::close(file_);
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

}  // namespace

Result<void> SharedLogs::open() {
  const SharedFile file(path_, O_RDONLY);
  if (file.get() < 0) {
    if (errno == ENOENT) return {};
    return shared_failure(path_);
  }
  const off_t end_at = ::lseek(file.get(), 0, SEEK_END);
  const off_t from = std::max<off_t>(end_at - static_cast<off_t>(kSharedMax), 0);
  if (end_at < 0 || ::lseek(file.get(), from, SEEK_SET) < 0) return shared_failure(path_);
  std::string text(static_cast<std::size_t>(end_at - from), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0) return shared_failure(path_);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  std::string_view rest(text.data(), size);
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;
    std::uint64_t log = 0;
    const auto [last, error] = std::from_chars(rest.data(), rest.data() + end, log, 16);
    if (error == std::errc{} && end == kSharedLine - 1 && last == rest.data() + end) {
      logs_.insert(log);
    }
    rest.remove_prefix(end + 1);
  }
  return {};
}

Result<void> SharedLogs::add(std::uint64_t log) {
  if (has(log)) return {};
  const SharedFile file(path_, O_WRONLY | O_CREAT | O_APPEND);
  if (file.get() < 0) return shared_failure(path_);
  // A line of its own, whatever a torn one before it left.
  const std::string line = "\n" + sched::hex_text(log) + "\n";
  const ssize_t put = ::write(file.get(), line.data(), line.size());
  if (put != static_cast<ssize_t>(line.size()) || ::fsync(file.get()) != 0) {
    return shared_failure(path_);
  }
  // The file may be new, and its name in the folder, too.
  if (logs_.empty()) {
    const std::size_t end = path_.rfind('/');
    const SharedFile folder(
        end == std::string::npos ? "." : path_.substr(0, end + 1), O_RDONLY | O_DIRECTORY);
    if (folder.get() < 0 || ::fsync(folder.get()) != 0) return shared_failure(path_);
  }
  logs_.insert(log);
  return {};
}

}  // namespace dunlin::node
