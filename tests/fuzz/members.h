// SPDX-License-Identifier: MIT
#pragma once

#include "node/identity/identity.h"
#include "node/net/keyring.h"

namespace dunlin::fuzz {

/// Two nodes of one cluster.
struct Members {
  node::Identity us = node::Identity::generate();
  node::Identity other = node::Identity::generate();
  node::Keyring keyring = *node::Keyring::generate("fuzz");
};

}  // namespace dunlin::fuzz
