// SPDX-License-Identifier: MIT
#include "node/identity/private_file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

// Files with secrets. They are read only if no one else can read them, and written whole or not at
// all: a draft beside the file, brought to the disk, takes its name, and then the folder is brought
// to the disk as well, or a power cut could take the name back.
namespace dunlin::node {
namespace {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_;
};

/// False, with errno set, if not all of it could be written.
bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string octal(unsigned mode) {
  char text[8];
  std::snprintf(text, sizeof text, "%04o", mode & 07777);
  return text;
}

}  // namespace

Result<std::string> read_private_file(
    const std::filesystem::path& path, unsigned forbidden_mode, std::size_t bytes_max) {
  // Not blocking: a pipe in its place would hold the agent until somebody writes.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) {
    if (errno == ENOENT) return failure(ErrorKind::not_found, path.string() + ": no such file");
    return failure_of(errno, path.string());
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return failure_of(errno, path.string());
  if (!S_ISREG(status.st_mode)) {
    return failure(ErrorKind::refused, path.string() + ": is no regular file");
  }
  if ((status.st_mode & forbidden_mode) != 0) {
    return failure(ErrorKind::refused,
        path.string() + ": holds a secret, but its mode " + octal(status.st_mode) +
            " lets others at it; run: chmod 600 " + path.string());
  }
  std::string text(bytes_max + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure_of(errno, path.string());
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > bytes_max) {
    sodium_memzero(text.data(), text.size());
    return failure(ErrorKind::corrupt,
        path.string() + ": longer than " + std::to_string(bytes_max) + " bytes");
  }
  text.resize(size);
  return text;
}

Result<void> write_private_file(
    const std::filesystem::path& path, std::string_view text, bool replace) {
  const auto directory = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::string draft = path.string() + ".XXXXXX";  // mkstemp makes it with mode 0600.
  {
    const Descriptor file(::mkostemp(draft.data(), O_CLOEXEC));
    if (!file) return failure_of(errno, "cannot write in " + directory.string());
    if (!write_all(file.get(), text) || ::fsync(file.get()) != 0) {
      const int code = errno;
      ::unlink(draft.c_str());
      return failure_of(code, path.string());
    }
  }
  // link() alone refuses to replace what another process put there meanwhile.
  const int outcome =
      replace ? ::rename(draft.c_str(), path.c_str()) : ::link(draft.c_str(), path.c_str());
  const int code = errno;
  if (!replace || outcome != 0) ::unlink(draft.c_str());
  if (outcome != 0) {
    if (code != EEXIST) return failure_of(code, path.string());
    return failure(ErrorKind::refused, path.string() + ": exists already");
  }
  const Descriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::fsync(folder.get()) != 0) return failure_of(errno, directory.string());
  return {};
}

}  // namespace dunlin::node
