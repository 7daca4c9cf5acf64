// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <sys/epoll.h>

#include "node/client/later.h"

namespace dunlin::client {

/// The timeout of epoll_wait() until `limit`, in ms, rounded up: to wake too early is to spin.
inline int ms_until(Time limit, Time now) {
  if (limit == kNever) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - now).count();
  // An hour at most, as the result is an int of ms: the thread that wakes then looks again.
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

/// Has an epoll watch a descriptor for `events`; `how` is EPOLL_CTL_ADD or EPOLL_CTL_MOD.
inline void watch(int poll, int fd, unsigned events, int how) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  ::epoll_ctl(poll, how, fd, &event);
}

}  // namespace dunlin::client
