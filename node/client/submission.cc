// SPDX-License-Identifier: MIT
#include "node/client/submission.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <sys/random.h>

#include "node/client/frames.h"
#include "node/client/include/dunlin.h"
#include "node/client/json.h"

namespace dunlin::client {
namespace {

constexpr std::size_t kKeyDigits = 32;
/// Room for the members that the library adds.
constexpr std::size_t kRequestMax = kMessageMax - 256;

bool is_hexadecimal(std::string_view text) {
  return std::ranges::all_of(
      text, [](unsigned char c) { return std::isdigit(c) != 0 || (c >= 'a' && c <= 'f'); });
}

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

}  // namespace

unsigned draw_seed() {
  unsigned seed = 0;
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

Problem read_submission(std::string_view text, Job& job) {
  Json read = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!read.is_object() || !read.contains("groups")) {
    return {DUNLIN_USAGE, "a job must be a JSON object, such as {\"groups\": [...]}"};
  }
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
  read.erase("key");
  const std::string object = read.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (object.size() > kRequestMax) {
    return {DUNLIN_USAGE,
        "the job is larger than 16 MiB: submit its lines as several jobs, or with `dunlin submit`"};
  }
  job.members = object.substr(1, object.size() - 2);
  return {};
}

}  // namespace dunlin::client
