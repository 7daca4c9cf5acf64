// SPDX-License-Identifier: MIT
#include "node/store/data_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// Two agents on one data directory would be one peer with two minds, and spoil the books. The
// kernel's lock on a file ends with its process, however it ends, so no stale lock must ever be
// removed by hand.
namespace dunlin::node {

Result<DataLock> DataLock::acquire(const std::string& directory) {
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return failure_of(errno, "cannot make the data directory " + directory);
  }
  const auto path = directory + "/lock";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return failure_of(errno, "cannot write to the data directory: " + path);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    char holder[32] = {};
    const ssize_t got = ::pread(descriptor, holder, sizeof holder - 1, 0);
    ::close(descriptor);
    if (error != EWOULDBLOCK) return failure_of(error, "cannot lock " + path);
    return failure(ErrorKind::refused,
        "another agent" + (got > 0 ? " (process " + std::string(holder) + ")" : std::string()) +
            " uses the data directory " + directory + "; give this one its own with --data-dir");
  }
  const auto pid = std::to_string(::getpid());
  // The text is only for people. On a full disk the lock holds without it.
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    errno = 0;
  }
  return DataLock(descriptor);
}

DataLock::~DataLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace dunlin::node
