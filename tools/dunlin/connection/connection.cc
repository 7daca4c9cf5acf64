// SPDX-License-Identifier: MIT
#include "tools/dunlin/connection/connection.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node/agent_options.h"
#include "node/client/frames.h"
#include "node/client/where.h"
#include "node/control/control_protocol.h"
#include "node/net/keyring.h"
#include "node/net/stream_client.h"
#include "node/read_json.h"
#include "tools/dunlin/launch/forward.h"

// A reply to another request than the one being waited for is kept, not dropped: a watch goes on
// while a command asks something else.
// Errors are turned into advice here, where it is known whether the agent is local or remote, and
// which sockets were tried.
namespace dunlin::cli {
namespace {

/// What a request needs beside its members: the verb, the id, the braces.
constexpr std::size_t kEnvelopeMax = 256;
/// Between two looks whether an agent is back.
constexpr std::chrono::milliseconds kReturnLooks{100};
/// Waited longer than an agent says that it is busy.
constexpr std::chrono::milliseconds kRestSpare{1};
/// The wait for the last word of an agent that hung up: it has come, or never does.
constexpr std::chrono::milliseconds kPartingWait{100};

/// The error of a reply, in the kinds of this program; nothing if it went well.
std::optional<Error> error_of(const client::BasicReply<Json>& reply) {
  if (!reply.failed()) return std::nullopt;
  const bool told = !reply.problem.text.empty();
  return Error{kind_of(reply.kind), told ? reply.problem.text : "the agent gives no reason", 0,
      reply.problem.retry_ns};
}

/// The flag goes before the variable of the environment: what was typed just now was meant.
std::string setting(const std::string& flag, const char* variable) {
  if (!flag.empty()) return flag;
  const char* const found = std::getenv(variable);
  return found != nullptr ? found : "";
}

Result<std::unique_ptr<Channel>> open_socket(const std::string& path) {
  auto socket = Socket::connect(path);
  if (!socket) return tl::unexpected(socket.error());
  return std::make_unique<PlainChannel>(std::move(*socket));
}

/// Turns the system's error about a socket into advice for the user.
Error explained(const Error& error, const std::string& path) {
  switch (error.code) {
    case ENOENT:
      return {ErrorKind::io, "no agent listens at " + path, error.code};
    case ECONNREFUSED:
      return {ErrorKind::io, "the agent that listened at " + path + " is gone", error.code};
    case EACCES:
    case EPERM:
      return {ErrorKind::io,
          path + " belongs to another user's agent: ask as that user (sudo); the system's agent " +
              "also answers members of the group " + node::kSocketGroup + " (usermod -aG " +
              node::kSocketGroup + " USER, then log in anew)",
          error.code};
    default:
      return error;
  }
}

/// The agent of this machine: the user's own first, then the system's.
Result<std::unique_ptr<Channel>> open_local() {
  const auto candidates = node::socket_candidates();
  std::string tried;
  for (const std::string& path : candidates) {
    auto channel = open_socket(path);
    if (channel) return channel;
    const int code = channel.error().code;
    // An agent is there and does not let this user in: that must be told, not passed over for the
    // next place.
    if (code != ENOENT && code != ECONNREFUSED) {
      return tl::unexpected(explained(channel.error(), path));
    }
    tried += (tried.empty() ? "" : ", ") + path;
  }
  return failure(ErrorKind::io,
      "no agent runs here (looked at " + tried +
          "); start one with `dunlin dev` to try it out or `dunlin agent` for good, or name a "
          "remote one with --address HOST and --key FILE");
}

/// An agent of another machine, by a sealed stream: the key file is what lets one in.
Result<std::unique_ptr<Channel>> open_remote(const std::string& address, const std::string& key) {
  const std::string file = key.empty() ? node::default_key_file() : key;
  const auto keyring = node::Keyring::load(file);
  if (!keyring) return tl::unexpected(keyring.error());
  auto client = node::StreamClient::connect(address, *keyring);
  if (!client) return tl::unexpected(client.error());
  return std::make_unique<SealedChannel>(std::move(*client));
}

/// A path is a socket here, anything else a host.
Result<std::unique_ptr<Channel>> dial_one(const std::string& address, const std::string& key) {
  if (!client::is_socket_path(address)) return open_remote(address, setting(key, "DUNLIN_KEY"));
  auto channel = open_socket(address);
  if (!channel) return tl::unexpected(explained(channel.error(), address));
  return channel;
}

/// The socket of an agent far away, and what leads there.
class ForwardedChannel final : public Channel {
 public:
  ForwardedChannel(std::unique_ptr<SocketForward> forward, Socket socket)
      : forward_(std::move(forward)),
        channel_(std::move(socket)) {}

