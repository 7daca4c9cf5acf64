// SPDX-License-Identifier: MIT
#include "web/http/request_parser.h"

#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>
#include <utility>

// The only file that sees Boost. Its parser is strict, and was attacked by many; all around it (who
// may connect, for how long, in which order is answered) is ours.
namespace dunlin::web {
namespace {

namespace http = boost::beast::http;

/// What the parser leaves to be shown again is less than a line of a header.
constexpr std::size_t kUnreadMax = std::size_t{16} << 10;

int status_of(const boost::beast::error_code& error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::body_limit) return 413;
  if (error == http::error::bad_version) return 505;
  return 400;
}

std::string small(std::string_view text) {
  std::string letters(text);
  std::ranges::transform(letters, letters.begin(),
      [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return letters;
}

std::string_view view_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

std::string_view Request::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &Header::name);
  return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

std::size_t Request::count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count(headers, name, &Header::name));
}

struct RequestParser::Parts {
  // Made anew for each request: a parser of Boost reads one message, and cannot begin again.
  std::optional<http::request_parser<http::string_body>> parser;
};

RequestParser::RequestParser(RequestBounds bounds)
    : bounds_(bounds),
      parts_(std::make_unique<Parts>()) {
  begin();
}

RequestParser::~RequestParser() = default;

void RequestParser::begin() {
  parts_->parser.emplace();
  parts_->parser->header_limit(static_cast<std::uint32_t>(bounds_.header_bytes));
  parts_->parser->body_limit(bounds_.body_bytes);
  // Without that it would stop behind the header, and be called once more for a body that is there.
  parts_->parser->eager(true);
}

RequestParser::State RequestParser::fail(int status) {
  status_ = status;
  return State::wrong;
}

RequestParser::State RequestParser::read(std::string_view input, std::size_t& used) {
  if (status_ != 0) return State::wrong;
  auto& parser = *parts_->parser;
  while (!parser.is_done() && !input.empty()) {
    boost::beast::error_code error;
    // Boost takes whole lines of a header, and any bytes of a body.
    const auto taken = parser.put(boost::asio::const_buffer(input.data(), input.size()), error);
    used += taken;
    input.remove_prefix(taken);
    if (error == http::error::need_more) break;
    if (error) return fail(status_of(error));
    // A length said in chunks is no length: the body could end elsewhere for a proxy.
    if (parser.is_header_done() && parser.chunked()) return fail(411);
    // It wants more than is here, and has said so without an error.
    if (taken == 0) break;
  }
  if (parser.is_header_done() && parser.chunked()) return fail(411);
  if (parser.is_done()) return State::whole;
  return input.size() > kUnreadMax ? fail(431) : State::more;
}

Request RequestParser::take() {
  auto message = parts_->parser->release();
  Request request{.method = std::string(view_of(message.method_string())),
      .target = std::string(view_of(message.target())),
      .body = std::move(message.body()),
      .keep_alive = message.keep_alive()};
  for (const auto& field : message) {
    // Names mean the same in capitals (RFC 9110, section 5.1); made small once, they are compared
    // simply.
    request.headers.push_back(
        {small(view_of(field.name_string())), std::string(view_of(field.value()))});
  }
  begin();
  return request;
}

bool RequestParser::wants_continue() const {
  const auto& parser = *parts_->parser;
  if (!parser.is_header_done() || parser.is_done()) return false;
  return small(view_of(parser.get()[http::field::expect])) == "100-continue";
}

bool RequestParser::has_header() const {
  return parts_->parser->is_header_done();
}

}  // namespace dunlin::web
