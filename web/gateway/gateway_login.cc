// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <utility>

#include "node/read_json.h"
#include "node/wall_clock.h"
#include "web/gateway/gateway.h"
#include "web/gateway/login_socket.h"
#include "web/http/server.h"
#include "web/metrics/metrics_text.h"

// Who asks, and what machines ask.
namespace dunlin::web {
namespace {

using client::Json;

constexpr std::int64_t kNsOfS = 1'000'000'000;
/// How long /readyz and whoami wait for the agent.
constexpr std::uint64_t kReadyMs = 1'000;
/// The agent's list of administrators changes seldom.
constexpr std::uint64_t kRightsFreshMs = 5'000;

std::string dump_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Response json_response(int status, const Json& json) {
  return {.status = status,
      .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
      .body = dump_of(json)};
}

std::string error_line(const std::string& kind, const std::string& text) {
  return dump_of({{"error", {{"kind", kind}, {"text", text}}}});
}

Json token_json(const TokenLine& line) {
  return {{"id", line.id}, {"note", line.note}, {"read_only", line.read_only},
      {"made_at_ns", line.made_s * kNsOfS},
      {"expires_at_ns", line.expires_s == 0 ? Json() : Json(line.expires_s * kNsOfS)}};
}

/// Who asks: behind a proxy the one whom the proxy names last, for what comes before a client may
/// have said itself.
std::string asker_of(const Exchange& exchange, bool behind_proxy) {
  const std::string_view named = exchange.request().header("x-forwarded-for");
  if (!behind_proxy || named.empty() || !is_loopback(exchange.address())) {
    return address_group(exchange.address());
  }
  std::string last(named.substr(named.rfind(',') + 1));
  std::erase(last, ' ');
  return address_group(last.substr(0, 64));
}

/// Answers a request of /readyz once: by the agent's word, or because the time is over.
struct Readiness {
  std::shared_ptr<Exchange> exchange;
  bool told = false;

  void tell(bool ready, const std::string& why) {
    if (std::exchange(told, true)) return;
    Json json = {{"ready", ready}};
    if (!ready) json["why"] = why;
    exchange->answer(json_response(ready ? 200 : 503, json));
  }
};

/// Answers whoami once: with the agent's word, or without it because the time is over.
struct WhoamiAnswer {
  std::shared_ptr<Exchange> exchange;
  Json whoami;
  bool told = false;

