// SPDX-License-Identifier: MIT
#include "node/control/requests/pending.h"

#include "node/control/control_protocol.h"
#include "node/control/stopping.h"

namespace dunlin::node {
namespace {

/// A client with so much to read gets no more of a stream for now.
constexpr std::size_t kCongested = 1 << 20;
/// Kinds that clients of version 1 take for a failure of the system: to them they are `refused`.
constexpr ErrorKind kNewerKinds[] = {
    ErrorKind::forbidden, ErrorKind::busy, ErrorKind::quota, ErrorKind::conflict};

/// Has an error that this agent or another one tells be of a kind that a client knows.
void fit(Json& error, std::uint32_t protocol) {
  if (protocol >= kProtocolKinds) return;
  const auto kind = error.find("kind");
  if (kind == error.end() || !kind->is_string()) return;
  const auto& word = kind->get_ref<const std::string&>();
  for (const ErrorKind newer : kNewerKinds) {
    if (word != word_of(newer)) continue;
    *kind = word_of(ErrorKind::refused);
    return;
  }
}

}  // namespace

Json Reply::error_json(const Error& error) const {
  Json json = {{"kind", kind_word(error)}, {"text", error.text}};
  if (error.retry_ns > 0) json["retry_ns"] = error.retry_ns;
  if (is_never_given(error)) json["never"] = true;
  fit(json, protocol_);
  return json;
}

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
  if (const auto error = reply.find("error"); error != reply.end() && error->is_object()) {
    fit(*error, protocol_);
  }
  connection_->send(compact(reply));
  return more;
}

bool Reply::congested() const {
  return connection_->queued() > kCongested;
}

}  // namespace dunlin::node
