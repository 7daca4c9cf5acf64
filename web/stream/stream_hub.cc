// SPDX-License-Identifier: MIT
#include "web/stream/stream_hub.h"

#include <algorithm>
#include <utility>

#include "node/client/json.h"
#include "web/access/secret_text.h"
#include "web/agent/upstream.h"

namespace dunlin::web {
namespace {

/// How exactly sources keep their periods; each says itself whether its time has come.
constexpr std::uint64_t kTickMs = 200;
/// A line that begins with a colon is a comment (HTML, section 9.2): browsers read it and do
/// nothing.
constexpr std::string_view kWord = ": still here\n\n";
constexpr std::size_t kIdDigits = 16;

tl::unexpected<Trouble> trouble_of(std::string kind, std::string detail) {
  return tl::unexpected<Trouble>(Trouble{std::move(kind), std::move(detail)});
}

std::string away_text() {
  return event_text(
      "", "trouble", R"({"topic":"","kind":"away","detail":"the agent does not answer"})");
}

std::string_view word_of_topic(std::string_view topic) {
  // "log:wren.7.0" would make an event name for each task, and a page listens by name.
  return topic.substr(0, topic.find(':'));
}

}  // namespace

// It lives on for a while when nobody listens: a page that is loaded anew finds its ring.
struct StreamHub::Topic {
  std::string text;  ///< Its name, as it is asked for.
  bool tells_state = false;
  TopicRing ring;
  std::size_t listeners = 0;
  std::uint64_t alone_since_ms = 0;
  bool ended = false;
  std::unique_ptr<TopicSource> source;
};

struct StreamHub::Stream {
  std::string id;
  std::string user;
  std::shared_ptr<Exchange> exchange;
  StillValid still_valid;
  std::map<std::string, std::uint64_t> seen;  ///< The last event that was written, by topic's key.
  std::uint64_t written_ms = 0;
  std::uint64_t asked_ms = 0;  ///< When still_valid was asked last.
};

StreamHub::StreamHub(uv_loop_t& loop, Answers& answers, Upstream& upstream, StreamBounds bounds)
    : loop_(loop),
      answers_(answers),
      upstream_(upstream),
      bounds_(bounds),
      epoch_(new_secret().substr(0, 8)) {
  uv_timer_init(&loop, timer_.get());
  timer_->data = this;
  uv_timer_start(
      timer_.get(), [](uv_timer_t* timer) { static_cast<StreamHub*>(timer->data)->tick(); },
      kTickMs, kTickMs);
}

StreamHub::~StreamHub() {
  for (auto& [id, stream] : streams_) {
    stream->exchange->on_gone({});
    stream->exchange->end();
  }
}

tl::expected<void, Trouble> StreamHub::check(
    const std::string& user, const std::vector<std::string>& topics) const {
  if (topics.size() > bounds_.topics_of_stream) {
    return trouble_of(
        "usage", "a stream tells at most " + std::to_string(bounds_.topics_of_stream) + " topics");
  }
  for (const std::string& each : topics) {
    if (!parse_topic(each)) {
      return trouble_of("usage",
          "'" + each +
              "' is no topic: jobs, nodes, status, events, events:NODE, job:JOB or "
              "log:JOB.TASK");
    }
  }
  const auto own = std::ranges::count_if(
      topics_, [&](const auto& entry) { return entry.first.starts_with(user + "\n"); });
  if (topics_.size() + topics.size() > bounds_.topics ||
      static_cast<std::size_t>(own) + topics.size() > bounds_.topics_of_one_user) {
    return trouble_of("busy", "too many topics are told already; close other tabs");
  }
  return {};
}

tl::expected<void, Trouble> StreamHub::open(std::shared_ptr<Exchange> exchange,
    const std::string& user,
    const std::vector<std::string>& topics,
    std::string_view last_id,
    StillValid still_valid) {
  if (auto fine = check(user, topics); !fine) return fine;
  const auto own = std::ranges::count_if(
      streams_, [&](const auto& entry) { return entry.second->user == user; });
  if (streams_.size() >= bounds_.streams || static_cast<std::size_t>(own) >= bounds_.of_one_user) {
    return trouble_of("busy", "there are too many streams; close other tabs");
  }
  const std::string id = new_secret().substr(0, kIdDigits);
  // The last one tells nginx to hold nothing back.
  Response head{.headers = {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"},
                    {"X-Accel-Buffering", "no"}}};
  if (!exchange->begin(std::move(head), std::nullopt)) return {};
  auto stream = std::make_unique<Stream>();
  stream->id = id;
  stream->user = user;
  stream->exchange = std::move(exchange);
  stream->still_valid = std::move(still_valid);
  // Its presence says that this answer has no end; tick() sees that the client has gone.
  stream->exchange->on_gone([] {});
  stream->exchange->on_drained([this, id] {
    const auto found = streams_.find(id);
    if (found != streams_.end()) pump(*found->second);
  });
  Stream& opened = *stream;
  streams_.emplace(id, std::move(stream));
  opened.exchange->write(
      event_text("", "hello", "{\"stream\":\"" + id + "\",\"epoch\":\"" + epoch_ + "\"}"));
  if (!upstream_.connected()) opened.exchange->write(away_text());
  opened.written_ms = opened.asked_ms = uv_now(&loop_);
  // Behind the hello, which tells the page under which name it may change its topics.
  const auto seen = parse_event_id(epoch_, last_id);
  listen(opened, topics, seen, !last_id.empty() && !seen);
  pump(opened);
  return {};
}

tl::expected<void, Trouble> StreamHub::change(
    const std::string& user, std::string_view stream, const std::vector<std::string>& topics) {
  if (auto fine = check(user, topics); !fine) return fine;
  const auto found = streams_.find(stream);
  // The same answer for a stream of another user: a name that is guessed tells nothing.
  if (found == streams_.end() || found->second->user != user) {
    return trouble_of("not_found", "there is no such stream of yours");
  }
  listen(*found->second, topics, std::nullopt, false);
  pump(*found->second);
  return {};
}

void StreamHub::listen(Stream& stream,
    const std::vector<std::string>& topics,
    std::optional<std::uint64_t> seen,
    bool lost) {
  // Topics that stay keep their place; those that are left over below have one listener less.
  auto before = std::exchange(stream.seen, {});
  for (const std::string& text : topics) {
    const TopicName name = *parse_topic(text);
    // What is the same for all users is asked once for all of them.
    const std::string user = name.is_shared() ? std::string() : stream.user;
    const std::string key = user + "\n" + text;
    if (stream.seen.contains(key)) continue;
    if (const auto kept = before.find(key); kept != before.end()) {
      stream.seen.insert(before.extract(kept));
      continue;
    }
    Topic& topic = topic_of(key, name, text, user);
    ++topic.listeners;
    // A log from as far back as the ring goes: the reader has none of it. Events from now on. A
    // state from just before its newest word, so that a page shows something at once.
    std::uint64_t from = name.kind == TopicName::Kind::log ? topic.ring.lost() : seq_last_;
    if (topic.tells_state && topic.ring.newest() != nullptr) from = topic.ring.newest()->seq - 1;
    if (lost) reset(stream, text, "lost");
    // A topic that began behind what was seen has lost what is between: pump_one() says so.
    stream.seen[key] = seen ? std::min(*seen, seq_last_) : from;
  }
  for (const auto& [key, last] : before) {
    const auto found = topics_.find(key);
    if (found == topics_.end() || --found->second->listeners > 0) continue;
    found->second->alone_since_ms = uv_now(&loop_);
  }
}

StreamHub::Topic& StreamHub::topic_of(const std::string& key,
    const TopicName& name,
    const std::string& text,
    const std::string& user) {
  auto& topic = topics_[key];
  if (topic != nullptr && !topic->ended) return *topic;
  if (topic == nullptr) {
    topic = std::make_unique<Topic>(
        Topic{.text = text, .tells_state = name.tells_state(), .ring = TopicRing(seq_last_)});
  }
  topic->ended = false;
  // Topics stay where they are in memory until tick() takes them out, their sources before them.
  Topic* const mine = topic.get();
  mine->source = make_source(name, user,
      {.answers = answers_,
          .upstream = upstream_,
          .now_ms = [this] { return uv_now(&loop_); },
          .tell =
              [this, mine](const std::string& data) {
                tell(*mine, word_of_topic(mine->text),
                    "{\"topic\":" + client::json_text(mine->text) + ",\"data\":" + data + "}");
              },
          .end =
              [this, mine](const Trouble& trouble) {
                mine->ended = true;
                tell(*mine, "trouble",
                    "{\"topic\":" + client::json_text(mine->text) +
                        ",\"kind\":" + client::json_text(trouble.kind) +
                        ",\"detail\":" + client::json_text(trouble.detail) + "}");
              },
          .is_behind = [this, mine] { return is_behind(*mine); },
          .reset = [this, mine, key] { reset_listeners(key, *mine); }});
  return *mine;
}

void StreamHub::tell(Topic& topic, std::string_view event, const std::string& data) {
  const std::uint64_t seq = ++seq_last_;
  topic.ring.push(seq, event_text(event_id(epoch_, seq), event, data));
  for (auto& [id, stream] : streams_) pump(*stream);
}

void StreamHub::pump(Stream& stream) {
  while (!stream.exchange->gone() && stream.exchange->queued() < bounds_.queued_bytes) {
    if (!pump_one(stream)) return;
    stream.written_ms = uv_now(&loop_);
  }
}

bool StreamHub::pump_one(Stream& stream) {
  const StreamEvent* next = nullptr;
  std::uint64_t* seen_of_next = nullptr;
  for (auto& [key, seen] : stream.seen) {
    const auto found = topics_.find(key);
    if (found == topics_.end()) continue;
    const TopicRing& ring = found->second->ring;
    // This reader was too slow, or away for too long.
    if (ring.has_lost(seen)) {
      seen = ring.lost();
      if (found->second->tells_state && ring.newest() != nullptr) seen = ring.newest()->seq - 1;
      // A state is told anew in any case.
      reset(stream, found->second->text, "lost");
    }
    const StreamEvent* const event = ring.after(seen);
    // The event that was told first, of all topics: ids must grow, for a browser remembers the last
    // one.
    if (event == nullptr || (next != nullptr && event->seq > next->seq)) continue;
    next = event;
    seen_of_next = &seen;
  }
  if (next == nullptr) return false;
  *seen_of_next = next->seq;
  stream.exchange->write(next->text);
  return true;
}

void StreamHub::reset(Stream& stream, const std::string& topic, std::string_view why) {
  stream.exchange->write(event_text("", "reset",
      "{\"topic\":" + client::json_text(topic) + ",\"why\":\"" + std::string(why) + "\"}"));
}

void StreamHub::reset_listeners(const std::string& key, const Topic& topic) {
  for (auto& [id, stream] : streams_) {
    if (stream->seen.contains(key)) reset(*stream, topic.text, "agent");
  }
}

bool StreamHub::is_behind(const Topic& topic) const {
  // The quickest one sets the pace; slower ones fall out of the ring, and are told so.
  bool any = false;
  for (const auto& [id, stream] : streams_) {
    for (const auto& [key, seen] : stream->seen) {
      const auto found = topics_.find(key);
      if (found == topics_.end() || found->second.get() != &topic) continue;
      any = true;
      if (topic.ring.after(seen) == nullptr) return false;
    }
  }
  return any;
}

void StreamHub::on_agent(bool there) {
  for (auto& [key, topic] : topics_) {
    // Sources first: what they ask now is answered after the resets below have left.
    if (there && topic->source != nullptr) topic->source->restart();
  }
  for (auto& [id, stream] : streams_) {
    if (!there) {
      stream->exchange->write(away_text());
      continue;
    }
    for (const auto& [key, seen] : stream->seen) {
      const auto found = topics_.find(key);
      if (found != topics_.end()) reset(*stream, found->second->text, "agent");
    }
  }
}

void StreamHub::close(const std::string& id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  const auto stream = std::move(found->second);
  streams_.erase(found);
  // Gives back its topics.
  listen(*stream, {}, std::nullopt, false);
  stream->exchange->end();
}

bool StreamHub::may_go_on(Stream& stream, std::uint64_t now_ms) const {
  // By a clock of its own: a stream on which much is told must end with its session, too.
  if (now_ms - stream.asked_ms < bounds_.valid_ms) return true;
  stream.asked_ms = now_ms;
  return stream.still_valid();
}

void StreamHub::tick() {
  const std::uint64_t now_ms = uv_now(&loop_);
  std::erase_if(topics_, [&](const auto& entry) {
    const Topic& topic = *entry.second;
    return topic.listeners == 0 &&
        // An ended one is kept while somebody listens, as its ring has the reason.
        (topic.ended || now_ms - topic.alone_since_ms > bounds_.linger_ms);
  });
  for (auto& [key, topic] : topics_) {
    if (!topic->ended) topic->source->tick();
  }
  std::vector<std::string> over;
  for (auto& [id, stream] : streams_) {
    if (stream->exchange->gone() || !may_go_on(*stream, now_ms)) {
      over.push_back(id);
    } else if (now_ms - stream->written_ms >= bounds_.word_ms) {
      stream->written_ms = now_ms;
      if (stream->exchange->queued() < bounds_.queued_bytes) stream->exchange->write(kWord);
    }
  }
  // After the walk, which close() would break.
  for (const std::string& id : over) close(id);
}

}  // namespace dunlin::web
