// SPDX-License-Identifier: MIT
#include "web/agent/upstream.h"

#include <utility>

namespace dunlin::web {
namespace {

/// How often the agent is looked for.
/// Short enough that a restart of the agent is seen as a blink, long enough to cost nothing all
/// night.
constexpr std::uint64_t kRetryMs = 500;

}  // namespace

Upstream::Upstream(uv_loop_t& loop, std::string socket, bool names_users, UpstreamBounds bounds)
    : loop_(loop),
      socket_(std::move(socket)),
      names_users_(names_users),
      bounds_(bounds) {
  uv_timer_init(&loop, timer_.get());
  timer_->data = this;
  uv_timer_start(
      timer_.get(), [](uv_timer_t* timer) { static_cast<Upstream*>(timer->data)->tick(); },
      kRetryMs, kRetryMs);
  uv_idle_init(&loop, idle_.get());
  idle_->data = this;
  connect();
}

Upstream::~Upstream() = default;

// While a try is under way requests wait for it; once it failed they fail until the next one.
void Upstream::connect() {
  shared_ = std::make_unique<AgentLink>(loop_, socket_,
      AgentLink::Seams{.ready =
                           [this] {
                             was_there_ = true;
                             hello_ = shared_->hello();
                             if (changed_) changed_(true);
                           },
          .lost = [this] { on_lost(); }});
}

void Upstream::on_lost() {
  const bool was_there = std::exchange(was_there_, false);
  // The reason is kept: requests until the next try are told what that one found.
  away_ = *shared_->lost();
  // This is called by that very link, which must live until it returns.
  retired_.push_back(std::move(shared_));
  if (was_there && changed_) changed_(false);
}

AgentLink* Upstream::link_of(const std::string& user) {
  // The agent believes the kernel: on the one connection of a user's own gateway all is that
  // user's.
  if (!names_users_ || user.empty()) return shared_.get();
  if (const auto found = links_.find(user); found != links_.end()) {
    // Each user's link is made anew when that user asks again, and not before: nobody may be there.
    if (!found->second->lost()) return found->second.get();
    retire(found);
  }
  if (links_.size() >= bounds_.users && !make_room()) return nullptr;
  auto link = std::make_unique<AgentLink>(loop_, socket_, AgentLink::Seams{});
  return links_.emplace(user, std::move(link)).first->second.get();
}

bool Upstream::make_room() {
  auto oldest = links_.end();
  for (auto each = links_.begin(); each != links_.end(); ++each) {
    // One at work is not ended for another user: that one's requests would fail for no fault of
    // theirs.
    if (!each->second->idle_since()) continue;
    const bool older =
        oldest == links_.end() || *each->second->idle_since() < *oldest->second->idle_since();
    if (older) oldest = each;
  }
  if (oldest == links_.end()) return false;
  retire(oldest);
  return true;
}

void Upstream::retire(Links::iterator link) {
  link->second->close();
  retired_.push_back(std::move(link->second));
  links_.erase(link);
}

std::uint64_t Upstream::ask(
    std::string_view verb, std::string members, const std::string& user, Handler handler) {
  const std::uint64_t number = ++number_last_;
  const bool named = names_users_ && !user.empty();
  AgentLink* const link = link_of(user);
  if (link == nullptr) {
    turn_away(number, std::move(handler),
        named ? Trouble{"full",
                    "all " + std::to_string(bounds_.users) +
                        " connections of the gateway to the agent are in use by other users: try "
                        "again in a few seconds"}
              : away_);
    return number;
  }
  // The last member: a `speaker` in what the client sent was refused before, see Gateway::submit().
  if (named) {
    if (!members.empty()) members += ',';
    members += "\"speaker\":{\"user\":" + client::json_text(user) + "}";
  }
  link->ask(number, verb, std::move(members), std::move(handler));
  return number;
}

void Upstream::stop(std::uint64_t number) {
  std::erase_if(turned_, [number](const Turned& each) { return each.number == number; });
  if (shared_ != nullptr) shared_->stop(number);
  // Numbers are unique among all links, and at most 65 are asked.
  for (const auto& [user, link] : links_) link->stop(number);
}

void Upstream::turn_away(std::uint64_t number, Handler handler, Trouble why) {
  turned_.push_back({number, std::move(handler), std::move(why)});
  uv_idle_start(
      idle_.get(), [](uv_idle_t* idle) { static_cast<Upstream*>(idle->data)->answer_turned(); });
}

// A request that is made again at once is answered in the next turn of the loop.
void Upstream::answer_turned() {
  for (std::size_t left = turned_.size(); left > 0 && !turned_.empty(); --left) {
    const Turned next = std::move(turned_.front());
    turned_.pop_front();
    fail_request(next.handler, next.why);
  }
  if (turned_.empty()) uv_idle_stop(idle_.get());
}

void Upstream::tick() {
  // Freed here at the end, with no link's callback on the stack.
  const auto gone = std::exchange(retired_, {});
  const std::uint64_t now_ms = uv_now(&loop_);
  for (auto each = links_.begin(); each != links_.end();) {
    const auto link = each++;
    const auto idle_since = link->second->idle_since();
    const bool over = idle_since && now_ms - *idle_since >= bounds_.idle_ms;
    if (over || link->second->lost()) retire(link);
  }
  if (shared_ == nullptr) connect();
}

}  // namespace dunlin::web
