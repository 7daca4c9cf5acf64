// SPDX-License-Identifier: MIT
#include "node/client/submission.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <sys/random.h>
#include <utility>

#include "node/base64.h"
#include "node/client/frames.h"
#include "node/client/include/dunlin.h"
#include "node/client/json.h"
#include "node/read_json.h"

// A job as the program gives it, made into requests: the key, the members as text, and lines of
// large jobs in pieces that each fit a message. It is checked only for what would break the
// library's own requests; whether the job makes sense the agent says.
namespace dunlin::client {
namespace {

constexpr std::size_t kKeyDigits = 32;
/// Room for the members that the library adds.
constexpr std::size_t kRoom = 256;
/// The part of a message that the lines of a large job fill: they come in pieces of 1 MiB.
constexpr std::size_t kPieceDivisor = 16;
constexpr std::string_view kBlanks = " \t\r\n";

bool is_hexadecimal(std::string_view text) {
  return std::ranges::all_of(
      text, [](unsigned char c) { return std::isdigit(c) != 0 || (c >= 'a' && c <= 'f'); });
}

/// The key makes it harmless to submit a job twice, as after a broken connection: an agent that has
/// taken it says so.
std::string draw_key() {
  std::array<unsigned char, kKeyDigits / 2> bytes{};
  while (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
  }
  std::string key;
  for (const unsigned char byte : bytes) {
    key += "0123456789abcdef"[byte >> 4];
    key += "0123456789abcdef"[byte & 15];
  }
  return key;
}

/// Bytes that are no UTF-8 are replaced: an exception would end the thread that serves all jobs.
std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A path in JSON, which has no bytes but UTF-8. What is beyond ASCII need not be looked at.
Json path_json(const std::string& path) {
  const bool is_ascii = std::ranges::all_of(path, [](unsigned char c) { return c < 0x80; });
  return is_ascii ? Json(path) : Json{{"base64", node::to_base64(path)}};
}

/// The path of a directory that is no template, whatever its name.
std::string without_placeholders(std::string path) {
  for (std::size_t at = 0; (at = path.find("%{", at)) != std::string::npos; at += 3) {
    path.insert(at, 1, '%');
  }
  return path;
}

/// Tasks run where the program is, as those of the command line do, unless their group says where:
/// `make all` finds no rule in an empty directory.
Problem set_directories(Json& job, const std::string& here) {
  const Json plain = path_json(here);
  const Json escaped = path_json(without_placeholders(here));
  Json& groups = job["groups"];
  for (std::size_t i = 0; groups.is_array() && i < groups.size(); ++i) {
    Json& group = groups[i];
    if (!group.is_object() || group.contains("directory")) continue;
    if (here.empty()) {
      return {DUNLIN_USAGE,
          "the directory in which the program is cannot be named, so no task can run in it: say "
          "another one as 'directory' of groups[" +
              std::to_string(i) + "]"};
    }
    group["directory"] = flag_of(group, "literal") ? plain : escaped;
    if (!group.contains("submit_directory")) group["submit_directory"] = plain;
  }
  return {};
}

/// Takes the lines out of the groups, as members of requests `submit_lines`.
Problem cut_lines(Json& job, std::size_t piece_max, std::vector<std::string>& pieces) {
  Json& groups = job["groups"];
  for (std::size_t i = 0; groups.is_array() && i < groups.size(); ++i) {
    // A copy: the member is erased below, and the lines with it.
    const Json lines = list_of(groups[i], "entries");
    if (lines.empty()) continue;
    groups[i].erase("entries");
    std::string piece;
    const auto finish = [&] {
      if (piece.empty()) return;
      pieces.push_back("\"group\":" + std::to_string(i) + ",\"lines\":[" + piece + "]");
      piece.clear();
    };
    for (const Json& line : lines) {
      const std::string text = to_text(line);
      // Far more than 64 KiB, which the agent bounds lines by: this only keeps a piece within a
      // message.
      if (text.size() >= piece_max) {
        return {
            DUNLIN_USAGE, "an entry of groups[" + std::to_string(i) + "] is longer than 64 KiB"};
      }
      if (piece.size() + text.size() >= piece_max) finish();
      if (!piece.empty()) piece += ',';
      piece += text;
    }
    finish();
  }
  return {};
}

}  // namespace

// A look that costs nothing, in the thread of the caller: the text itself is read later.
bool may_be_object(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  const std::size_t last = text.find_last_not_of(kBlanks);
  return first < last && last != std::string_view::npos && text[first] == '{' && text[last] == '}';
}

unsigned draw_seed() {
  unsigned seed = 0;
  // For the spread of pauses only: if it fails, any number will do.
  (void)!::getrandom(&seed, sizeof(seed), 0);
  return seed;
}

bool is_job_id(std::string_view id) {
  constexpr std::size_t kDigits = 16;
  if (id.size() < kDigits + 2 || id.size() > kDigits + 11 || id[kDigits] != '.') return false;
  const std::string_view number = id.substr(kDigits + 1);
  return is_hexadecimal(id.substr(0, kDigits)) &&
      number.find_first_not_of("0123456789") == std::string_view::npos;
}

Problem read_submission(std::string_view text, Job& job, std::size_t message_max) {
  std::string why;
  Json read = read_json<Json>(text, &why);
  if (!why.empty()) return {DUNLIN_USAGE, "a job is refused that is " + why};
  if (!read.is_object() || !read.contains("groups")) {
    return {DUNLIN_USAGE, "a job must be a JSON object, such as {\"groups\": [...]}"};
  }
  // The job's members go into the request as text, beside the request's own: these would stand for
  // them.
  for (const char* const name : {"verb", "id", "at", "speaker"}) {
    if (read.contains(name))
      return {DUNLIN_USAGE, "a job has no member '" + std::string(name) + "'"};
  }
  if (const Json* const key = member(read, "key")) {
    job.key = key->is_string() ? key->get<std::string>() : std::string();
    if (job.key.size() != kKeyDigits || !is_hexadecimal(job.key)) {
      return {DUNLIN_USAGE, "'key' must be 32 hexadecimal digits, drawn for this job alone"};
    }
  } else {
    job.key = draw_key();
  }
  // Requests about the job need the key alone, so it is added to each.
  read.erase("key");
  // What an agent does not know it names, and takes no such job: a program has no eyes to notice
  // later that a limit was misspelt.
  if (!read.contains("strict")) read["strict"] = true;
  std::size_t added = 0;
  if (job.directory) {
    Problem problem = set_directories(read, *job.directory);
    if (problem.status != DUNLIN_OK) return problem;
    added = list_of(read, "groups").size() * (kRoom + 4 * job.directory->size());
  }
  const std::size_t request_max = message_max - kRoom;
  // Only then: most jobs are one message, and one round trip.
  if (text.size() + added > request_max) {
    Problem problem = cut_lines(read, message_max / kPieceDivisor, job.pieces);
    if (problem.status != DUNLIN_OK) return problem;
  }
  const std::string object = to_text(read);
  if (object.size() > request_max) {
    return {DUNLIN_USAGE, "the job is larger than 16 MiB, not counting the entries of its groups"};
  }
  // Without the braces, so that members can be added without reading it again.
  job.members = object.substr(1, object.size() - 2);
  return {};
}

}  // namespace dunlin::client
