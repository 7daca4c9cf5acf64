// SPDX-License-Identifier: MIT
#include "web/gateway/members.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "node/read_json.h"

namespace dunlin::web {
namespace {

using client::Json;

tl::unexpected<Trouble> usage(std::string detail) {
  return tl::unexpected<Trouble>(Trouble{.kind = "usage", .detail = std::move(detail)});
}

/// Not below 0: no number that is taken here is.
std::optional<std::int64_t> number_of_text(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || at != end || value < 0) return std::nullopt;
  return value;
}

/// A value of a query as JSON.
tl::expected<Json, Trouble> value_of(const Parameter& parameter, std::string_view text) {
  const std::string name = "'" + std::string(parameter.name) + "'";
  if (parameter.type == Type::flag) {
    // "?all" alone says yes, as people type it.
    if (text == "1" || text == "true" || text.empty()) return Json(true);
    if (text == "0" || text == "false") return Json(false);
    return usage(name + " must be 1 or 0");
  }
  if (parameter.type == Type::integer) {
    const auto value = number_of_text(text);
    const bool bounded = parameter.max != INT64_MAX;
    if (!value || *value > parameter.max || (bounded && *value < 1)) {
      return usage(name + " must be a whole number" +
          (bounded ? " from 1 to " + std::to_string(parameter.max) : std::string(", 0 or more")));
    }
    return Json(*value);
  }
  if (parameter.type == Type::texts) return Json(split_list(text));
  return Json(text);
}

std::string_view word_of(Type type) {
  switch (type) {
    case Type::integer:
      return "a whole number, 0 or more";
    case Type::flag:
      return "true or false";
    case Type::texts:
      return "a list of texts";
    case Type::integers:
      return "a list of whole numbers";
    case Type::text:
      break;
  }
  return "a text";
}

bool is_of(Type type, const Json& value) {
  const auto all = [&value](
                       auto fits) { return value.is_array() && std::ranges::all_of(value, fits); };
  switch (type) {
    case Type::integer:
      return value.is_number_unsigned();
    case Type::flag:
      return value.is_boolean();
    case Type::texts:
      return all([](const Json& each) { return each.is_string(); });
    case Type::integers:
      return all([](const Json& each) { return each.is_number_unsigned(); });
    case Type::text:
      break;
  }
  return value.is_string();
}

void append_member(std::string& members, std::string_view name, const Json& value) {
  if (!members.empty()) members += ',';
  members +=
      client::json_text(name) + ":" + value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

tl::expected<void, Trouble> add_captures(
    const Endpoint& endpoint, const Captures& captures, std::string& members) {
  for (const auto& [name, value] : captures) {
    const std::string_view member = member_of_capture(name, endpoint.verb);
    // The agent takes a job or a node by any of its names, and a task by its index alone.
    if (name != "task") {
      append_member(members, member, Json(value));
      continue;
    }
    const auto index = number_of_text(value);
    if (!index) return usage("a task is named by its index, a whole number");
    append_member(members, member, Json(*index));
  }
  return {};
}

tl::expected<void, Trouble> add_query(
    const Endpoint& endpoint, const Target& target, std::string& members) {
  for (const auto& [name, text] : target.query) {
    const auto known = std::ranges::find(endpoint.query, name, &Parameter::name);
    if (known == endpoint.query.end()) {
      // A filter that was misspelt and ignored would show everything, and nobody would notice.
      return usage("'" + name + "' is no parameter of " + std::string(endpoint.path));
    }
    auto value = value_of(*known, text);
    if (!value) return tl::unexpected(value.error());
    if (!known->member.empty()) append_member(members, known->member, *value);
  }
  for (const Parameter& each : endpoint.query) {
    // The agent's own default may be another one, or none.
    if (each.fallback == 0 || each.member.empty() || target.parameter(each.name)) continue;
    append_member(members, each.member, Json(each.fallback));
  }
  return {};
}

tl::expected<void, Trouble> add_body(
    const Endpoint& endpoint, const Json& body, std::string& members) {
  for (const auto& [name, value] : body.items()) {
    const auto known = std::ranges::find(endpoint.body, name, &Parameter::name);
    if (known == endpoint.body.end()) {
      return usage("'" + name + "' is no member of a body of " + std::string(endpoint.path));
    }
    // Generated clients send null for what they leave out.
    if (value.is_null()) continue;
    if (!is_of(known->type, value)) {
      return usage("'" + name + "' must be " + std::string(word_of(known->type)));
    }
    if (!known->member.empty()) append_member(members, known->member, value);
  }
  return {};
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

tl::expected<Json, Trouble> body_of(std::string_view text) {
  if (text.empty()) return Json::object();
  std::string why;
  Json body = read_json<Json>(text, &why);
  if (body.is_object()) return body;
  return usage("the body is no object of JSON" + (why.empty() ? why : ": " + why));
}

std::int64_t number_in(const Target& target, const Parameter& parameter) {
  const auto text = target.parameter(parameter.name);
  return text ? number_of_text(*text).value_or(parameter.fallback) : parameter.fallback;
}

tl::expected<std::string, Trouble> members_of(
    const Endpoint& endpoint, const Captures& captures, const Target& target, const Json& body) {
  std::string members(endpoint.fixed);
  if (auto fine = add_captures(endpoint, captures, members); !fine) {
    return tl::unexpected(fine.error());
  }
  if (auto fine = add_query(endpoint, target, members); !fine) return tl::unexpected(fine.error());
  if (auto fine = add_body(endpoint, body, members); !fine) return tl::unexpected(fine.error());
  return members;
}

}  // namespace dunlin::web
