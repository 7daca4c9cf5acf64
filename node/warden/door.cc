// SPDX-License-Identifier: MIT
#include "node/warden/door.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "node/kernel/descriptor.h"
#include "node/kernel/trusted_path.h"
#include "node/warden/process_tree.h"
#include "node/warden/protocol.h"

// Tasks often run as the user of their agent, so neither the modes of files nor the user of a peer
// keep a task out: it could start what it likes under another's limits, or end its neighbours. But
// every process of a task descends from the warden, which is the reaper of their orphans, and no
// process can leave that tree. An agent is never below its warden. The kernel names the process
// that connected. If it has ended since, its number says nothing, so it is turned away.
namespace dunlin::node::warden {
namespace {

constexpr int kBacklog = 16;

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/// Why the process at the other end may not come in; empty if it may.
std::string objection_to(int guest) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(guest, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) {
    return "a process that this one cannot see";
  }
  const std::string name = "process " + std::to_string(peer.pid);
  if (peer.uid != ::geteuid()) return name + " of user " + std::to_string(peer.uid);
  int handle = -1;
  size = sizeof handle;
  ::getsockopt(guest, SOL_SOCKET, SO_PEERPIDFD, &handle, &size);  // Since Linux 6.5.
  const bool below = descends_from(peer.pid, ::getpid());
  bool alive = is_alive(peer.pid);
  if (handle >= 0) {
    // The handle is of the very process; its number may be another's by now.
    pollfd polled{.fd = handle, .events = POLLIN, .revents = 0};
    alive = alive && ::poll(&polled, 1, 0) == 0;
    ::close(handle);
  }
  if (below) return name + ", which belongs to a task";
  return alive ? "" : name + ", which has ended";
}

Result<std::string> make_secret(int directory, const std::string& path) {
  std::string secret(kSecretSize, '\0');
  if (::getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size())) {
    return failure_of(errno, "no randomness for the secret of the warden");
  }
  // A new file: one that is there could be open in another process already.
  ::unlinkat(directory, kSecretFile, 0);
  const int file =
      ::openat(directory, kSecretFile, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return failure_of(errno, "cannot make " + path + "/" + kSecretFile);
  const ssize_t written = ::write(file, secret.data(), secret.size());
  const int error = written < 0 ? errno : ENOSPC;
  ::close(file);
  if (written != static_cast<ssize_t>(secret.size())) {
    return failure_of(error, "cannot write " + path + "/" + kSecretFile);
  }
  return secret;
}

Result<int> listen_in(int directory, const std::string& path) {
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return failure_of(errno, "no socket for the warden");
  // By the descriptor, because the path of a socket may have 107 bytes at most.
  const std::string name = "/proc/self/fd/" + std::to_string(directory) + "/" + kSocketFile;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.c_str(), name.size());
  ::unlinkat(directory, kSocketFile, 0);
  // close_process() made the umask 077: the socket is its user's from the beginning.
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::fchmodat(directory, kSocketFile, 0600, 0) != 0 || ::listen(listener, kBacklog) != 0) {
    const int error = errno;
    ::close(listener);
    return failure_of(error, "cannot listen at " + path + "/" + kSocketFile);
  }
  return listener;
}

}  // namespace

Result<Door> Door::open(const std::string& path) {
  if (auto fine = check_trusted(path, ::geteuid(), "the warden's directory"); !fine) {
    return failure(ErrorKind::io, fine.error().text);  // To an agent, `refused` means a second one.
  }
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return failure_of(errno, "cannot make " + path);
  }
  const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (directory < 0) return failure_of(errno, "cannot enter " + path);
  struct Closed {
    ~Closed() { ::close(file); }
    int file;
  } const closed{directory};
  struct stat found{};
  if (::fstat(directory, &found) != 0 || found.st_uid != ::geteuid()) {
    return failure(ErrorKind::io, path + " belongs to another user; give it to this one by chown");
  }
  if (::fchmod(directory, 0700) != 0) return failure_of(errno, "cannot close " + path);

  Door door;
  door.lock_ = ::openat(directory, kLockFile, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (door.lock_ < 0) return failure_of(errno, "cannot make " + path + "/" + kLockFile);
  if (::flock(door.lock_, LOCK_EX | LOCK_NB) != 0) {
    return failure(ErrorKind::refused, "another warden lives in " + path);
  }
  // The text is only for people: the lock alone says that this warden lives.
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(door.lock_, 0) != 0 || ::pwrite(door.lock_, pid.data(), pid.size(), 0) < 0) {
    errno = 0;
  }
  auto secret = make_secret(directory, path);
  if (!secret) return tl::unexpected(secret.error());
  door.secret_ = std::move(*secret);
  const auto listener = listen_in(directory, path);
  if (!listener) return tl::unexpected(listener.error());
  door.listener_ = *listener;
  return door;
}

Door::Door(Door&& other) noexcept
    : lock_(std::exchange(other.lock_, -1)),
      listener_(std::exchange(other.listener_, -1)),
      secret_(std::move(other.secret_)) {}

Door::~Door() {
  close();
  if (lock_ >= 0) ::close(lock_);
}

void Door::close() {
  close_if_open(listener_);
}

std::optional<int> Door::accept(std::string& refused) {
  const int guest = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (guest < 0) return std::nullopt;
  refused = objection_to(guest);
  if (refused.empty()) return guest;
  ::close(guest);
  return std::nullopt;
}

bool Door::knows(std::string_view secret) const {
  if (secret.size() != secret_.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    difference |= static_cast<unsigned char>(secret[i] ^ secret_[i]);
  }
  return difference == 0;
}

}  // namespace dunlin::node::warden
