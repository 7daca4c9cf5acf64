// SPDX-License-Identifier: MIT
#include "web/gateway/gateway.h"

#include <algorithm>
#include <utility>

#include "node/wall_clock.h"
#include "web/access/gate.h"
#include "web/access/secret_text.h"
#include "web/gateway/answer_shape.h"
#include "web/gateway/assets.h"
#include "web/gateway/members.h"
#include "web/gateway/openapi.h"
#include "web/gateway/output_answer.h"

namespace dunlin::web {
namespace {

using client::Json;

/// Nothing but what this gateway serves may run, be shown or be asked: a text of a user that became
/// markup by some mistake of ours still could load and send nothing.
std::string policy() {
  return "default-src 'none'; script-src 'self' " + std::string(script_hashes()) +
      "; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
      "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'";
}

/// On each answer, errors and JSON too: a browser may be led to show any of them as a page.
void add_safety_headers(Exchange& exchange) {
  static const std::string csp = policy();
  exchange.add_header("Content-Security-Policy", csp);
  exchange.add_header("X-Content-Type-Options", "nosniff");
  exchange.add_header("X-Frame-Options", "DENY");
  exchange.add_header("Referrer-Policy", "no-referrer");
  exchange.add_header("Cross-Origin-Opener-Policy", "same-origin");
  exchange.add_header("Cross-Origin-Resource-Policy", "same-origin");
}

void answer_json(Exchange& exchange, const Json& json, int status = 200) {
  exchange.answer({.status = status,
      .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
      .body = json.dump(-1, ' ', false, Json::error_handler_t::replace)});
}

void answer_trouble(Exchange& exchange, const Trouble& trouble) {
  exchange.answer(problem_answer(trouble));
}

std::string path_of(const Target& target) {
  std::string path;
  for (const std::string& step : target.steps) path += (path.empty() ? "" : "/") + step;
  return path;
}

bool changes(std::string_view method) {
  return method != "GET" && method != "HEAD";
}

}  // namespace

Gateway::Gateway(uv_loop_t& loop, GatewayTerms terms, Access& access)
    : loop_(loop),
      terms_(std::move(terms)),
      access_(access),
      upstream_(loop, terms_.agent_socket, terms_.all_users),
      answers_(loop, upstream_),
      hub_(loop, answers_, upstream_) {
  upstream_.on_change([this](bool there) {
    answers_.forget();
    hub_.on_agent(there);
  });
}

void Gateway::handle(std::shared_ptr<Exchange> exchange) {
  add_safety_headers(*exchange);
  const Request& request = exchange->request();
  // Before all else: a page that reaches us under a name of its own is a stranger's.
  if (!host_is_ours(request, access_.terms().hosts)) {
    return answer_trouble(*exchange,
        {"host",
            "this gateway is not called '" + std::string(request.header("host").substr(0, 200)) +
                "': give its name with --host"});
  }
  auto target = parse_target(request.target);
  if (!target) {
    return answer_trouble(*exchange, {"usage", "the path or the query makes no sense"});
  }
  if (!target->steps.empty() && target->steps[0] == "v1") {
    return handle_api(std::move(exchange), std::move(*target));
  }
  const std::string path = path_of(*target);
  if (changes(request.method)) {
    // RFC 9110 (section 15.5.6) wants the header with each 405.
    exchange->add_header("Allow", "GET, HEAD");
    return answer_trouble(*exchange, {"method", "there is nothing to change at /" + path});
  }
  if (const Asset* const asset = find_asset(path)) return answer_with_asset(*exchange, *asset);
  handle_machine(exchange, path);
}

const Endpoint* Gateway::find(Exchange& exchange, const Target& target, Captures& captures) {
  const std::string& method = exchange.request().method;
  std::string allowed;
  for (const Endpoint& endpoint : all_endpoints()) {
    if (!matches(endpoint.path, target.steps, captures)) continue;
    // "/v1/nodes/bins" is a path of its own, and no node: the table has it first.
    if (endpoint.method == method || (method == "HEAD" && endpoint.method == "GET")) {
      return &endpoint;
    }
    if (allowed.find(endpoint.method) != allowed.npos) continue;
    allowed += (allowed.empty() ? "" : ", ") + std::string(endpoint.method);
  }
  if (allowed.empty()) {
    answer_trouble(exchange, {"not_found", "there is no /" + path_of(target)});
    return nullptr;
  }
  exchange.add_header("Allow", allowed);
  answer_trouble(exchange, {"method", "this understands " + allowed});
  return nullptr;
}

std::optional<Trouble> Gateway::admit(Call& call) {
  const Request& request = call.exchange->request();
  // Logging in needs no session, and a generator of clients reads the description without one.
  const bool is_open = call.endpoint->way == Way::login || call.endpoint->way == Way::openapi;
  if (!is_open) {
    const auto caller = access_.caller_of(request, node::unix_seconds());
    if (!caller) {
      return Trouble{"session", "log in first: `dunlin web login` prints a link"};
    }
    call.caller = *caller;
  }
  if (changes(request.method)) {
    // In this order: first what the request is, then whether this caller may change anything, then
    // whether a page of a stranger made it.
    if (!says_json(request)) return Trouble{"media_type", "the body must be application/json"};
    if (call.caller.read_only) return Trouble{"forbidden", "this token may only read"};
    // Logging in is looked at as well: another page must not log its victim in as somebody else.
    const std::string problem = call.caller.by_token ? "" : cross_site_problem(request);
    if (!problem.empty()) return Trouble{"forbidden", problem};
  }
  // A GET may have a body, which means nothing (RFC 9110, section 9.3.1).
  auto body = body_of(changes(request.method) ? std::string_view(request.body) : "");
  if (!body) return body.error();
  call.body = std::move(*body);
  return std::nullopt;
}

void Gateway::handle_api(std::shared_ptr<Exchange> exchange, Target target) {
  Call call{.exchange = std::move(exchange), .target = std::move(target)};
  call.endpoint = find(*call.exchange, call.target, call.captures);
  if (call.endpoint == nullptr) return;
  if (const auto trouble = admit(call)) return answer_trouble(*call.exchange, *trouble);
  run(std::move(call));
}

void Gateway::run(Call call) {
  // Its members have a depth that the table of parameters cannot say.
  if (call.endpoint->way == Way::submit) return submit(std::move(call));
  auto members = members_of(*call.endpoint, call.captures, call.target, call.body);
  if (!members) return answer_trouble(*call.exchange, members.error());
  switch (call.endpoint->way) {
    case Way::login:
      return log_in(call);
    case Way::logout:
      return log_out(call);
    case Way::whoami:
      return answer_whoami(call);
    case Way::openapi:
      return call.exchange->answer(
          {.headers = {{"Content-Type", "application/json"}}, .body = openapi_text()});
    case Way::output:
      return answer_output(call, std::move(*members));
    case Way::stream:
    case Way::topics:
      return open_stream(call);
    default:
      return ask(std::move(call), std::move(*members));
  }
}

void Gateway::answer_output(const Call& call, std::string members) {
  std::string file;
  const auto download = call.target.parameter("download");
  if (download && *download != "0" && *download != "false") {
    const bool errors = call.target.parameter("stream") == "err";
    file = call.captures.at("job") + "." + call.captures.at("task") + (errors ? ".err" : ".out");
    // Names of nodes hold no quotes; what a client types may.
    std::erase_if(file, [](char c) { return c == '"' || c == '\\' || c == '/'; });
  }
  answer_with_output(upstream_, call.exchange,
      {.members = std::move(members), .user = call.caller.user, .file_name = std::move(file)});
}

void Gateway::open_stream(const Call& call) {
  std::vector<std::string> topics;
  tl::expected<void, Trouble> done;
  if (call.endpoint->way == Way::topics) {
    for (const Json& each : client::list_of(call.body, "topics")) topics.push_back(each);
    done = hub_.change(call.caller.user, call.captures.at("stream"), topics);
    if (done) return call.exchange->answer({.status = 204});
  } else {
    topics = split_list(call.target.parameter("topics").value_or(""));
    // A copy: the stream asks for as long as it is open, and the exchange is not to be held by
    // that.
    const Request request = call.exchange->request();
    done = hub_.open(call.exchange, call.caller.user, topics, request.header("last-event-id"),
        [this, request] { return access_.is_known(request, node::unix_seconds()); });
  }
  if (!done) answer_trouble(*call.exchange, done.error());
}

void Gateway::submit(Call call) {
  if (!call.target.query.empty()) {
    return answer_trouble(*call.exchange, {"usage", "a submit has no parameters"});
  }
  const std::string_view key = call.exchange->request().header("idempotency-key");
  if (!key.empty()) {
    const bool fits =
        key.size() <= 128 && std::ranges::all_of(key, [](char c) { return c > ' ' && c < 0x7f; });
    if (!fits || call.body.contains("key")) {
      return answer_trouble(*call.exchange,
          {"usage",
              "'Idempotency-Key' must be 1 to 128 printing characters, and stand without a "
              "member 'key'"});
    }
    // The agent's keys are 32 digits; two users may well take the same word.
    call.body["key"] = hash_of(call.caller.user + "\n" + std::string(key)).substr(0, 32);
  }
  // The agent says which user it is, by what the kernel or a delegate tells it.
  for (const char* const ours : {"verb", "id", "speaker", "owner", "tell_waits"}) {
    if (!call.body.contains(ours)) continue;
    return answer_trouble(
        *call.exchange, {"usage", "'" + std::string(ours) + "' is no member of a job"});
  }
  // members_of() makes the members without braces; here they are taken off.
  std::string text = call.body.dump(-1, ' ', false, Json::error_handler_t::replace);
  ask(std::move(call), text.substr(1, text.size() - 2));
}

void Gateway::ask(Call call, std::string members) {
  const Endpoint& endpoint = *call.endpoint;
  const bool reads = !changes(call.exchange->request().method);
  const Question question{.verb = std::string(endpoint.verb),
      .members = std::move(members),
      .user = endpoint.shared ? std::string() : call.caller.user,
      .fresh_ms = reads ? endpoint.fresh_ms : 0,
      .gather = endpoint.verb == "events" ? "events" : ""};
  answers_.ask(question, [call = std::move(call)](const AnswerPtr& answer) {
    if (answer->trouble) return answer_trouble(*call.exchange, *answer->trouble);
    auto shaped = shaped_answer(*call.endpoint, call.target, *answer);
    if (!shaped) return answer_trouble(*call.exchange, shaped.error());
    if (call.endpoint->way != Way::submit) return answer_json(*call.exchange, *shaped);
    call.exchange->add_header("Location", "/v1/jobs/" + client::text_of(*shaped, "job"));
    answer_json(*call.exchange, *shaped, 201);
  });
}

}  // namespace dunlin::web
