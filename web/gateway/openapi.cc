// SPDX-License-Identifier: MIT
#include "web/gateway/openapi.h"

#include <algorithm>
#include <string_view>

#include "node/client/json.h"
#include "web/gateway/endpoint.h"
#include "web/gateway/members.h"

namespace dunlin::web {
namespace {

using client::Json;

Json schema_of(const Parameter& parameter) {
  switch (parameter.type) {
    case Type::integer: {
      Json schema = {{"type", "integer"}, {"format", "int64"}, {"minimum", 0}};
      if (parameter.max != INT64_MAX) {
        schema["minimum"] = 1;
        schema["maximum"] = parameter.max;
        schema["default"] = parameter.fallback;
      }
      return schema;
    }
    case Type::flag:
      return {{"type", "boolean"}};
    case Type::texts:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case Type::integers:
      return {{"type", "array"}, {"items", {{"type", "integer"}, {"minimum", 0}}}};
    case Type::text:
      break;
  }
  return {{"type", "string"}};
}

/// The value of a parameter that its table has as an example.
Json example_of(const Parameter& parameter) {
  switch (parameter.type) {
    case Type::text:
      return parameter.example;
    case Type::texts:
      return split_list(parameter.example);
    case Type::integers: {
      Json list = Json::array();
      for (const std::string& each : split_list(parameter.example)) {
        list.push_back(Json::parse(each));
      }
      return list;
    }
    case Type::integer:
    case Type::flag:
      break;
  }
  return Json::parse(parameter.example);
}

/// "get_jobs_job_tasks": stays as it is for as long as the path does.
std::string operation_of(const Endpoint& endpoint) {
  std::string name;
  for (const char c : endpoint.method) name += static_cast<char>(c - 'A' + 'a');
  for (const char c : endpoint.path.substr(3)) {
    if (c == '{' || c == '}') continue;
    name += c == '/' || c == '-' || c == '.' ? '_' : c;
  }
  return name;
}

Json parameters_of(const Endpoint& endpoint) {
  Json parameters = Json::array();
  std::string_view rest = endpoint.path;
  while (rest.find('{') != rest.npos) {
    rest.remove_prefix(rest.find('{') + 1);
    const std::string name(rest.substr(0, rest.find('}')));
    const bool number = name == "task";
    const std::string_view example = example_of_capture(name);
    parameters.push_back({{"name", name}, {"in", "path"}, {"required", true},
        {"schema", {{"type", number ? "integer" : "string"}}},
        {"example", number ? Json::parse(example) : Json(example)}});
  }
  for (const Parameter& each : endpoint.query) {
    Json parameter = {{"name", each.name}, {"in", "query"}, {"description", each.meaning},
        {"schema", schema_of(each)}, {"example", example_of(each)}};
    if (each.required) parameter["required"] = true;
    if (each.type == Type::texts) {  // Between commas.
      parameter["style"] = "form";
      parameter["explode"] = false;
    }
    parameters.push_back(std::move(parameter));
  }
  if (endpoint.way == Way::submit) {
    parameters.push_back({{"name", "Idempotency-Key"}, {"in", "header"},
        {"description", "said twice, it is one job"},
        {"schema", {{"type", "string"}, {"maxLength", 128}}}, {"example", "nightly-2026-11-28"}});
  }
  return parameters;
}

Json body_of_endpoint(const Endpoint& endpoint) {
  Json properties = Json::object();
  Json example = Json::object();
  for (const Parameter& each : endpoint.body) {
    if (!each.example.empty()) example[std::string(each.name)] = example_of(each);
    properties[std::string(each.name)] = schema_of(each);
    properties[std::string(each.name)]["description"] = each.meaning;
  }
  Json schema = {{"type", "object"}};
  if (endpoint.way != Way::submit) {
    schema["properties"] = std::move(properties);
    schema["additionalProperties"] = false;
  }
  if (!endpoint.example.empty()) example = Json::parse(endpoint.example);
  return {{"required", endpoint.way == Way::submit},
      {"content",
          {{"application/json",
              {{"schema", std::move(schema)}, {"example", std::move(example)}}}}}};
}

Json answers_of(const Endpoint& endpoint) {
  Json ok = {{"description", endpoint.meaning}};
  const auto content = [&ok](const char* type, Json schema) {
    ok["content"] = Json{{type, {{"schema", std::move(schema)}}}};
  };
  if (endpoint.way == Way::output) {
    content("text/plain", {{"type", "string"}});
  } else if (endpoint.way == Way::stream) {
    content("text/event-stream", {{"type", "string"}});
  } else if (endpoint.way != Way::topics && endpoint.way != Way::logout) {
    content("application/json", {{"type", "object"}});
  }
  const bool bare = endpoint.way == Way::topics || endpoint.way == Way::logout;
  const char* const status = endpoint.way == Way::submit ? "201" : bare ? "204" : "200";
  return {{status, std::move(ok)},
      {"default",
          {{"description", "It fails"},
              {"content",
                  {{"application/problem+json",
                      {{"schema", {{"$ref", "#/components/schemas/Problem"}}}}}}}}}};
}

}  // namespace

std::string openapi_text() {
  Json paths = Json::object();
  for (const Endpoint& endpoint : all_endpoints()) {
    std::string method;
    for (const char c : endpoint.method) method += static_cast<char>(c - 'A' + 'a');
    Json operation = {{"operationId", operation_of(endpoint)}, {"summary", endpoint.meaning},
        {"parameters", parameters_of(endpoint)}};
    if (!endpoint.verb.empty()) {
      operation["description"] =
          "The request `" + std::string(endpoint.verb) + "` of the control protocol.";
    }
    const bool has_body = endpoint.way == Way::submit || !endpoint.body.empty();
    if (has_body) operation["requestBody"] = body_of_endpoint(endpoint);
    operation["responses"] = answers_of(endpoint);
    if (endpoint.way == Way::login || endpoint.way == Way::openapi) {
      operation["security"] = Json::array();
    }
    paths[std::string(endpoint.path)][method] = std::move(operation);
  }
  const Json text = {{"type", "string"}};
  const Json document = {{"openapi", "3.1.0"},
      {"info",
          {{"title", "Dunlin"}, {"version", DUNLIN_VERSION},
              {"description", "What dunlin-web answers. Members come without notice."},
              {"license", {{"name", "MIT"}, {"identifier", "MIT"}}}}},
      {"servers", {{{"url", "/"}}}}, {"security", {{{"token", Json::array()}}}},
      {"paths", std::move(paths)},
      {"components",
          {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
              {"schemas",
                  {{"Problem",
                      {{"type", "object"}, {"required", {"status", "kind", "detail"}},
                          {"properties",
                              {{"type", text}, {"title", text}, {"status", {{"type", "integer"}}},
                                  {"kind", text}, {"detail", text}}}}}}}}}};
  return document.dump();
}

}  // namespace dunlin::web
