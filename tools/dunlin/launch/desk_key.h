// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/result.h"

namespace dunlin::cli {

/// The key of a cluster on this desk.
struct DeskKey {
  std::string path;
  std::string text;    ///< Of the key file; empty: this desk has none.
  bool fresh = false;  ///< Made just now: no agent has it.
};

/// The key in the file `flag` or, if that is empty, the one that is kept beside the list of the
/// cluster's hosts, which is made where it is missing and `may_make`. Fails, naming the file, if it
/// cannot be read, or others may read it.
Result<DeskKey> desk_key(const std::string& flag, const std::string& cluster, bool may_make);

}  // namespace dunlin::cli
