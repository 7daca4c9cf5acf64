// SPDX-License-Identifier: MIT
#include "web/stream/topic.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "node/client/json.h"
#include "web/agent/answers.h"
#include "web/agent/node_list.h"
#include "web/agent/upstream.h"

// The agent tells some things by itself (events, output) and others only when asked (jobs, nodes,
// its state). The first are followed by a request that stays open; the second are asked for again
// and again, and told only where they differ, so that a quiet cluster is quiet in the browser, too.
namespace dunlin::web {
namespace {

using client::Json;
using Kind = TopicName::Kind;

constexpr std::uint64_t kStateEveryMs = 2'000;
constexpr std::uint64_t kJobEveryMs = 1'000;
/// `nodes` asks every node: of very many, not so often.
constexpr std::uint64_t kMsOfNode = 2;
/// A follower that found no connection, or lost it, looks again after so long.
constexpr std::uint64_t kFollowPauseMs = 1'000;
/// A page shows the end of a log first; a task may have written gigabytes.
constexpr std::uint64_t kLogBefore = std::uint64_t{64} << 10;
/// Small enough that several fit into a ring of 1 MiB, base64 included.
constexpr std::uint64_t kLogPiece = std::uint64_t{192} << 10;

std::string dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Asks again and again how something is, and tells it when it has changed.
class PollSource final : public TopicSource {
 public:
  PollSource(const TopicName& name, std::string user, Seams seams)
      : name_(name),
        seams_(std::move(seams)) {
    question_.user = std::move(user);
    every_ms_ = name.kind == Kind::job ? kJobEveryMs : kStateEveryMs;
    // An answer that a page has just asked for will do, but not the one of the round before.
    question_.fresh_ms = every_ms_ / 2;
    if (name.kind == Kind::jobs) {
      question_.verb = "jobs";
      // Totals are what is told; with a limit of 1 hardly any job comes along.
      question_.members = "\"cluster\":true,\"limit\":1";
    } else if (name.kind == Kind::job) {
      question_.verb = "jobs";
      question_.members = "\"cluster\":true,\"ids\":[" + client::json_text(name.job) + "]";
    } else {
      question_.verb = name.kind == Kind::nodes ? "nodes" : "status";
    }
  }

  void tick() override {
    if (asking_ || ended_ || seams_.now_ms() < next_ms_) return;
    asking_ = true;
    next_ms_ = seams_.now_ms() + every_ms_;
    // What comes after the topic has gone must find nothing.
    seams_.answers.ask(question_, [this, alive = std::weak_ptr(alive_)](const AnswerPtr& answer) {
      if (!alive.expired()) take(*answer);
    });
  }

  void restart() override { next_ms_ = 0; }

 private:
  void take(const Answer& answer) {
    asking_ = false;
    if (answer.trouble) {
      // An agent that is away comes back; what is wrong stays so.
      const bool passes = answer.trouble->kind == "away" || answer.trouble->kind == "timeout" ||
          answer.trouble->kind == "busy" || answer.trouble->kind == "full" ||
          answer.trouble->kind == "stopping";
      if (!passes) finish(*answer.trouble);
      return;
    }
    Json data = told_of(answer.ok);
    if (name_.kind == Kind::job && data.is_null()) {
      return finish({"not_found", "there is no job " + name_.job});
    }
    Json compared = data;
    // It differs in each answer, and would make news of nothing.
    compared.erase("age_ns");
    std::string text = dumped(compared);
    const bool over = name_.kind == Kind::job && client::flag_of(data, "finished");
    if (text == last_) return;
    last_ = std::move(text);
    data["as_of_ns"] = answer.as_of_ns;
    seams_.tell(dumped(data));
    // A job that has ended may be run again, but hardly ever is.
    if (over) every_ms_ = 10 * kJobEveryMs;
  }

