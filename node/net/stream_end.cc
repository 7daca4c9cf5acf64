// SPDX-License-Identifier: MIT
#include <utility>

#include "node/net/stream.h"

// The ends of a stream: in good order, once all is sent; at a deadline; when its key is dropped; or
// broken off. The end is reported in the loop's next iteration where a caller may not see its
// stream end within its own call. Messages that are lost with a stream are counted.
namespace dunlin::node {

void Stream::finish_when_drained() {
  if (!ending_ || shut_ || !sealed_->open()) return;
  shut_ = true;
  // Closing with bytes unread would reset the connection, and the last ones sent might be lost:
  // wait until the other side has closed too.
  struct Shutdown {
    uv_shutdown_t request{};
  };
  auto* const shutdown = new Shutdown;
  const int status = uv_shutdown(&shutdown->request, reinterpret_cast<uv_stream_t*>(tcp_.get()),
      [](uv_shutdown_t* request, int) { delete reinterpret_cast<Shutdown*>(request); });
  if (status != 0) delete shutdown;
  deadline_->at(now(context_.loop) + context_.params.handshake_timeout);
}

void Stream::close() {
  if (!tcp_ || ending_) return;
  if (!sealed_->open()) return fail_soon(DropReason::truncated);
  ending_ = true;
  write();
}

void Stream::fail_soon(DropReason reason) {
  if (failing_ || !tcp_) return;
  failing_ = reason;
  deadline_->at(now(context_.loop));
}

void Stream::on_deadline() {
  const auto self = shared_from_this();
  if (failing_) return abort(failing_);
  if (shut_) return abort(std::nullopt);
  if (!sealed_->open()) {
    // A member says its first words at once. Only then there are answers to wait for.
    const overlay::Time due = begun_at_ + context_.params.handshake_timeout;
    if (sealed_->greeted() && now(context_.loop) < due) return deadline_->at(due);
    return abort(DropReason::too_slow);
  }
  // The caller gives up first, so that no message reaches a stream that was just closed.
  const auto patience = context_.params.idle_timeout * (incoming_ ? 2 : 1);
  const overlay::Time idle_at = active_at_ + patience;
  if (idle_at > now(context_.loop)) return deadline_->at(idle_at);
  if (queued() > 0) return abort(DropReason::too_slow);
  if (!control_) return close();
  deadline_->at(now(context_.loop) + patience);
}

std::optional<overlay::Time> Stream::idle_since() const {
  if (!usable() || !sealed_->open() || control_ || queued() > 0) return std::nullopt;
  return active_at_;
}

void Stream::rotate(const Keyring& keyring) {
  if (!tcp_) return;
  sealed_->rotate(keyring);
  const auto& key = sealed_->cluster_key();
  if (!key) return;
  if (!keyring.holds(*key)) return abort(DropReason::key);
  // Its successor will rest on the first key, so nothing is cut when this one is dropped.
  if (sealed_->open() && !control_ && !(key->secret == keyring.primary().secret)) close();
}

void Stream::abort(std::optional<DropReason> reason) {
  if (!tcp_) return;
  const auto self = shared_from_this();
  tcp_.reset();
  deadline_.reset();
  context_.counters.messages_unsent += early_.size() + std::exchange(unsent_, 0);
  early_.clear();
  early_bytes_ = 0;
  handle_message_ = nullptr;
  handle_drained_ = nullptr;
  if (const auto handle = std::exchange(handle_close_, nullptr)) handle();
  context_.owner.on_stream_closed(*this, reason);
}

}  // namespace dunlin::node
