// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "node/client/conversation.h"
#include "tools/dunlin/connection/channel.h"
#include "tools/dunlin/connection/wait_notice.h"
#include "tools/dunlin/json.h"

namespace dunlin::cli {

/// The agent to talk to, as the user named it; empty texts mean the defaults.
struct AgentAddress {
  /// The path of a socket, or HOST[:PORT] of a remote agent; or several, between commas: the first
  /// that answers.
  std::string address = {};
  std::string key = {};  ///< The cluster key file, for a remote one.
  /// A cluster that was launched from here: one of its agents is asked, by ssh. Empty: none.
  std::string cluster = {};
};

/// One answer to a request.
struct Reply {
  std::uint64_t id = 0;
  bool end = true;  ///< The last one to that request.
  Json ok;
  std::optional<Error> error;
};

/// A conversation with one agent by the control protocol (docs/design/control-protocol.md): that of
/// libdunlin, on any channel, for a program that waits.
class Connection {
 public:
  /// Makes another channel to the same agent.
  using Dial = std::function<Result<std::unique_ptr<Channel>>()>;

  /// Without `dial` it cannot be reopened.
  explicit Connection(std::unique_ptr<Channel> channel, Dial dial = {})
      : channel_(std::move(channel)),
        dial_(std::move(dial)) {}

  /// Connects to the agent that the flags, or else the environment, name; without either to one of
  /// this machine. Fails, naming the cure, if no agent answers there.
  static Result<Connection> open(const AgentAddress& where);
  /// come_back() waits for so long. Tells of it at stderr if `tell`.
  void be_patient(Clock::duration patience, bool tell) {
    patience_ = patience;
    tell_ = tell;
  }

  /// Sends {"verb": `verb`, "id": ..., ...`request`} and returns the id.
  Result<std::uint64_t> start(std::string_view verb, Json request = Json::object());
  /// The next reply to any request. Fails with `timeout` at the deadline or on a wake-up.
  Result<Reply> next(Clock::time_point deadline = kNoDeadline);
  /// So long a request is sent again and again to an agent that is busy and says when to come back.
  static constexpr std::chrono::seconds kBusyMax{10};

  /// Sends a request and waits for its last reply; others that come meanwhile are kept for next().
  /// A wait of more than two seconds says on stderr what it waits for. An agent that is busy did
  /// nothing: it is asked again when it says, up to kBusyMax.
  Result<Json> ask(std::string_view verb, Json request = Json::object());
  /// The same, where it matters whether the agent answered at all: an error within the reply is its
  /// own.
  Result<Reply> answer(std::string_view verb, Json request);
  /// Waits for the last reply to the request `id`, which may say that the request failed; others
  /// that come meanwhile are kept for next(). Fails if the agent is gone: then the client cannot
  /// know whether it did what was asked.
  Result<Reply> last_reply(std::uint64_t id);
  /// Talks to the agent anew after it was lost. All requests under way are forgotten. Fails with
  /// `io` while no agent answers.
  Result<void> reopen();
  /// True if the agent was lost: what was sent may not have arrived, and no reply comes any more.
  bool lost() const { return lost_; }
  /// Waits until an agent answers again, and talks to it: with `patience` of be_patient(), or not
  /// at all. All requests under way are forgotten; numbers of jobs mean those of the first agent,
  /// even where another one answers. Fails with `why`, or as a wake-up does.
  Result<void> come_back(const Error& why);
  /// A descriptor that ends next() early when it becomes readable (Ctrl-C).
  void wake_by(int fd) {
    wake_ = fd;
    channel_->wake_by(fd);
  }

 private:
  /// Where replies wait, which stays where it is when the connection is moved.
  struct Talk {
    client::BasicConversation<Json> agent;
    std::deque<Reply> heard;
  };

  /// Says which version of the protocol this program speaks, with the first request: no reply to it
  /// is waited for.
  void greet();
  /// One try of answer().
  Result<Reply> answer_once(std::string_view verb, const Json& request);
  /// Waits until `busy` says that it is worth another try. False if it says nothing, if that is
  /// after `end`, or if somebody woke it.
  bool rest(const Error& busy, Clock::time_point end);
  /// The next message of the agent, or a word that none has come for two seconds.
  Result<void> listen_long(WaitNotice& notice);
  /// Takes one message of the agent: at most one more reply is heard.
  Result<void> listen(Clock::time_point deadline);
  /// Asks which node it is that answers.
  Result<std::string> ask_node();

  std::unique_ptr<Channel> channel_;
  Dial dial_;
  int wake_ = -1;
  Clock::duration patience_{};
  bool tell_ = false;
  bool lost_ = false;
  bool several_ = false;  ///< Another agent may answer after the first.
  std::string first_;     ///< The node of the first, if there are several.
  std::string at_;        ///< The same, while another one answers.
  // On the heap, as callbacks of the conversation hold references into it.
  std::unique_ptr<Talk> talk_ = std::make_unique<Talk>();
};

}  // namespace dunlin::cli
