// SPDX-License-Identifier: MIT
#include "node/client/conversation.h"

namespace dunlin::client {
namespace {

int status_of(const std::string& kind) {
  if (kind == "usage") return DUNLIN_USAGE;
  if (kind == "not_found" || kind == "elsewhere") return DUNLIN_NOT_FOUND;
  if (kind == "refused" || kind == "stopping") return DUNLIN_REFUSED;
  if (kind == "corrupt") return DUNLIN_CORRUPT;
  if (kind == "timeout") return DUNLIN_TIMEOUT;
  return DUNLIN_IO;  // So are kinds of later agents.
}

}  // namespace

Problem problem_of(const std::string& kind, std::string text) {
  // An agent about to stop took nothing: the same may be asked of the next one.
  return {status_of(kind), std::move(text), kind == "stopping"};
}

}  // namespace dunlin::client
