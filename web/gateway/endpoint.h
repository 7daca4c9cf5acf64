// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace dunlin::web {

/// What a parameter of a query, or a member of a body, must be.
enum class Type { text, integer, flag, texts, integers };

/// One of them, and the member of the request to the agent that it becomes.
struct Parameter {
  std::string_view name;
  std::string_view member;  ///< Empty: the gateway reads it itself.
  Type type = Type::text;
  std::string_view meaning;
  /// A value: of a list with commas between, else as JSON has it, but texts without quotes. Empty:
  /// of a body, that its example goes without it.
  std::string_view example;
  std::int64_t max = INT64_MAX;  ///< Of an integer.
  std::int64_t fallback = 0;     ///< Of an integer that is not given, if `max` bounds it.
  bool required = false;         ///< Of a query that makes no sense without it.
};

/// Who does it.
/// Most only hand a request on; those that have a name of their own are shaped or answered here.
enum class Way {
  verb,  ///< The agent, and all of its answer is told.
  list,  ///< The same, with what every list has.
  tasks,
  task,
  nodes,
  node_bins,
  output,
  submit,
  login,
  logout,
  whoami,
  openapi,
  stream,
  topics,
};

/// A method of a path below /v1.
/// Each is a line of one table, from which requests are answered, OpenAPI is made and documents are
/// tested: so the three cannot differ.
struct Endpoint {
  std::string_view method;
  std::string_view path;  ///< "/v1/jobs/{job}".
  Way way = Way::verb;
  std::string_view verb;   ///< Of the control protocol; empty: the gateway answers it itself.
  std::string_view fixed;  ///< Members that each request has, JSON without braces.
  std::span<const Parameter> query = {};
  std::span<const Parameter> body = {};
  std::string_view meaning;
  std::uint64_t fresh_ms = 1'000;  ///< As of Question, where nothing is changed.
  bool shared = false;             ///< The answer is the same for every user.
  std::string_view example = {};   ///< A body, where `body` does not say its members.
};

/// All of them. The page docs/design/http.md and openapi_text() say the same.
std::span<const Endpoint> all_endpoints();

/// An example of what stands for a name in braces of a path: that of the first job or node of a
/// cluster which `dunlin dev` starts.
std::string_view example_of_capture(std::string_view name);

/// The values of the names in braces of a path.
using Captures = std::map<std::string, std::string, std::less<>>;

/// True if `steps` of a path, such as v1, jobs and wren.7, are those of `path`.
/// `captures` is right only if it returns true.
bool matches(std::string_view path, std::span<const std::string> steps, Captures& captures);

/// The member of a request of `verb` that the name in braces becomes: "at" of "node", where the
/// request goes to that node.
std::string_view member_of_capture(std::string_view name, std::string_view verb);

}  // namespace dunlin::web
