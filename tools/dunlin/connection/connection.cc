// SPDX-License-Identifier: MIT
#include "tools/dunlin/connection/connection.h"

#include <cerrno>
#include <cstdlib>

#include "node/agent_options.h"
#include "node/control/control_protocol.h"
#include "node/net/keyring.h"
#include "node/net/stream_client.h"

// Requests have ids, so several may be open at once. A reply to another request than the one being
// waited for is kept, not dropped: a watch goes on while a command asks something else.
// Errors are turned into advice here, where it is known whether the agent is local or remote, and
// which sockets were tried.
namespace dunlin::cli {
namespace {

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

Result<std::unique_ptr<Channel>> open_local() {
  const auto candidates = node::socket_candidates();
  std::string tried;
  for (const std::string& path : candidates) {
    auto channel = open_socket(path);
    if (channel) return channel;
    const int code = channel.error().code;
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

Result<std::unique_ptr<Channel>> open_remote(const std::string& address, const std::string& key) {
  const std::string file = key.empty() ? node::default_key_file() : key;
  const auto keyring = node::Keyring::load(file);
  if (!keyring) return tl::unexpected(keyring.error());
  auto client = node::StreamClient::connect(address, *keyring);
  if (!client) return tl::unexpected(client.error());
  return std::make_unique<SealedChannel>(std::move(*client));
}

Result<std::unique_ptr<Channel>> dial(const AgentAddress& where) {
  const std::string address = setting(where.address, "DUNLIN_ADDRESS");
  if (address.empty()) return open_local();
  if (address.find('/') == std::string::npos) {
    return open_remote(address, setting(where.key, "DUNLIN_KEY"));
  }
  auto channel = open_socket(address);
  if (!channel) return tl::unexpected(explained(channel.error(), address));
  return channel;
}

}  // namespace

Result<Connection> Connection::open(const AgentAddress& where) {
  auto channel = dial(where);
  if (!channel) return tl::unexpected(channel.error());
  return Connection(std::move(*channel), [where] { return dial(where); });
}

Result<void> Connection::reopen() {
  if (!dial_) return failure(ErrorKind::io, "the agent is gone");
  auto channel = dial_();
  if (!channel) return tl::unexpected(channel.error());
  channel_ = std::move(*channel);
  channel_->wake_by(wake_);
  kept_.clear();
  return {};
}

Result<std::uint64_t> Connection::start(std::string_view verb, Json request) {
  const std::uint64_t id = ++id_last_;
  request["verb"] = verb;
  request["id"] = id;
  if (auto sent = channel_->send(compact(request)); !sent) return tl::unexpected(sent.error());
  return id;
}

Result<Reply> Connection::next(Clock::time_point deadline) {
  if (kept_.empty()) return receive(deadline);
  Reply reply = std::move(kept_.front());
  kept_.pop_front();
  return reply;
}

Result<Json> Connection::ask(std::string_view verb, Json request) {
  const auto id = start(verb, std::move(request));
  if (!id) return tl::unexpected(id.error());
  auto reply = last_reply(*id);
  if (!reply) return tl::unexpected(reply.error());
  if (reply->error) return tl::unexpected(*reply->error);
  return std::move(reply->ok);
}

Result<Reply> Connection::last_reply(std::uint64_t id) {
  while (true) {
    auto reply = receive(kNoDeadline);
    if (!reply) {
      // A wake-up ends next(), not this wait. The descriptor stays readable, so next() sees it
      // later.
      if (reply.error().kind != ErrorKind::timeout) return reply;
      channel_->wake_by(-1);
    } else if (reply->id != id) {
      kept_.push_back(std::move(*reply));
    } else if (reply->end) {
      return reply;
    }
  }
}

Result<Reply> Connection::receive(Clock::time_point deadline) {
  const auto text = channel_->receive(deadline);
  if (!text) return tl::unexpected(text.error());
  Json json = Json::parse(*text, nullptr, false);
  const bool answered = json.is_object() && (json.contains("ok") || json.contains("error"));
  if (!answered || !member(json, "id").is_number_unsigned()) {
    return failure(
        ErrorKind::corrupt, "the agent's answer is not understood: is it of another version?");
  }
  Reply reply{.id = value<std::uint64_t>(json, "id"),
      .end = value<bool>(json, "end"),
      .ok = Json(),
      .error = {}};
  if (const Json& error = member(json, "error"); !error.is_null()) {
    reply.end = true;
    reply.error = Error{kind_of(value<std::string>(error, "kind")),
        value<std::string>(error, "text", "the agent gives no reason"), 0};
  } else {
    reply.ok = std::move(json["ok"]);
  }
  return reply;
}

}  // namespace dunlin::cli