  Json told_of(const Json& ok) {
    if (name_.kind == Kind::nodes) {
      Json sums = node_sums(ok);
      every_ms_ =
          std::max(kStateEveryMs, kMsOfNode * client::number_of<std::uint64_t>(sums, "total"));
      return sums;
    }
    if (name_.kind == Kind::job) {
      const Json& jobs = client::list_of(ok, "jobs");
      return jobs.empty() ? Json() : jobs.front();
    }
    if (name_.kind == Kind::status) return ok;
    Json told = Json::object();
    for (const char* const part : {"totals", "matching", "nodes"}) {
      const Json* const value = client::member(ok, part);
      told[part] = value == nullptr ? Json() : *value;
    }
    return told;
  }

  void finish(const Trouble& trouble) {
    ended_ = true;
    seams_.end(trouble);
  }

  TopicName name_;
  Seams seams_;
  Question question_;
  std::string last_;
  std::uint64_t every_ms_ = 0;
  std::uint64_t next_ms_ = 0;
  bool asking_ = false;
  bool ended_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

/// A request that tells what happens, as it happens.
class FollowSource : public TopicSource {
 public:
  FollowSource(std::string user, Seams seams) : user_(std::move(user)), seams_(std::move(seams)) {}
  ~FollowSource() override {
    if (request_ != 0) seams_.upstream.stop(request_);
  }

  void tick() override {
    const bool waits = request_ != 0 || ended_ || seams_.now_ms() < next_ms_;
    if (!waits && seams_.upstream.connected()) begin();
  }
  // A request that still goes on has a connection of its own, which may end yet.
  void restart() override {
    if (request_ != 0) return;
    // The hub itself tells of the reset when the agent is back.
    missed_ = false;
    next_ms_ = 0;
    tick();
  }

 protected:
  virtual void begin() = 0;
  virtual void take(const Json& ok) = 0;

  void follow(std::string_view verb, std::string members) {
    request_ = seams_.upstream.ask(verb, std::move(members), user_,
        [this, alive = std::weak_ptr(alive_)](client::Reply& reply) {
          if (alive.expired()) return;
          if (reply.last) request_ = 0;
          if (!reply.failed()) {
            if (std::exchange(missed_, false)) seams_.reset();
            return take(reply.ok);
          }
          const bool passes =
              reply.kind == "away" || reply.kind == "full" || reply.kind == "stopping";
          if (!passes) return finish({reply.kind, reply.problem.text});
          // Told when the next request is answered, and not now: until then there is nothing to
          // fetch anew.
          missed_ = true;
          next_ms_ = seams_.now_ms() + kFollowPauseMs;
        });
  }
  void finish(const Trouble& trouble) {
    if (!std::exchange(ended_, true)) seams_.end(trouble);
  }
  Seams& seams() { return seams_; }
  bool ended_ = false;

 private:
  std::string user_;
  Seams seams_;
  std::uint64_t request_ = 0;
  std::uint64_t next_ms_ = 0;
  bool missed_ = false;  ///< A request ended before its time.
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

class EventSource final : public FollowSource {
 public:
  EventSource(const TopicName& name, std::string user, Seams seams)
      : FollowSource(std::move(user), std::move(seams)),
        node_(name.node) {}

 private:
  void begin() override {
    std::string members = "\"follow\":true";
    if (!node_.empty()) members += ",\"at\":" + client::json_text(node_);
    follow("events", std::move(members));
  }
  void take(const Json& ok) override {
    // The first reply says only that none is missed from then on.
    const bool some = !client::list_of(ok, "events").empty() ||
        client::number_of<std::uint64_t>(ok, "dropped") > 0;
    if (some) seams().tell(dumped(ok));
  }

  std::string node_;
};

/// What a task writes, a piece at a time: the next one is asked for when somebody has read most of
/// those before.
class LogSource final : public FollowSource {
 public:
  LogSource(const TopicName& name, std::string user, Seams seams)
      : FollowSource(std::move(user), std::move(seams)),
        base_("\"job\":" + client::json_text(name.job) + ",\"task\":" + std::to_string(name.task) +
            ",\"stream\":" + (name.of_errors ? "\"err\"" : "\"out\"")) {}

