// SPDX-License-Identifier: MIT
#include "web/access/gate.h"

#include <algorithm>
#include <cctype>

// Two dangers come from a browser that a user has open besides. A page of a stranger may have it
// send requests here, which carry the user's cookie: SameSite, X-Dunlin, Origin and Sec-Fetch-Site
// are four walls against that, and any one would do in a browser without faults. And a stranger's
// name may resolve to this machine: Host stands against that. Requests with a token need neither,
// since no browser adds a token by itself.
namespace dunlin::web {
namespace {

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(),
      [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  return small;
}

/// Without the blanks around it, which RFC 9110 (section 5.5) lets stand around any value.
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// True of ":8080", and of nothing at all.
bool is_port(std::string_view text) {
  return text.empty() ||
      (text.size() <= 6 && text.front() == ':' &&
          std::ranges::all_of(text.substr(1), [](char c) { return c >= '0' && c <= '9'; }));
}

}  // namespace

std::string host_name_of(std::string_view host) {
  const bool bracketed = host.starts_with('[');
  const auto close = host.find(']');
  // An address of IPv6 has colons of its own, so it stands in brackets.
  if (bracketed && close == host.npos) return {};
  const auto end = std::min(bracketed ? close + 1 : host.find(':'), host.size());
  if (!is_port(host.substr(end))) return {};
  return in_small_letters(host.substr(0, end));
}

bool host_is_ours(const Request& request, const std::vector<std::string>& names) {
  // With two of them a proxy in front may have looked at the other one.
  if (request.count("host") != 1) return false;
  const std::string name = host_name_of(request.header("host"));
  return name == "localhost" || name == "127.0.0.1" || name == "[::1]" ||
      (!name.empty() && std::ranges::find(names, name) != names.end());
}

std::string cross_site_problem(const Request& request) {
  // A header of one's own makes a browser ask the gateway first whether the other page may send it,
  // and the gateway never says yes.
  if (request.header("x-dunlin") != "1") {
    return "a request that changes something needs the header X-Dunlin: 1";
  }
  const auto origin = request.header("origin");
  const auto scheme = origin.find("://");
  const std::string_view origin_host =
      scheme == origin.npos ? std::string_view() : origin.substr(scheme + 3);
  // The scheme is not compared: behind a proxy with TLS the gateway sees http, and the browser
  // https.
  const bool same_origin = !origin_host.empty() &&
      in_small_letters(origin_host) == in_small_letters(request.header("host"));
  if (request.count("origin") > 0 && !same_origin) {
    return "the request comes from another page: " + std::string(origin.substr(0, 200));
  }
  const auto site = request.header("sec-fetch-site");
  if (request.count("sec-fetch-site") > 0) {
    return site == "same-origin" ? std::string()
                                 : "the request comes from another page (Sec-Fetch-Site)";
  }
  if (same_origin) return {};
  // Browsers of today send one of both; what sends neither and has a cookie is rather refused than
  // believed.
  return "the request says neither Sec-Fetch-Site nor Origin: a script takes a token "
         "(dunlin web token)";
}

bool says_json(const Request& request) {
  if (request.body.empty()) return true;
  const auto type = request.header("content-type");
  return in_small_letters(trimmed(type.substr(0, type.find(';')))) == "application/json";
}

std::string_view cookie_of(const Request& request, std::string_view name) {
  for (const Header& header : request.headers) {
    if (header.name != "cookie") continue;
    std::string_view rest = header.value;
    while (!rest.empty()) {
      const auto end = std::min(rest.find(';'), rest.size());
      const std::string_view pair = trimmed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const auto equals = pair.find('=');
      if (equals != pair.npos && pair.substr(0, equals) == name) return pair.substr(equals + 1);
    }
  }
  return {};
}

}  // namespace dunlin::web
