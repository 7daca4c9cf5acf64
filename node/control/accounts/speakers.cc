// SPDX-License-Identifier: MIT
#include "node/control/accounts/speakers.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "node/agent_options.h"
#include "sched/job.h"

namespace dunlin::node {
namespace {

bool is_named(std::string_view list, const std::string& user) {
  return !user.empty() && std::ranges::count(split_list(list), user) > 0;
}

/// The user that a request names; empty: none.
std::string user_named(Args& request) {
  return request.object("speaker").text("user", sched::kJobNameMax);
}

/// Another agent, or a user with the cluster key, says all of it.
Principal told_by_holder(const Principal& caller, Args& request) {
  Principal speaker = caller;
  if (!request.has("speaker")) {
    speaker.user = request.text("owner", sched::kJobNameMax);
    return speaker;
  }
  Args said = request.object("speaker");
  speaker.user = said.text("user", sched::kJobNameMax);
  speaker.administrator = said.flag("administrator");
  speaker.delegate = said.text("delegate", sched::kJobNameMax);
  return speaker;
}

}  // namespace

/// A request that waits until the rights of its user are known.
class Speakers::Lookup final : public Pending {
 public:
  Lookup(Speakers& speakers, std::string user, Json request)
      : speakers_(speakers),
        user_(std::move(user)),
        request_(std::move(request)) {
    ++speakers_.waiting_[user_];
  }
  ~Lookup() override {
    const auto waiting = speakers_.waiting_.find(user_);
    if (--waiting->second == 0) speakers_.waiting_.erase(waiting);
  }

  bool advance(AgentServices&, const Reply&) override {
    if (speakers_.rights_->find(user_) != nullptr) {
      again_ = std::move(request_);
      return false;
    }
    // It may not have begun: so many at a time.
    speakers_.rights_->look_up(user_);
    return true;
  }
  std::string waits_for(const AgentServices&) const override {
    return "what user " + user_ + " may do to be looked up";
  }
  std::optional<Json> again() override { return std::exchange(again_, std::nullopt); }

 private:
  Speakers& speakers_;
  std::string user_;
  Json request_;
  std::optional<Json> again_;
};

Speakers::Speakers(const Principal& caller, std::string_view delegates)
    : caller_(caller),
      delegate_(!caller_.remote && is_named(delegates, caller_.user)) {}

Result<std::optional<Principal>> Speakers::of(Args& request) {
  if (caller_.remote) {
    Principal speaker = told_by_holder(caller_, request);
    if (auto fine = request.check(); !fine) return tl::unexpected(fine.error());
    return std::optional(std::move(speaker));
  }
  const std::string user = user_named(request);
  if (auto fine = request.check(); !fine) return tl::unexpected(fine.error());
  if (user.empty() || user == caller_.user) return std::optional(caller_);
  return named(user);
}

Result<std::optional<Principal>> Speakers::named(const std::string& user) {
  // Not passed over: a gateway that the configuration lacks would do as itself what others ask for.
  if (!delegate_) {
    return failure(ErrorKind::forbidden,
        "you are " + caller_.user + ", and speak for user '" + user +
            "': agent.delegates names the users who may speak for others");
  }
  if (rights_ == nullptr) return failure(ErrorKind::refused, "users cannot be looked up here");
  const bool waits = !pass_ && waiting_.contains(user);
  const UserRights* const found = waits ? nullptr : rights_->find(user);
  if (found == nullptr) {
    rights_->look_up(user);
    return std::optional<Principal>();
  }
  if (found->trouble != 0) {
    return failure(ErrorKind::io,
        "user '" + user + "', for whom " + caller_.user +
            " speaks, cannot be looked up: " + std::strerror(found->trouble));
  }
  if (found->name.empty()) {
    return failure(ErrorKind::refused,
        caller_.user + " speaks for user '" + user + "', and this machine has no such user");
  }
  return std::optional(Principal{.user = found->name,
      .administrator = found->administrator,
      .remote = false,
      .delegate = caller_.user});
}

std::unique_ptr<Pending> Speakers::look_up(Json request) {
  Args args(request);
  std::string user = user_named(args);
  return std::make_unique<Lookup>(*this, std::move(user), std::move(request));
}

}  // namespace dunlin::node
