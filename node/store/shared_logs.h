// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "overlay/result.h"

namespace dunlin::node {

/// The logs of this node in which other nodes were ever given a part, in the file `logs.shared`
/// beside the database. A database that is older than that, or that lost its last commits, still
/// has such a log as this node's alone: what it says of its log may be taken only if the file does
/// not know better. A name is added before any other node can have heard of its part, and is never
/// taken away, since an older database may be brought back at any time.
class SharedLogs {
 public:
  /// `path` names the file; add() makes it.
  explicit SharedLogs(std::string path) : path_(std::move(path)) {}

  /// Reads the file. One that is not there has no names; a line that makes no sense is skipped: a
  /// power cut may have torn it, and then no node had heard. Fails with `io`, naming the file.
  Result<void> open();
  bool has(std::uint64_t log) const { return logs_.contains(log); }
  /// Durable when it returns. Fails with `io`, naming the file.
  Result<void> add(std::uint64_t log);

 private:
  std::string path_;
  std::set<std::uint64_t> logs_;
};

}  // namespace dunlin::node
