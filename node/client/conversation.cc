// SPDX-License-Identifier: MIT
#include "node/client/conversation.h"

#include <algorithm>
#include <chrono>

namespace dunlin::client {
namespace {

/// Longer is no pause that an agent means.
constexpr std::chrono::nanoseconds kPauseMax = std::chrono::minutes(1);

int status_of(const std::string& kind) {
  if (kind == "usage") return DUNLIN_USAGE;
  if (kind == "not_found" || kind == "elsewhere") return DUNLIN_NOT_FOUND;
  if (kind == "refused" || kind == "stopping") return DUNLIN_REFUSED;
  if (kind == "forbidden") return DUNLIN_FORBIDDEN;
  if (kind == "busy") return DUNLIN_BUSY;
  if (kind == "quota") return DUNLIN_QUOTA;
  if (kind == "conflict") return DUNLIN_CONFLICT;
  if (kind == "corrupt") return DUNLIN_CORRUPT;
  if (kind == "timeout") return DUNLIN_TIMEOUT;
  return DUNLIN_IO;  // So are kinds of later agents.
}

}  // namespace

Problem problem_of(const std::string& kind, std::string text, std::int64_t retry_ns) {
  // An agent about to stop took nothing: the same may be asked of the next one.
  return {status_of(kind), std::move(text), kind == "stopping",
      std::clamp<std::int64_t>(retry_ns, 0, kPauseMax.count())};
}

}  // namespace dunlin::client
