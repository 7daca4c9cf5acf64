// SPDX-License-Identifier: MIT
#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "node/control/agent_services.h"
#include "node/control/control_session.h"
#include "node/control/home/relay.h"
#include "node/read_json.h"

// When a client's requests are worked for, and on whose account. A message is served as it comes as
// long as its user has time left in this turn of the loop; then the connection is paused, and what
// had been read already waits for the next turn. Requests under way go on in the same way, each
// from where the last turn left off. So no client, however much it says, keeps the loop from
// others.
namespace dunlin::node {

void ControlSession::on_message(std::string_view text) {
  if (ended_) return;
  active_at_ = agent_.now();
  if (waiting_.empty() && accounts_.may_run(*account_)) return serve(text);
  // No more than was read at one time comes after the pause.
  waiting_.emplace_back(text);
  if (!std::exchange(paused_, true)) connection_->pause(true);
}

void ControlSession::serve(std::string_view text) {
  const overlay::Duration begun = accounts_.time();
  ++requests_counted_;
  std::string why;
  const Json request = read_json<Json>(text, &why);
  const auto id = request.is_object() ? request.find("id") : request.end();
  const bool numbered = id != request.end() && id->is_number();
  const Reply reply(*connection_, numbered ? *id : Json(nullptr), protocol_);
  if (!why.empty()) {
    reply.fail({ErrorKind::usage, "a request is refused that is " + why});
  } else if (!request.is_object()) {
    reply.fail({ErrorKind::usage, "a request must be one JSON object"});
  } else if (!numbered) {
    reply.fail({ErrorKind::usage, "a request must have a number as its 'id'"});
  } else {
    take(request, reply);
  }
  ++account_->requests;
  accounts_.charge(*account_, accounts_.time() - begun);
}

void ControlSession::serve_waiting() {
  while (!ended_ && !waiting_.empty() && accounts_.may_run(*account_)) {
    const std::string text = std::move(waiting_.front());
    waiting_.pop_front();
    serve(text);
  }
  if (!waiting_.empty() || !std::exchange(paused_, false)) return;
  connection_->pause(false);
}

void ControlSession::take(const Json& request, const Reply& reply) {
  try {
    dispatch(request, reply);
  } catch (const std::exception& fault) {
    tell_fault(accounts_, *account_, reply, Args(request).text("verb", 32), fault);
  }
}

/// The connection itself is its user's as soon as that is known.
Result<void> ControlSession::charge_to_speaker() {
  if (!remote_ && !speakers_.is_delegate()) return {};
  account_ = accounts_.of(speaker_.user);
  // A delegate that names nobody has the place for itself.
  if (!remote_ && speaker_.delegate.empty()) return {};
  if (place_.account() == nullptr || owned_) return {};
  const Place place = place_.place();
  const AccountPtr before = place_.account();
  place_ = {};  // Its own place must not stand in its way.
  auto own = accounts_.take(place, account_, speaker_.administrator);
  place_ = own ? std::move(*own) : HeldPlace(place, before);
  if (!own) return tl::unexpected(own.error());
  owned_ = true;
  return {};
}

void ControlSession::advance() {
  relays_->advance(agent_.now());
  const auto advanced = requests_.advance();
  if (advanced.ended) active_at_ = agent_.now();
  speakers_.let_pass(true);
  for (const auto& [request, reply] : advanced.again) take(request, reply);
  speakers_.let_pass(false);
  serve_waiting();
}

overlay::Time ControlSession::due() const {
  overlay::Time due = std::min(relays_->due(), requests_.due());
  // Nothing is due for a user who rests.
  if (!waiting_.empty()) due = std::min(due, agent_.now() + accounts_.rest_of(*account_));
  return due;
}

}  // namespace dunlin::node
