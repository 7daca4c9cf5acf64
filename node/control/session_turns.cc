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
  const Reply reply(*connection_, numbered ? *id : Json(nullptr));
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
    fail(reply, *account_, Args(request).text("verb", 32), fault);
  }
}

void ControlSession::fail(
    const Reply& reply, Account& account, std::string_view verb, const std::exception& why) {
  accounts_.tell_fault(account, verb, why.what());
  reply.fail({ErrorKind::io,
      "this agent has a fault, and could not do that (" + std::string(why.what()) +
          "); its log names it"});
}

/// The connection itself is its user's as soon as that is known.
Result<void> ControlSession::charge_to_speaker() {
  if (!remote_) return {};
  account_ = accounts_.of(speaker_.user);
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
  Repeated again;
  advance_requests(again);
  for (const auto& [request, reply] : again) take(request, reply);
  serve_waiting();
}

void ControlSession::advance_requests(Repeated& again) {
  // Nothing is moved while requests advance: what they do may come back as on_result().
  const std::size_t count = requests_.size();
  std::optional<std::size_t> skipped;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (first_ + i) % count;
    Request& request = requests_[at];
    if (!accounts_.may_run(*request.account)) {
      if (!skipped) skipped = at;
    } else if (!advance(request, again)) {
      request.pending.reset();
    }
  }
  behind_ = skipped.has_value();
  const auto over = [](const Request& request) { return request.pending == nullptr; };
  const auto first = requests_.begin() + static_cast<std::ptrdiff_t>(skipped.value_or(0));
  first_ =
      skipped.value_or(0) - static_cast<std::size_t>(std::count_if(requests_.begin(), first, over));
  if (std::erase_if(requests_, over) > 0) active_at_ = agent_.now();
}

bool ControlSession::advance(Request& request, Repeated& again) {
  const overlay::Duration begun = accounts_.time();
  bool goes_on = false;
  try {
    goes_on = request.pending->advance(agent_, request.reply);
    if (goes_on) {
      tell_wait(request);
    } else {
      if (auto repeated = request.pending->again()) {
        again.emplace_back(std::move(*repeated), request.reply);
      }
    }
  } catch (const std::exception& fault) {
    goes_on = false;
    fail(request.reply, *request.account, request.verb, fault);
  }
  accounts_.charge(*request.account, accounts_.time() - begun);
  return goes_on;
}

overlay::Time ControlSession::due() const {
  overlay::Time due = relays_->due();
  // Nothing is due for a user who rests.
  const auto from = [&](const Account& account) {
    return agent_.now() + accounts_.rest_of(account);
  };
  if (!waiting_.empty()) due = std::min(due, from(*account_));
  for (const Request& request : requests_) {
    const overlay::Time own =
        behind_ ? overlay::Time{} : std::min(request.pending->due(), request.tell);
    due = std::min(due, std::max(own, from(*request.account)));
  }
  return due;
}

}  // namespace dunlin::node
