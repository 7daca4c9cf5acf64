// SPDX-License-Identifier: MIT
// What a stranger sends to the gateway of the web: from bytes to the members of a request to the
// agent. However it is cut, it is read as one and the same; and no word of a stranger becomes a
// member, or a line of a header, of its own.
#include <string>
#include <vector>

#include "node/client/json.h"
#include "node/read_json.h"
#include "tests/fuzz/fuzz.h"
#include "web/access/gate.h"
#include "web/gateway/endpoint.h"
#include "web/gateway/members.h"
#include "web/http/byte_range.h"
#include "web/http/request_parser.h"
#include "web/http/response.h"
#include "web/http/target.h"
#include "web/stream/topic.h"

namespace dunlin::fuzz {
namespace {

using namespace dunlin::web;

constexpr std::size_t kRequestsMax = 64;

/// All requests in `text`, shown so many bytes at a time.
std::vector<std::string> read_all(std::string_view text, std::size_t step) {
  std::vector<std::string> seen;
  RequestParser parser;
  std::string input;
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size() && seen.size() < kRequestsMax; at += step) {
    input += text.substr(at, step);
    auto state = RequestParser::State::whole;
    while (state == RequestParser::State::whole && seen.size() < kRequestsMax) {
      state = parser.read(std::string_view(input).substr(used), used);
      ensure(used <= input.size(), "more was taken than there is");
      if (state != RequestParser::State::whole) break;
      const Request request = parser.take();
      ensure(request.body.size() <= RequestBounds{}.body_bytes, "a body beyond its bound");
      seen.push_back(request.method + " " + request.target + "\n" + request.body);
    }
    if (state == RequestParser::State::wrong) {
      // That something is wrong may be seen later if it comes in pieces.
      ensure(parser.status() >= 400, "it is wrong, and no status says so");
      break;
    }
  }
  return seen;
}

void run_members(const web::Target& target, std::string_view body) {
  const auto json = body_of(body);
  for (const Endpoint& endpoint : all_endpoints()) {
    Captures captures;
    if (!matches(endpoint.path, target.steps, captures)) continue;
    const auto members =
        members_of(endpoint, captures, target, json ? *json : client::Json::object());
    if (!members) continue;
    const client::Json request = read_json<client::Json>("{" + *members + "}");
    // A member that is said twice makes it none, as it would for the agent.
    ensure(request.is_object() || request.is_discarded(), "the members are no JSON");
    ensure(!request.is_object() || (!request.contains("verb") && !request.contains("speaker")),
        "a stranger says whose request it is");
  }
}

void run_http_front(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const std::string_view text = text_of(data + 1, size - 1);
  const auto whole = read_all(text, text.size() + 1);
  ensure(read_all(text, data[0] % 97 + 1u) == whole, "a request that depends on how it is cut");
  RequestParser parser;
  std::size_t used = 0;
  if (parser.read(text, used) == RequestParser::State::whole) {
    const Request request = parser.take();
    (void)host_is_ours(request, {"web.lan"});
    (void)cross_site_problem(request);
    (void)cookie_of(request, "dunlin-8780");
    (void)parse_range(request.header("range"), 1'000);
    if (const auto target = parse_target(request.target)) run_members(*target, request.body);
    Response echo;
    for (const Header& header : request.headers) echo.headers.push_back({"X", header.value});
    const std::string head = head_text(echo, 0, true, "now");
    ensure(head.find("\r\n\r\n") == head.size() - 4, "a header that ends early");
  }
  (void)parse_topic(text);
}

const Registered kHttpFront({.name = "http_front", .run = run_http_front});

}  // namespace
}  // namespace dunlin::fuzz