  Result<void> send(std::string_view frames) override { return channel_.send(frames); }
  Result<std::string> receive(Clock::time_point deadline) override {
    return channel_.receive(deadline);
  }
  void wake_by(int fd) override { channel_.wake_by(fd); }

 private:
  std::unique_ptr<SocketForward> forward_;
  PlainChannel channel_;
};

/// The socket of an agent of a launched cluster, brought here by ssh: no key leaves its host.
Result<std::unique_ptr<Channel>> open_forwarded(const AgentAddress& where) {
  if (!where.address.empty()) {
    return failure(ErrorKind::usage,
        "--cluster asks an agent of that cluster by ssh, --address another one: give one of them");
  }
  auto forward = SocketForward::open(where.cluster);
  if (!forward) return tl::unexpected(forward.error());
  auto socket = Socket::connect((*forward)->path());
  if (!socket) return tl::unexpected(socket.error());
  return std::make_unique<ForwardedChannel>(std::move(*forward), std::move(*socket));
}

Result<std::unique_ptr<Channel>> dial(const AgentAddress& where) {
  if (!where.cluster.empty()) return open_forwarded(where);
  const auto addresses = client::addresses_in(setting(where.address, "DUNLIN_ADDRESS"));
  if (addresses.empty()) return open_local();
  std::string reasons;
  // In the order given; the first that answers is taken. Only if none does all reasons are told.
  for (const std::string& address : addresses) {
    auto channel = dial_one(address, where.key);
    if (channel || addresses.size() == 1) return channel;
    reasons += (reasons.empty() ? "" : "; ") + channel.error().text;
  }
  return failure(ErrorKind::io, reasons);
}

}  // namespace

Result<Connection> Connection::open(const AgentAddress& where) {
  auto channel = dial(where);
  if (!channel) return tl::unexpected(channel.error());
  Connection agent(std::move(*channel), [where] { return dial(where); });
  // With several addresses the agent that answers after a break may be another one, and plain job
  // numbers are those of the first: so it is remembered, and requests go to it by name.
  agent.several_ = where.cluster.empty() &&
      client::addresses_in(setting(where.address, "DUNLIN_ADDRESS")).size() > 1;
  if (!agent.several_) {
    agent.greet();
    return agent;
  }
  auto node = agent.ask_node();
  if (!node) return tl::unexpected(node.error());
  agent.first_ = std::move(*node);
  return agent;
}

// An agent that knows no `hello` calls it a wrong request, and goes on.
void Connection::greet() {
  talk_->agent.ask(
      "hello", "\"newest\":" + std::to_string(node::kProtocolNewest), [](const auto& /*reply*/) {});
}

Result<std::string> Connection::ask_node() {
  const auto reply = ask("hello", {{"newest", node::kProtocolNewest}});
  if (!reply) return tl::unexpected(reply.error());
  return value<std::string>(*reply, "node");
}

Result<void> Connection::reopen() {
  // Made by a test, or on a channel that cannot be had twice.
  if (!dial_) return failure(ErrorKind::io, "the agent is gone");
  auto channel = dial_();
  if (!channel) return tl::unexpected(channel.error());
  channel_ = std::move(*channel);
  // Replies of the old connection would be taken for those of the new one: ids begin anew.
  talk_ = std::make_unique<Talk>();
  lost_ = false;
  if (several_) {
    const auto node = ask_node();
    if (!node) return tl::unexpected(node.error());
    // The first one itself needs no name.
    at_ = *node == first_ ? "" : first_;
  } else {
    greet();
  }
  channel_->wake_by(wake_);
  return {};
}

// Until the patience ends or the user does. News is told once, not at each look.
Result<void> Connection::come_back(const Error& why) {
  const auto end = Clock::now() + patience_;
  if (tell_ && patience_ > Clock::duration::zero()) {
    std::fprintf(stderr, "dunlin: %s; waiting for it to come back\n", why.text.c_str());
  }
  while (Clock::now() < end) {
    pollfd wake{.fd = wake_, .events = POLLIN, .revents = 0};
    if (::poll(&wake, 1, static_cast<int>(kReturnLooks.count())) > 0) {
      return failure(ErrorKind::timeout, "interrupted");
    }
    if (!reopen()) continue;
    if (tell_) std::fputs("dunlin: the agent is back\n", stderr);
    return {};
  }
  return tl::unexpected(why);
}

Result<std::uint64_t> Connection::start(std::string_view verb, Json request) {
  const bool numbered = request.contains("number") || request.contains("numbers");
  // Numbers that the user named go to the agent that gave them.
  if (!at_.empty() && numbered && !request.contains("at")) request["at"] = at_;
  // Checked here, where the command can say what to do; the agent would end the connection.
  const std::string text = request.is_null() ? "{}" : compact(request);
  if (text.size() + kEnvelopeMax > client::kMessageMax) {
    return failure(ErrorKind::usage, "a request of more than 16 MiB: split the job");
  }
  const auto members = std::string_view(text).substr(1, text.size() - 2);
  const auto id = talk_->agent.ask(verb, members, [&heard = talk_->heard](auto& reply) {
    auto error = error_of(reply);
    heard.push_back({reply.id, reply.last, std::move(reply.ok), std::move(error)});
  });
  const auto sent = channel_->send(std::exchange(talk_->agent.out(), {}));
  lost_ = lost_ || !sent;
  if (sent) return id;
  // An agent that ends the connection says why before.
  const auto listened = listen(Clock::now() + kPartingWait);
  const bool told = !listened && talk_->agent.parting().failed();
  return tl::unexpected(told ? listened.error() : sent.error());
}

Result<Reply> Connection::next(Clock::time_point deadline) {
  while (talk_->heard.empty()) {
    if (auto listened = listen(deadline); !listened) return tl::unexpected(listened.error());
  }
  Reply reply = std::move(talk_->heard.front());
  talk_->heard.pop_front();
  return reply;
}

Result<Json> Connection::ask(std::string_view verb, Json request) {
  auto reply = answer(verb, std::move(request));
  if (!reply) return tl::unexpected(reply.error());
  if (reply->error) return tl::unexpected(*reply->error);
  return std::move(reply->ok);
}

Result<Reply> Connection::answer(std::string_view verb, Json request) {
  // A person waits: the agent says what it waits for if that takes long.
  request["tell_waits"] = true;
  const auto begun = Clock::now();
  WaitNotice notice;
  while (true) {
    auto reply = answer_once(verb, request);
    const Error* const error = !reply ? &reply.error() : reply->error ? &*reply->error : nullptr;
    if (error == nullptr || error->retry_ns <= 0) return reply;
    if (Clock::now() - begun >= WaitNotice::kPatience)
      notice.tell("room at the agent: " + error->text);
    if (!rest(*error, begun + kBusyMax)) return reply;
    // It ended the connection, because there were too many: another one may find room.
    if (talk_->agent.parting().failed() && !reopen()) return reply;
  }
}

Result<Reply> Connection::answer_once(std::string_view verb, const Json& request) {
  const auto id = start(verb, request);
  if (!id) return tl::unexpected(id.error());
  return last_reply(*id);
}

bool Connection::rest(const Error& busy, Clock::time_point end) {
  const auto until = Clock::now() + std::chrono::nanoseconds(busy.retry_ns);
  if (until > end) return false;
  // A millisecond more, as the time is cut to whole ones.
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()) + kRestSpare;
  pollfd wake{.fd = wake_, .events = POLLIN, .revents = 0};
  return ::poll(&wake, 1, static_cast<int>(std::max<std::int64_t>(0, left.count()))) <= 0;
}

