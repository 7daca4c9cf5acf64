// SPDX-License-Identifier: MIT
#include "web/agent/answers.h"

#include <utility>

#include "node/wall_clock.h"
#include "web/agent/upstream.h"

namespace dunlin::web {
namespace {

using client::Json;

constexpr std::uint64_t kSweepMs = 1'000;
/// The agent bounds what it does for a request, the longest by 15 s; this is for one that hangs.
constexpr std::uint64_t kPatienceMs = 30'000;
/// Answers that are kept for others who ask the same.
constexpr std::size_t kKeptMax = 256;

void append(Json& to, const Json& from, const std::string& name) {
  Json& list = to[name];
  if (!list.is_array()) list = Json::array();
  for (const Json& each : client::list_of(from, name)) list.push_back(each);
}

}  // namespace

Answers::Answers(uv_loop_t& loop, Upstream& upstream) : loop_(loop), upstream_(upstream) {
  uv_timer_init(&loop, timer_.get());
  timer_->data = this;
  uv_timer_start(
      timer_.get(), [](uv_timer_t* timer) { static_cast<Answers*>(timer->data)->check(); },
      kSweepMs, kSweepMs);
}

Answers::~Answers() = default;

void Answers::ask(const Question& question, Handler handler) {
  // A question that does something has a key of its own: two who ask the same want it twice.
  // All that the answer depends on. A user's name and a verb hold no end of a line.
  std::string key = question.user + "\n" + question.verb + "\n" + question.members;
  if (question.fresh_ms == 0) key += "\n" + std::to_string(++number_last_);
  const auto found = flights_.find(key);
  if (found != flights_.end() && found->second.done) {
    if (uv_now(&loop_) - found->second.at_ms < question.fresh_ms) {
      // Shared and not copied: the list of a large cluster is some megabytes.
      return handler(AnswerPtr(found->second.answer));
    }
    // Too old now, and check() has not come by yet.
    flights_.erase(found);
  }
  const bool is_new = !flights_.contains(key);
  flights_[key].waiting.push_back(std::move(handler));
  if (is_new) start(key, question);
}

void Answers::start(const std::string& key, const Question& question) {
  Flight& flight = flights_[key];
  flight.at_ms = uv_now(&loop_);
  flight.fresh_ms = question.fresh_ms;
  flight.answer->ok = Json::object();
  flight.request = upstream_.ask(question.verb, question.members, question.user,
      [this, key, gather = question.gather](client::Reply& reply) {
        const auto found = flights_.find(key);
        // It was answered already: check() found that it took too long.
        if (found == flights_.end() || found->second.done) return;
        Answer& answer = *found->second.answer;
        if (reply.failed()) {
          answer.trouble = Trouble{
              .kind = reply.kind, .detail = reply.problem.text, .retry_ns = reply.problem.retry_ns};
        } else if (gather.empty()) {
          answer.ok = std::move(reply.ok);
        } else {
          // Some lists come in several replies; here they become one.
          append(answer.ok, reply.ok, gather);
        }
        if (reply.last) finish(key);
      });
}

void Answers::finish(const std::string& key) {
  Flight& flight = flights_[key];
  flight.done = true;
  flight.at_ms = uv_now(&loop_);
  flight.answer->as_of_ns = node::wall_clock_ns();
  // Taken out first: a handler may ask the same again, and `flight` may be gone by then.
  const auto waiting = std::exchange(flight.waiting, {});
  const AnswerPtr answer = flight.answer;
  // An error is not kept: it may be over at once.
  const bool keep = flight.fresh_ms > 0 && !answer->trouble && flights_.size() <= kKeptMax;
  if (!keep) flights_.erase(key);
  for (const Handler& handler : waiting) handler(answer);
}

void Answers::forget() {
  std::erase_if(flights_, [](const auto& entry) { return entry.second.done; });
}

void Answers::check() {
  // Failed after the walk: finish() calls handlers, which change the map.
  std::vector<std::string> late;
  for (auto at = flights_.begin(); at != flights_.end();) {
    const Flight& flight = at->second;
    const std::uint64_t age_ms = uv_now(&loop_) - flight.at_ms;
    if (!flight.done && age_ms > kPatienceMs) late.push_back(at->first);
    at = flight.done && age_ms > flight.fresh_ms ? flights_.erase(at) : std::next(at);
  }
  for (const std::string& key : late) {
    // Otherwise a place of the connection, of which there are few, would be taken for good.
    upstream_.stop(flights_[key].request);
    flights_[key].answer->trouble = Trouble{.kind = "timeout",
        .detail = "the agent has not answered for " + std::to_string(kPatienceMs / 1'000) + " s"};
    finish(key);
  }
}

}  // namespace dunlin::web