 private:
  void begin() override {
    // What a task writes faster than anybody reads stays where it is: no piece is asked for before
    // some listener has read the last one.
    if (over_ || seams().is_behind()) return;
    if (!at_) {  // How much there is.
      probing_ = true;
      return follow("output", base_ + ",\"bytes_max\":1");
    }
    probing_ = false;
    std::string members = base_ + ",\"follow\":true,\"offset\":" + std::to_string(*at_) +
        ",\"bytes_max\":" + std::to_string(kLogPiece);
    // Offsets are of one attempt; the agent begins anew if another one writes by now.
    if (attempt_ != 0) members += ",\"offset_attempt\":" + std::to_string(attempt_);
    follow("output", std::move(members));
  }

  void take(const Json& ok) override {
    attempt_ = client::number_of<std::uint32_t>(ok, "attempt");
    if (probing_) {
      const auto total = client::number_of<std::uint64_t>(ok, "total");
      at_ = total > kLogBefore ? total - kLogBefore : 0;
      return;
    }
    at_ = client::number_of<std::uint64_t>(ok, "next");
    over_ = client::flag_of(ok, "ended");
    const bool empty = client::text_of(ok, "data").empty();
    if (!empty || over_) seams().tell(dumped(ok));
  }

  std::string base_;
  std::optional<std::uint64_t> at_;
  std::uint32_t attempt_ = 0;
  bool probing_ = false;
  bool over_ = false;
};

bool read_log_name(std::string_view text, TopicName& name) {
  constexpr std::string_view kErrors = ".err";
  name.of_errors = text.ends_with(kErrors);
  if (name.of_errors) text.remove_suffix(kErrors.size());
  // The last one: names of jobs have a dot of their own.
  const auto dot = text.rfind('.');
  if (dot == text.npos || dot == 0) return false;
  const std::string_view task = text.substr(dot + 1);
  const auto [at, error] = std::from_chars(task.data(), task.data() + task.size(), name.task);
  name.job = text.substr(0, dot);
  return !task.empty() && error == std::errc() && at == task.data() + task.size();
}

}  // namespace

std::optional<TopicName> parse_topic(std::string_view text) {
  constexpr std::size_t kNameMax = 512;
  if (text.size() > kNameMax) return std::nullopt;
  const auto colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  const std::string_view rest = colon == text.npos ? std::string_view() : text.substr(colon + 1);
  const bool bare = colon == text.npos;
  if (bare && word == "jobs") return TopicName{.kind = Kind::jobs};
  if (bare && word == "nodes") return TopicName{.kind = Kind::nodes};
  if (bare && word == "status") return TopicName{.kind = Kind::status};
  if (bare && word == "events") return TopicName{.kind = Kind::events};
  if (rest.empty()) return std::nullopt;
  TopicName name;
  if (word == "events") {
    name.kind = Kind::events;
    name.node = rest;
    return name;
  }
  if (word == "job") {
    name.kind = Kind::job;
    name.job = rest;
    return name;
  }
  name.kind = Kind::log;
  // "log:wren.7.0" and "log:wren.7.0.err".
  if (word != "log" || !read_log_name(rest, name)) return std::nullopt;
  return name;
}

std::unique_ptr<TopicSource> make_source(
    const TopicName& name, std::string user, TopicSource::Seams seams) {
  if (name.kind == Kind::log) {
    return std::make_unique<LogSource>(name, std::move(user), std::move(seams));
  }
  if (name.kind == Kind::events) {
    return std::make_unique<EventSource>(name, std::move(user), std::move(seams));
  }
  return std::make_unique<PollSource>(name, std::move(user), std::move(seams));
}

}  // namespace dunlin::web
