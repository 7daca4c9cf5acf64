// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "overlay/result.h"
#include "tools/dunlin/launch/child_process.h"
#include "tools/dunlin/launch/ssh.h"

namespace dunlin::cli {

/// A socket on this machine that is the one of an agent far away, by ssh. It lives as long as the
/// object, and ends with this process, however that ends.
class SocketForward {
 public:
  /// To the first host of the cluster NAME that answers. Fails with `not_found` if this desk knows
  /// no such cluster, and with `io` if no host of it answers.
  static Result<std::unique_ptr<SocketForward>> open(const std::string& cluster);

  const std::string& path() const { return path_; }

 private:
  SocketForward(PrivateDirectory directory, std::unique_ptr<ChildProcess> ssh, std::string path);

  PrivateDirectory directory_;
  std::unique_ptr<ChildProcess> ssh_;
  std::string path_;
};

}  // namespace dunlin::cli
