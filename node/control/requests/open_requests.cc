// SPDX-License-Identifier: MIT
#include "node/control/requests/open_requests.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "node/control/agent_services.h"

// Requests that are not answered at once. Each turn of the loop lets all of them advance, beginning
// where the turn before had to skip one because its user had run for long enough: so no user's
// requests wait for ever behind another's. News from other nodes are offered to each; a request
// knows by itself what it waits for.
namespace dunlin::node {
namespace {

/// A person waits for so long without a word, ...
constexpr overlay::Duration kSilentMax = std::chrono::seconds(2);
/// ... and hears of another reason so soon.
constexpr overlay::Duration kTellAgain = std::chrono::milliseconds(500);

}  // namespace

void tell_fault(Accounts& accounts,
    Account& account,
    const Reply& reply,
    std::string_view verb,
    const std::exception& fault) {
  accounts.tell_fault(account, verb, fault.what());
  reply.fail({ErrorKind::io,
      "this agent has a fault, and could not do that (" + std::string(fault.what()) +
          "); its log names it"});
}

void OpenRequests::add(const Reply& reply,
    std::unique_ptr<Pending> pending,
    const Json& request,
    const std::string& verb,
    AccountPtr account) {
  Args args(request);
  const bool tells = args.flag("tell_waits") && args.check();
  requests_.push_back({.reply = reply,
      .pending = std::move(pending),
      .verb = verb,
      .account = std::move(account),
      .tell = tells ? agent_.now() + kSilentMax : overlay::kNever});
}

void OpenRequests::tell_wait(Request& request) {
  if (agent_.now() < request.tell) return;
  request.tell = agent_.now() + kTellAgain;
  std::string text = request.pending->waits_for(agent_);
  // Only news: a person reads this line, and scripts count replies.
  if (text.empty() || text == request.told) return;
  request.reply.part({{"waits", text}});
  request.told = std::move(text);
}

void OpenRequests::stop(const Json& id) {
  std::erase_if(requests_, [&](const Request& request) { return request.reply.id() == id; });
}

void OpenRequests::on_result(
    const sched::JobId& job, const sched::Report& report, overlay::PeerId worker) {
  for (const Request& request : requests_) {
    if (request.pending != nullptr) request.pending->on_result(job, report, worker);
  }
}

void OpenRequests::on_drain_reply(overlay::PeerId node, const sched::DrainReply& reply) {
  for (const Request& request : requests_) request.pending->on_drain_reply(node, reply);
}

void OpenRequests::on_home_is(overlay::PeerId node, const sched::HomeIs& told) {
  for (const Request& request : requests_) request.pending->on_home_is(node, told);
}

void OpenRequests::on_job_end(const overlay::Endpoint& from, const sched::JobEnd& told) {
  for (const Request& request : requests_) request.pending->on_job_end(from, told);
}

bool OpenRequests::on_cell_answer(overlay::PeerId node, const CellAnswer& answer) {
  return std::ranges::any_of(requests_,
      [&](const Request& request) { return request.pending->on_cell_answer(node, answer); });
}

bool OpenRequests::on_write_off_answer(overlay::PeerId node, const WriteOffAnswer& answer) {
  return std::ranges::any_of(requests_,
      [&](const Request& request) { return request.pending->on_write_off_answer(node, answer); });
}

Pending* OpenRequests::find(std::int64_t id) {
  const auto request = std::ranges::find_if(requests_,
      [&](const Request& each) { return each.pending != nullptr && each.reply.id() == Json(id); });
  return request == requests_.end() ? nullptr : request->pending.get();
}

OpenRequests::Advanced OpenRequests::advance() {
  Advanced advanced;
  // Nothing is moved while requests advance: what they do may come back as on_result().
  const std::size_t count = requests_.size();
  std::optional<std::size_t> skipped;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (first_ + i) % count;
    Request& request = requests_[at];
    if (!accounts_.may_run(*request.account)) {
      if (!skipped) skipped = at;
    } else if (!advance(request, advanced)) {
      request.pending.reset();
    }
  }
  behind_ = skipped.has_value();
  const auto over = [](const Request& request) { return request.pending == nullptr; };
  const auto first = requests_.begin() + static_cast<std::ptrdiff_t>(skipped.value_or(0));
  first_ =
      skipped.value_or(0) - static_cast<std::size_t>(std::count_if(requests_.begin(), first, over));
  advanced.ended = std::erase_if(requests_, over) > 0;
  return advanced;
}

bool OpenRequests::advance(Request& request, Advanced& advanced) {
  const overlay::Duration begun = accounts_.time();
  bool goes_on = false;
  try {
    goes_on = request.pending->advance(agent_, request.reply);
    if (goes_on) {
      tell_wait(request);
    } else if (auto repeated = request.pending->again()) {
      advanced.again.emplace_back(std::move(*repeated), request.reply);
    }
  } catch (const std::exception& fault) {
    goes_on = false;
    tell_fault(accounts_, *request.account, request.reply, request.verb, fault);
  }
  accounts_.charge(*request.account, accounts_.time() - begun);
  return goes_on;
}

overlay::Time OpenRequests::due() const {
  overlay::Time due = overlay::kNever;
  for (const Request& request : requests_) {
    const overlay::Time own =
        behind_ ? overlay::Time{} : std::min(request.pending->due(), request.tell);
    // Nothing is due for a user who rests.
    due = std::min(due, std::max(own, agent_.now() + accounts_.rest_of(*request.account)));
  }
  return due;
}

}  // namespace dunlin::node
