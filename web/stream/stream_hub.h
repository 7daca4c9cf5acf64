// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <uv.h>
#include <vector>

#include "node/loop/handle.h"
#include "web/agent/problem.h"
#include "web/http/exchange.h"
#include "web/stream/topic.h"
#include "web/stream/topic_ring.h"

namespace dunlin::web {

/// How much browsers may listen to.
struct StreamBounds {
  std::size_t streams = 512;
  std::size_t of_one_user = 128;  ///< Browsers: each needs one for all of its tabs.
  std::size_t topics_of_stream = 64;
  std::size_t topics_of_one_user = 256;
  std::size_t topics = 512;
  std::size_t queued_bytes = std::size_t{256} << 10;  ///< While more waits, nothing is written.
  std::uint64_t linger_ms = 15'000;  ///< For so long a topic goes on after its last listener.
  std::uint64_t word_ms = 15'000;    ///< A stream on which nothing happens says a word so often.
  /// So often each stream is asked whether its session or token is one yet.
  std::uint64_t valid_ms = 2'000;
};

/// Endless answers, and the topics that they tell: each is asked of the agent once, however many
/// listen. A reader that is slow reads later from the ring of the topic, and where that has gone
/// on, is told to fetch anew.
/// A slow reader costs no memory of its own: what it has not read stands in the rings, which all
/// listeners share and which are bounded. Only what is on the way to its socket is its own.
class StreamHub {
 public:
  /// True while the session that opened a stream is one.
  using StillValid = std::function<bool()>;

  StreamHub(uv_loop_t& loop, Answers& answers, Upstream& upstream, StreamBounds bounds = {});
  ~StreamHub();
  StreamHub(const StreamHub&) = delete;
  StreamHub& operator=(const StreamHub&) = delete;

  /// Begins to tell `topics`, behind the event `last_id` if that is known. Fails where they are no
  /// topics, or too many.
  tl::expected<void, Trouble> open(std::shared_ptr<Exchange> exchange,
      const std::string& user,
      const std::vector<std::string>& topics,
      std::string_view last_id,
      StillValid still_valid);
  /// Tells these from now on, on a stream of that user.
  tl::expected<void, Trouble> change(
      const std::string& user, std::string_view stream, const std::vector<std::string>& topics);
  /// The agent is there again, or away.
  void on_agent(bool there);

  std::size_t streams() const { return streams_.size(); }
  std::size_t topics() const { return topics_.size(); }

 private:
  struct Topic;
  struct Stream;
  tl::expected<void, Trouble> check(
      const std::string& user, const std::vector<std::string>& topics) const;
  /// Has the stream tell these topics and no others. `seen`: the last event that the browser says
  /// it has. `lost`: it says one of another gateway, or of nonsense, so whatever it shows may be
  /// old.
  void listen(Stream& stream,
      const std::vector<std::string>& topics,
      std::optional<std::uint64_t> seen,
      bool lost);
  Topic& topic_of(const std::string& key,
      const TopicName& name,
      const std::string& text,
      const std::string& user);
  /// Puts an event into the ring, and wakes those who listen.
  void tell(Topic& topic, std::string_view event, const std::string& data);
  /// Writes events until the client has enough to read. Called when something is told, when the
  /// client has read, and when the topics change.
  void pump(Stream& stream);
  /// Writes the oldest event that the stream has not seen. False if there is none.
  bool pump_one(Stream& stream);
  /// Tells the reader to fetch anew. It has no id: to be told once more does no harm, but a reader
  /// that comes back must not begin behind it.
  void reset(Stream& stream, const std::string& topic, std::string_view why);
  void reset_listeners(const std::string& key, const Topic& topic);
  void close(const std::string& id);
  /// False once the session or token that opened the stream has ended.
  bool may_go_on(Stream& stream, std::uint64_t now_ms) const;
  void tick();
  /// True while no listener has read all that the ring has; false if nobody listens.
  bool is_behind(const Topic& topic) const;

  uv_loop_t& loop_;
  Answers& answers_;
  Upstream& upstream_;
  StreamBounds bounds_;
  /// Drawn at each start: an id of the gateway before must not be taken for one of this.
  std::string epoch_;
  /// One count for all topics, so that one id says how far a reader is in each of them.
  std::uint64_t seq_last_ = 0;
  std::map<std::string, std::unique_ptr<Topic>> topics_;  ///< By user and name.
  std::map<std::string, std::unique_ptr<Stream>, std::less<>> streams_;
  node::Handle<uv_timer_t> timer_ = node::make_handle<uv_timer_t>();
};

}  // namespace dunlin::web
