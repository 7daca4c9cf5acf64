// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <sys/types.h>

#include "overlay/result.h"

namespace dunlin::node {

/// Fails (`refused`, with the cure) if a user other than root and `user` could put another file or
/// directory in the place of `path`: if `path`, a directory above it, or a symbolic link on the way
/// belongs to another user, or if others may write to a directory above it that is not sticky.
/// Where `path` is not there yet, what is there of the way to it is looked at. `what` names it in
/// the text: "the data directory". Others may write to `path` itself: its user looks at that.
Result<void> check_trusted(const std::string& path, uid_t user, const std::string& what);

/// The same, and also if others may write to the directory `path` itself and it is not sticky.
Result<void> check_trusted_directory(const std::string& path, uid_t user, const std::string& what);

}  // namespace dunlin::node
