// SPDX-License-Identifier: MIT
#include "node/warden/output/task_output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "node/kernel/descriptor.h"

// Bytes go from the pipe to the file within the kernel.
namespace dunlin::node::warden {
namespace {

/// What a pipe holds before it is made wider.
constexpr std::size_t kNarrowPipe = 64u << 10;

/// As splice(), by way of this process.
ssize_t copy_piece(int pipe, int file, off_t at) {
  std::array<char, 16u << 10> piece;
  pollfd ready{.fd = pipe, .events = POLLIN, .revents = 0};
  if (::poll(&ready, 1, 0) < 0) return -1;
  if (ready.revents == 0) {
    errno = EAGAIN;
    return -1;
  }
  const ssize_t got = ::read(pipe, piece.data(), piece.size());
  for (ssize_t done = 0; done < got;) {
    const ssize_t written =
        ::pwrite(file, piece.data() + done, static_cast<std::size_t>(got - done), at + done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return -1;
    done += written;
  }
  return got;
}

}  // namespace

KeptStream::~KeptStream() {
  close();
}

int KeptStream::open(const std::string& file, std::optional<uid_t> owner) {
  file_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file_ < 0) return errno;
  // What a disk that was closed meanwhile left there is another task's. Most files are empty, and
  // to cut an empty one costs a transaction of the file system.
  struct stat found{};
  if (::fstat(file_, &found) != 0) return errno;
  if (found.st_size > 0 && ::ftruncate(file_, 0) != 0) return errno;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
  own_ = ends[0];
  child_ = ends[1];
  // A task may open its pipe again by /dev/stdout. No other user gets at it: it has no name but in
  // the task's own folder of /proc. So open to all is as good where no capability gives it away.
  if (owner && ::fchown(child_, *owner, static_cast<gid_t>(-1)) != 0) ::fchmod(child_, 0666);
  return 0;
}

std::size_t KeptStream::waiting() const {
  int bytes = 0;
  return own_ >= 0 && ::ioctl(own_, FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

std::optional<std::uint64_t> KeptStream::room() const {
  struct statvfs found{};
  if (file_ < 0 || ::fstatvfs(file_, &found) != 0) return std::nullopt;
  return std::uint64_t{found.f_bavail} * found.f_frsize;
}

KeptStream::State KeptStream::move(std::uint64_t bytes_max) {
  if (own_ < 0) return State::ended;
  if (!wide_ && waiting() >= kNarrowPipe) {
    // Only those that fill the narrow one: the kernel bounds what all pipes of a user may hold.
    wide_ = true;
    // One that is not allowed is as good, and slower.
    (void)::fcntl(own_, F_SETPIPE_SZ, kPipe);
  }
  std::uint64_t done = 0;
  for (int piece = 0; piece < kPieces && done < bytes_max; ++piece) {
    const ssize_t moved = move_piece(std::min<std::uint64_t>(bytes_max - done, kPipe));
    if (moved > 0) {
      done += static_cast<std::uint64_t>(moved);
      moved_ += static_cast<std::uint64_t>(moved);
      continue;
    }
    if (moved == 0) {
      close();
      return State::ended;
    }
    if (errno == EINTR) continue;
    return errno == EAGAIN ? State::empty : fail(errno);
  }
  return State::more;
}

ssize_t KeptStream::move_piece(std::size_t bytes_max) {
  // At the end of the file as it is now: the agent cuts one that has grown too large.
  struct stat found{};
  if (::fstat(file_, &found) != 0) return -1;
  off_t at = found.st_size;
  const ssize_t moved =
      ::splice(own_, nullptr, file_, &at, bytes_max, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
  if (moved >= 0 || errno != EINVAL) return moved;
  return copy_piece(own_, file_, found.st_size);  // A file system that cannot.
}

KeptStream::State KeptStream::fail(int code) {
  failed_ = code;
  close();
  return State::ended;
}

void KeptStream::close() {
  close_if_open(child_);
  close_if_open(own_);
  close_if_open(file_);
}

int TaskOutput::failed() const {
  for (const KeptStream& each : streams_) {
    if (each.failed() != 0) return each.failed();
  }
  return 0;
}

}  // namespace dunlin::node::warden
