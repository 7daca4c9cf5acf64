// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "node/kernel/folder.h"

namespace dunlin::node {

/// Room set aside on the disk, for the names and records of output that filled it.
class OutputReserve {
 public:
  /// It is to be in `folder`.
  explicit OutputReserve(Folder folder) : folder_(std::move(folder)) {}

  /// Sets it aside, if there is so much room.
  void make();
  /// Leaves it to whoever writes next.
  void spend();

 private:
  Folder folder_;
  bool made_ = false;
};

}  // namespace dunlin::node
