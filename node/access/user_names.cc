// SPDX-License-Identifier: MIT
#include "node/access/user_names.h"

#include <algorithm>
#include <memory>
#include <pwd.h>
#include <utility>
#include <vector>

// The system's database of users may be a directory service that does not answer for half a minute.
// An agent must gossip meanwhile, so a thread of libuv waits. A request cannot be taken back once
// it is at work: it outlives its owner, and frees itself.
namespace dunlin::node {
namespace {

std::string name_of(uid_t user) {
  std::vector<char> text(16'384);
  passwd entry{};
  passwd* found = nullptr;
  ::getpwuid_r(user, &entry, text.data(), text.size(), &found);
  return found != nullptr ? entry.pw_name : "#" + std::to_string(user);
}

}  // namespace

struct UserNames::Request {
  uv_work_t uv{};
  UserNames* owner = nullptr;  ///< Null when it has gone.
  uid_t user = 0;
  std::string name;
  Done done;
};

UserNames::~UserNames() {
  for (Request* const request : open_) {
    request->owner = nullptr;
    uv_cancel(reinterpret_cast<uv_req_t*>(&request->uv));
  }
}

void UserNames::find(uid_t user, Done done) {
  const auto known = known_.find(user);
  if (known != known_.end() && uv_now(&loop_) < known->second.until) {
    return done(known->second.name);
  }
  auto request = std::make_unique<Request>();
  request->uv.data = request.get();
  request->owner = this;
  request->user = user;
  request->done = std::move(done);
  const int status = uv_queue_work(
      &loop_, &request->uv,
      [](uv_work_t* work) {
        auto* const mine = static_cast<Request*>(work->data);
        mine->name = name_of(mine->user);
      },
      on_found);
  if (status == 0) {
    open_.insert(request.release());
  } else {
    request->done("#" + std::to_string(user));
  }
}

std::size_t UserNames::waiting(uid_t user) const {
  return static_cast<std::size_t>(std::ranges::count(open_, user, &Request::user));
}

void UserNames::on_found(uv_work_t* work, int status) {
  const std::unique_ptr<Request> request(static_cast<Request*>(work->data));
  UserNames* const self = request->owner;
  if (self == nullptr || status != 0) return;
  self->open_.erase(request.get());
  if (self->known_.size() >= kNamesMax) self->known_.clear();
  constexpr auto kept = std::chrono::duration_cast<std::chrono::milliseconds>(kKeep).count();
  self->known_[request->user] = {
      .name = request->name, .until = uv_now(&self->loop_) + static_cast<std::uint64_t>(kept)};
  request->done(request->name);
}

}  // namespace dunlin::node