// Parts of it are news of the wait, and are shown; the last one is the answer.
Result<Reply> Connection::last_reply(std::uint64_t id) {
  WaitNotice notice;
  while (true) {
    const std::size_t before = talk_->heard.size();
    if (auto listened = listen_long(notice); !listened) return tl::unexpected(listened.error());
    // Of another request, which somebody else waits for: it stays in the list.
    if (talk_->heard.size() == before || talk_->heard.back().id != id) continue;
    Reply reply = std::move(talk_->heard.back());
    talk_->heard.pop_back();
    if (reply.end) return reply;
    if (const auto waits = value<std::string>(reply.ok, "waits"); !waits.empty()) {
      notice.tell(waits);
    }
  }
}

Result<void> Connection::listen_long(WaitNotice& notice) {
  auto listened = listen(notice.due());
  if (listened || listened.error().kind != ErrorKind::timeout) return listened;
  if (Clock::now() >= notice.due()) {
    notice.tell_silence();
  } else {
    // A wake-up ends next(), not this wait. The descriptor stays readable, so next() sees it later.
    channel_->wake_by(-1);
  }
  return {};
}

// Hears one message. Its meaning goes to where requests wait for it: any of them.
Result<void> Connection::listen(Clock::time_point deadline) {
  const auto text = channel_->receive(deadline);
  if (!text) {
    // A deadline or a wake-up leaves the connection as it is.
    lost_ = lost_ || text.error().kind == ErrorKind::io;
    return tl::unexpected(text.error());
  }
  if (talk_->agent.hear(read_json<Json>(*text))) return {};
  const auto& parting = talk_->agent.parting();
  if (parting.failed()) return tl::unexpected(*error_of(parting));
  return failure(ErrorKind::corrupt, "the agent's answer is not understood: another version?");
}

}  // namespace dunlin::cli
