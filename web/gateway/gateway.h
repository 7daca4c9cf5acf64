// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <uv.h>

#include "node/client/json.h"
#include "web/access/access.h"
#include "web/agent/answers.h"
#include "web/agent/problem.h"
#include "web/agent/upstream.h"
#include "web/gateway/endpoint.h"
#include "web/http/exchange.h"
#include "web/http/target.h"
#include "web/stream/stream_hub.h"

namespace dunlin::web {

/// What a gateway is, beyond its access.
struct GatewayTerms {
  std::string agent_socket;
  bool all_users = false;
  bool metrics = false;
  std::string own_user;  ///< Whose it is, unless it is of all.
};

/// Answers requests: lets in who may ask, finds the endpoint, asks the agent, and tells what that
/// says.
class Gateway {
 public:
  Gateway(uv_loop_t& loop, GatewayTerms terms, Access& access);

  /// Always answers, now or later; strangers' requests, too.
  void handle(std::shared_ptr<Exchange> exchange);
  /// Answers a line at the Unix socket where users log in: who says it the kernel has named.
  std::string answer_login(uid_t user, const std::string& line);

  /// The address that links begin with, once it is known: "http://127.0.0.1:8780/".
  void set_address(std::string address) { address_ = std::move(address); }
  Answers& answers() { return answers_; }

 private:
  /// A request that has found its endpoint, on its way to an answer.
  struct Call {
    std::shared_ptr<Exchange> exchange;
    const Endpoint* endpoint = nullptr;
    Captures captures;
    Target target;
    client::Json body;
    Caller caller;
  };
  /// Paths for probes and collectors, which log in nowhere: they tell nothing of any user or job.
  void handle_machine(const std::shared_ptr<Exchange>& exchange, const std::string& path);
  void answer_ready(const std::shared_ptr<Exchange>& exchange);
  void answer_metrics(const std::shared_ptr<Exchange>& exchange);
  void handle_api(std::shared_ptr<Exchange> exchange, Target target);
  /// Finds the endpoint, or answers that there is none.
  const Endpoint* find(Exchange& exchange, const Target& target, Captures& captures);
  /// Empty: the call may go on.
  std::optional<Trouble> admit(Call& call);
  /// The call was admitted: does what its endpoint says.
  void run(Call call);
  void log_in(const Call& call);
  void log_out(const Call& call);
  void answer_whoami(const Call& call);
  void answer_output(const Call& call, std::string members);
  void open_stream(const Call& call);
  /// A body of many shapes, which the agent checks itself; the gateway looks at what it must not
  /// hold.
  void submit(Call call);
  /// Asks the agent and answers with what it says.
  void ask(Call call, std::string members);
  client::Json whoami_of(const Caller& caller) const;
  /// Answers the caller with its name, and what the agent holds that user for.
  void tell_whoami(const std::shared_ptr<Exchange>& exchange, const Caller& caller);
  std::string token_answer(const std::string& user, const client::Json& wish);

  uv_loop_t& loop_;
  GatewayTerms terms_;
  Access& access_;
  std::string address_;
  /// In this order: each is made of those above it, and must go before them.
  Upstream upstream_;
  Answers answers_;
  StreamHub hub_;
};

}  // namespace dunlin::web
