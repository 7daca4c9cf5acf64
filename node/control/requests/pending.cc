// SPDX-License-Identifier: MIT
#include "node/control/requests/pending.h"

#include "node/control/control_protocol.h"
#include "node/control/stopping.h"

namespace dunlin::node {
namespace {

/// A client with so much to read gets no more of a stream for now.
constexpr std::size_t kCongested = 1 << 20;

Json error_json(const Error& error) {
  Json json = {{"kind", kind_word(error)}, {"text", error.text}};
  if (is_never_given(error)) json["never"] = true;
  return json;
}

}  // namespace

void Reply::end(Json ok) const {
  connection_->send(compact({{"id", id_}, {"ok", std::move(ok)}, {"end", true}}));
}

void Reply::part(Json ok) const {
  connection_->send(compact({{"id", id_}, {"ok", std::move(ok)}}));
}

void Reply::fail(const Error& error) const {
  connection_->send(compact({{"id", id_}, {"error", error_json(error)}}));
}

bool Reply::pass(Json reply) const {
  const bool more = !reply.contains("end") && !reply.contains("error");
  reply["id"] = id_;
  connection_->send(compact(reply));
  return more;
}

bool Reply::congested() const {
  return connection_->queued() > kCongested;
}

}  // namespace dunlin::node
