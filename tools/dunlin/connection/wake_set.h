// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::cli {

/// Several descriptors as one: it is readable when any of them is.
class WakeSet {
 public:
  WakeSet();
  ~WakeSet();
  WakeSet(const WakeSet&) = delete;
  WakeSet& operator=(const WakeSet&) = delete;

  /// Readable when one of those is.
  int fd() const { return fd_; }
  /// False if that can always be read, as a file on disk: then it is not in the set.
  bool add(int fd);
  /// Nothing if it is not in the set.
  void remove(int fd);

 private:
  int fd_;
};

/// True if a read would not wait.
bool is_readable(int fd);

}  // namespace dunlin::cli
