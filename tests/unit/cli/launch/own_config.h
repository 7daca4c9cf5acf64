// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "tests/support/scratch.h"

namespace dunlin::cli {

/// While it lives the configuration of users is in a folder of its own.
class OwnConfig {
 public:
  OwnConfig() {
    if (const char* const before = std::getenv("XDG_CONFIG_HOME")) before_ = before;
    ::setenv("XDG_CONFIG_HOME", scratch_.path().c_str(), 1);
  }
  ~OwnConfig() {
    if (before_) {
      ::setenv("XDG_CONFIG_HOME", before_->c_str(), 1);
    } else {
      ::unsetenv("XDG_CONFIG_HOME");
    }
  }
  OwnConfig(const OwnConfig&) = delete;
  OwnConfig& operator=(const OwnConfig&) = delete;

  const test::Scratch& folder() const { return scratch_; }

 private:
  test::Scratch scratch_;
  std::optional<std::string> before_;
};

}  // namespace dunlin::cli
