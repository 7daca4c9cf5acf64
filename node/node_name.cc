// SPDX-License-Identifier: MIT
#include "node/node_name.h"

#include <algorithm>
#include <array>

#include "sched/message.h"

// Names of nodes stand beside names of jobs in words such as `merlin.12`, so a name must not read
// as a number, as an id, or as a word that stands for jobs. A host's own name that does is made
// into one that does not.
namespace dunlin::node {
namespace {

/// Words that stand for jobs.
constexpr std::array<std::string_view, 2> kWords = {"last", "all"};
constexpr std::size_t kIdDigits = 16;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_legal(char c) {
  return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
}

/// True if it would be read as the id of a node.
bool is_id(std::string_view name) {
  return name.size() == kIdDigits &&
      name.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::string_view why_not(std::string_view name) {
  if (name.empty()) return "it is empty";
  if (name.size() > sched::Facts::kNameMax) return "it is longer than 63 bytes";
  if (!std::ranges::all_of(name, is_legal)) {
    return "it has other characters than letters, digits, '-', '_' and '.'";
  }
  if (!is_letter(name.front()) && !is_digit(name.front())) {
    return "it does not begin with a letter or a digit";
  }
  if (std::ranges::none_of(name, is_letter)) return "it has no letter, and reads as a job";
  if (std::ranges::count(kWords, name) > 0) return "that word stands for jobs";
  if (is_id(name)) return "it reads as the id of a node";
  return "";
}

}  // namespace

Result<void> check_node_name(std::string_view name) {
  const std::string_view why = why_not(name);
  if (why.empty()) return {};
  return failure(ErrorKind::usage,
      "'" + std::string(name.substr(0, sched::Facts::kNameMax)) +
          "' is no name for a node: " + std::string(why) + "; choose a host name, as node-5");
}

std::string node_name_of(std::string_view hostname) {
  std::string name(hostname.substr(0, sched::Facts::kNameMax));
  if (why_not(name).empty()) return name;
  std::ranges::replace_if(name, [](char c) { return !is_legal(c); }, '-');
  // No more than fits after the prefix.
  constexpr std::string_view kPrefix = "node-";
  const std::size_t begin = std::min(name.find_first_not_of("-._"), name.size());
  name = name.substr(begin, sched::Facts::kNameMax - kPrefix.size());
  return why_not(name).empty() ? name : std::string(kPrefix) + (name.empty() ? "0" : name);
}

}  // namespace dunlin::node