  void tell(Json administrator) {
    if (std::exchange(told, true)) return;
    whoami["administrator"] = std::move(administrator);
    exchange->answer(json_response(200, whoami));
  }
};

/// Calls `late` once, when an answer that is waited for has taken too long.
void after_patience(uv_loop_t& loop, std::function<void()> late) {
  using Late = std::function<void()>;
  auto* const timer = new uv_timer_t{};
  uv_timer_init(&loop, timer);
  timer->data = new Late(std::move(late));
  uv_timer_start(
      timer,
      [](uv_timer_t* fired) {
        (*static_cast<Late*>(fired->data))();
        uv_close(reinterpret_cast<uv_handle_t*>(fired), [](uv_handle_t* handle) {
          delete static_cast<Late*>(handle->data);
          delete reinterpret_cast<uv_timer_t*>(handle);
        });
      },
      kReadyMs, 0);
}

}  // namespace

Json Gateway::whoami_of(const Caller& caller) const {
  const Json& hello = upstream_.hello();
  const auto said = [&hello](const char* name) {
    const Json* const value = client::member(hello, name);
    return value == nullptr ? Json() : *value;
  };
  return {{"user", caller.user}, {"administrator", Json()}, {"read_only", caller.read_only},
      {"by", caller.by_token ? "token" : "session"},
      {"expires_at_ns", caller.expires_s == 0 ? Json() : Json(caller.expires_s * kNsOfS)},
      {"node", said("node")}, {"node_name", said("name")}, {"version", said("version")},
      {"gateway", DUNLIN_VERSION}, {"as_of_ns", node::wall_clock_ns()}};
}

// It is the first thing that a page asks: an agent that is away, slow, or older than the question
// must not keep it from being answered.
void Gateway::tell_whoami(const std::shared_ptr<Exchange>& exchange, const Caller& caller) {
  auto answer = std::make_shared<WhoamiAnswer>(
      WhoamiAnswer{.exchange = exchange, .whoami = whoami_of(caller)});
  answers_.ask({.verb = "whoami", .user = caller.user, .fresh_ms = kRightsFreshMs},
      [answer](const AnswerPtr& said) {
        const Json* const administrator = client::member(said->ok, "administrator");
        const bool known =
            !said->trouble && administrator != nullptr && administrator->is_boolean();
        answer->tell(known ? *administrator : Json());
      });
  if (!answer->told) after_patience(loop_, [answer] { answer->tell(Json()); });
}

void Gateway::log_in(const Call& call) {
  const std::int64_t now_s = node::unix_seconds();
  const std::string from = asker_of(*call.exchange, access_.terms().https);
  if (access_.failed_logins().blocked(from, now_s)) {
    return call.exchange->answer(
        problem_answer({"busy", "too many codes were wrong; wait for a minute", 60 * kNsOfS}));
  }
  const auto user = access_.codes().redeem(client::text_of(call.body, "code"), now_s);
  if (!user) {
    access_.failed_logins().failed(from, now_s);
    return call.exchange->answer(problem_answer({"session",
        "this link was used, or is older than a minute: `dunlin web login` prints another"}));
  }
  const std::string secret = access_.logins().open_session(*user, now_s);
  call.exchange->add_header("Set-Cookie", access_.set_cookie(secret));
  const auto caller = access_.logins().of_session(secret, now_s);
  tell_whoami(call.exchange, caller.value_or(Caller{.user = *user}));
}

void Gateway::log_out(const Call& call) {
  access_.logins().close_session(access_.session_secret(call.exchange->request()));
  call.exchange->add_header("Set-Cookie", access_.set_cookie(""));
  call.exchange->answer({.status = 204});
}

void Gateway::answer_whoami(const Call& call) {
  tell_whoami(call.exchange, call.caller);
}

std::string Gateway::answer_login(uid_t uid, const std::string& line) {
  const std::string name = user_name_of(uid);
  const bool own = name == terms_.own_user || uid == 0;
  if (!terms_.all_users && !own) {
    return error_line("refused", "this gateway is of " + terms_.own_user + " alone");
  }
  const std::string user = terms_.all_users ? name : terms_.own_user;
  const Json wish = read_json<Json>(line);
  const std::string command = client::text_of(wish, "command");
  if (command != "login") return token_answer(user, wish);
  const auto code = access_.codes().issue(user, node::unix_seconds());
  if (!code) return error_line("refused", "too many codes are under way; wait for a minute");
  return dump_of({{"link", address_ + "#" + *code}, {"user", user}});
}

std::string Gateway::token_answer(const std::string& user, const Json& wish) {
  const std::int64_t now_s = node::unix_seconds();
  const std::string command = client::text_of(wish, "command");
  if (command == "tokens") {
    Json lines = Json::array();
    for (const TokenLine& each : access_.logins().tokens_of(user, now_s)) {
      lines.push_back(token_json(each));
    }
    return dump_of({{"tokens", std::move(lines)}});
  }
  if (command == "revoke") {
    const std::string id = client::text_of(wish, "id");
    if (!access_.logins().revoke(user, id)) return error_line("not_found", "no token " + id);
    return dump_of({{"revoked", id}});
  }
  if (command != "token") return error_line("usage", "unknown command '" + command + "'");
  const auto lasts_s = client::number_of<std::int64_t>(wish, "lasts_s");
  auto secret = access_.logins().make_token(user,
      {.note = client::text_of(wish, "note"),
          .read_only = client::flag_of(wish, "read_only"),
          .expires_s = lasts_s == 0 ? 0 : now_s + lasts_s},
      now_s);
  if (!secret) return error_line("refused", secret.error().text);
  return dump_of({{"token", *secret}, {"user", user}, {"address", address_}});
}

void Gateway::handle_machine(const std::shared_ptr<Exchange>& exchange, const std::string& path) {
  if (path == "healthz") return exchange->answer(json_response(200, {{"healthy", true}}));
  if (path == "readyz") return answer_ready(exchange);
  if (path == "metrics" && terms_.metrics) return answer_metrics(exchange);
  const std::string hint = path == "metrics" ? "; dunlin-web tells them with --metrics" : "";
  exchange->answer(problem_answer({"not_found", "there is no /" + path.substr(0, 200) + hint}));
}

void Gateway::answer_ready(const std::shared_ptr<Exchange>& exchange) {
  auto ready = std::make_shared<Readiness>(Readiness{.exchange = exchange});
  after_patience(loop_, [ready] { ready->tell(false, "the agent has not answered for a second"); });
  answers_.ask({.verb = "status", .fresh_ms = kReadyMs}, [ready](const AnswerPtr& answer) {
    if (answer->trouble) return ready->tell(false, answer->trouble->detail);
    const std::string error = client::text_of(answer->ok, "store_error");
    ready->tell(error.empty(), error);
  });
}

void Gateway::answer_metrics(const std::shared_ptr<Exchange>& exchange) {
  answers_.ask({.verb = "status", .fresh_ms = kReadyMs}, [exchange](const AnswerPtr& answer) {
    if (answer->trouble) return exchange->answer(problem_answer(*answer->trouble));
    exchange->answer({.headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"},
                          {"Cache-Control", "no-store"}},
        .body = metrics_text(dump_of(answer->ok))});
  });
}

}  // namespace dunlin::web
