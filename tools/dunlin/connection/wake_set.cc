// SPDX-License-Identifier: MIT
#include "tools/dunlin/connection/wake_set.h"

#include <cerrno>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

namespace dunlin::cli {

WakeSet::WakeSet() : fd_(epoll_create1(EPOLL_CLOEXEC)) {}

WakeSet::~WakeSet() {
  if (fd_ >= 0) close(fd_);
}

bool WakeSet::add(int fd) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
  // False for files, which epoll does not take: they are always readable.
  // It may be there already.
  return epoll_ctl(fd_, EPOLL_CTL_ADD, fd, &event) == 0 || errno == EEXIST;
}

void WakeSet::remove(int fd) {
  epoll_ctl(fd_, EPOLL_CTL_DEL, fd, nullptr);
}

// Also true at an end or an error: whoever reads then learns of it.
bool is_readable(int fd) {
  pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&ready, 1, 0) == 1 && ready.revents != 0;
}

}  // namespace dunlin::cli
