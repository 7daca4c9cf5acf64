// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>

namespace dunlin::node::warden {

/// The pipe that one of a task's streams is, and the file that keeps what comes out of it.
///
/// A pipe, not the file itself: a program may open its own output again ("echo two > /dev/stdout",
/// "tee /dev/stderr"), and that cuts a file and begins it anew, while of a pipe it loses nothing.
class KeptStream {
 public:
  enum class State { empty, more, ended };

  KeptStream() = default;
  ~KeptStream();
  KeptStream(const KeptStream&) = delete;
  KeptStream& operator=(const KeptStream&) = delete;

  /// Makes the pipe, and `file`, which is emptied. `owner` is the user that may open it again;
  /// empty: this process' own. Returns the errno, or 0.
  int open(const std::string& file, std::optional<uid_t> owner);
  /// The end that the task writes to; -1: none. It stays open here as long as the stream: the last
  /// writer's end would wake the warden twice for each task, only to say what the task's end says.
  int child_end() const { return child_; }
  /// The end that is read; -1: there is none, or no more is read.
  int descriptor() const { return own_; }
  /// The bytes that wait in the pipe.
  std::size_t waiting() const;
  /// Moves at most kPieces pieces, and so many bytes, into the file. Waits for no writer, but for
  /// the disk.
  State move(std::uint64_t bytes_max = ~std::uint64_t{0});
  /// The room on the disk of the file, in bytes; empty if that can't be told.
  std::optional<std::uint64_t> room() const;
  /// No more is read. A task that still writes is told so by EPIPE.
  void close();
  /// The errno that the file was not written with; 0: all that was read is in it.
  int failed() const { return failed_; }
  /// The bytes that were moved. The file may have fewer: the agent cuts one that has grown too
  /// large.
  std::uint64_t moved() const { return moved_; }

 private:
  /// One piece. Returns its size, 0 at the end, or -1 with errno.
  ssize_t move_piece(std::size_t bytes_max);
  State fail(int code);

  static constexpr int kPieces = 8;
  static constexpr int kPipe = 1 << 20;  ///< Bytes of the pipe of a task that writes much.

  int child_ = -1;
  int own_ = -1;
  int file_ = -1;
  bool wide_ = false;
  std::atomic<int> failed_ = 0;
  std::atomic<std::uint64_t> moved_ = 0;
};

/// The streams of one task that are kept here.
class TaskOutput {
 public:
  static constexpr std::size_t kStreams = 2;  ///< stdout, stderr.

  KeptStream& stream(std::size_t index) { return streams_[index]; }
  const KeptStream& stream(std::size_t index) const { return streams_[index]; }
  /// The first errno that one of them was not written with, or 0.
  int failed() const;

 private:
  std::array<KeptStream, kStreams> streams_;
};

}  // namespace dunlin::node::warden
