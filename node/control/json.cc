// SPDX-License-Identifier: MIT
#include "node/control/json.h"

#include <algorithm>
#include <set>

#include "node/base64.h"
#include "node/utf8.h"
#include "sched/resources.h"

// Requests are read member by member, each with its bounds, and the first mistake is kept with its
// place: a handler reads all that it needs and asks once whether that was well. Texts of users need
// not be UTF-8; such bytes travel as base64 in an object, so nothing is lost and no reply fails.
namespace dunlin::node {
namespace {

constexpr std::string_view kBase64 = "base64";

std::optional<std::string> plain_text_of(const Json& json) {
  if (!json.is_string()) return std::nullopt;
  return json.get_ref<const std::string&>();
}

}  // namespace

// Names of jobs and details of errors may hold any bytes: a reply must not fail for them.
std::string compact(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json bytes_json(std::string_view bytes) {
  if (is_utf8(bytes)) return bytes;
  return {{kBase64, to_base64(bytes)}};
}

std::optional<std::string> text_bytes_of(const Json& json) {
  if (!json.is_object() || json.size() != 1) return plain_text_of(json);
  const auto found = json.find(kBase64);
  if (found == json.end() || !found->is_string()) return std::nullopt;
  return from_base64(found->get_ref<const std::string&>());
}

// Units are in the names of the members, as everywhere in the protocol: thousandths of a CPU, MiB.
Json to_json(const sched::Resources& resources) {
  Json custom = Json::object();
  for (const auto& amount : resources.custom) custom[amount.name] = amount.count;
  Json json = {{"cpu_milli", resources.cpu}, {"memory_mib", resources.memory},
      {"custom", std::move(custom)}};
  // Seldom there at all; a rate without limit has no number.
  for (const sched::Rate& rate : sched::kRates) {
    const std::uint32_t amount = resources.*rate.amount;
    if (amount != 0 && amount != sched::kUnlimited) json["rates"][rate.key] = amount;
  }
  return json;
}

Json amounts_json(sched::AmountSet amounts) {
  Json words = Json::array();
  for (std::size_t i = 0; i < sched::kAmounts.size(); ++i) {
    if (sched::holds(amounts, sched::kAmounts[i])) words.push_back(sched::kAmountWords[i]);
  }
  return words;
}

// These words are part of the protocol: clients of other versions read them.
std::string_view word_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::not_found:
      return "not_found";
    case ErrorKind::refused:
      return "refused";
    case ErrorKind::forbidden:
      return "forbidden";
    case ErrorKind::busy:
      return "busy";
    case ErrorKind::quota:
      return "quota";
    case ErrorKind::conflict:
      return "conflict";
    case ErrorKind::io:
      return "io";
    case ErrorKind::corrupt:
      return "corrupt";
    case ErrorKind::timeout:
      return "timeout";
    case ErrorKind::elsewhere:
      return "elsewhere";
  }
  return "io";
}

Args::Args(const Json& object) : Args(object, "", std::make_shared<std::optional<Error>>()) {}

// A member that is null counts as missing: clients may write all members, always.
const Json* Args::find(std::string_view key) const {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void Args::fail(std::string_view key, std::string_view must_be) {
  fail({ErrorKind::usage, "'" + place_ + std::string(key) + "' must be " + std::string(must_be)});
}

void Args::fail(const Error& error) {
  // The first error counts: later ones often follow from it.
  if (!*wrong_) *wrong_ = error;
}

Result<void> Args::check() const {
  if (*wrong_) return tl::unexpected(**wrong_);
  return {};
}

std::int64_t Args::number(
    std::string_view key, std::int64_t min, std::int64_t max, std::int64_t fallback) {
  return has(key) ? number(key, min, max) : fallback;
}

std::int64_t Args::number(std::string_view key, std::int64_t min, std::int64_t max) {
  const Json* found = find(key);
  // A greater unsigned number would turn negative.
  const bool whole = found != nullptr && found->is_number_integer() &&
      (!found->is_number_unsigned() || found->get<std::uint64_t>() <= INT64_MAX);
  const std::int64_t value = whole ? found->get<std::int64_t>() : 0;
  if (whole && min <= value && value <= max) return value;
  fail(key, "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  return min;
}

std::string Args::text(std::string_view key, std::size_t max) {
  return text(key, max, plain_text_of);
}

std::string Args::bytes(std::string_view key, std::size_t max) {
  return text(key, max, text_bytes_of);
}

std::string Args::text(std::string_view key, std::size_t max, Reading* reading) {
  const Json* found = find(key);
  return found == nullptr ? std::string() : text_of(key, *found, max, reading);
}

std::string Args::text_of(
    std::string_view key, const Json& found, std::size_t max, Reading* reading) {
  auto text = reading(found);
  // A zero byte would end a word of a command or a path early, in execve() and open().
  if (text && text->size() <= max && text->find('\0') == std::string::npos) {
    return std::move(*text);
  }
  fail(key, "a text of at most " + std::to_string(max) + " bytes, none of them zero");
  return {};
}

bool Args::flag(std::string_view key) {
  const Json* found = find(key);
  if (found == nullptr) return false;
  if (!found->is_boolean()) fail(key, "true or false");
  return found->is_boolean() && found->get<bool>();
}

// A list has its bound before anything walks over it: a request is of any size up to a frame's.
const Json& Args::list(std::string_view key, std::size_t max) {
  static const Json kEmpty = Json::array();
  const Json* found = find(key);
  if (found == nullptr) return kEmpty;
  if (found->is_array() && found->size() <= max) return *found;
  fail(key, "a list of at most " + std::to_string(max) + " elements");
  return kEmpty;
}

std::vector<std::string> Args::texts(std::string_view key, std::size_t max) {
  return texts(key, max, plain_text_of);
}

std::vector<std::string> Args::byte_texts(std::string_view key, std::size_t max) {
  return texts(key, max, text_bytes_of);
}

std::vector<std::string> Args::texts(std::string_view key, std::size_t max, Reading* reading) {
  std::vector<std::string> texts;
  for (const Json& element : list(key, max)) {
    auto text = reading(element);
    if (!text || text->find('\0') != std::string::npos) {
      fail(key, "a list of texts without zero bytes");
      return {};
    }
    texts.push_back(std::move(*text));
  }
  return texts;
}

std::vector<std::uint32_t> Args::numbers(
    std::string_view key, std::size_t max, std::uint64_t below, std::string_view must_be) {
  std::vector<std::uint32_t> numbers;
  std::set<std::uint32_t> said;
  for (const Json& element : list(key, max)) {
    const bool whole = element.is_number_unsigned();
    if (!whole || element.get<std::uint64_t>() >= std::min(below, std::uint64_t{1} << 32)) {
      fail(key, must_be);
      return {};
    }
    const auto number = element.get<std::uint32_t>();
    // Once each: a wait for one number, said a hundred thousand times, cost seconds of the loop.
    if (said.insert(number).second) numbers.push_back(number);
  }
  return numbers;
}

std::vector<std::pair<std::string, std::string>> Args::byte_members(
    std::string_view key, std::size_t max, std::size_t bytes_max) {
  std::vector<std::pair<std::string, std::string>> members;
  Args within = object(key);
  if (within.json().size() > max) {
    fail(key, "an object of at most " + std::to_string(max) + " members");
    return {};
  }
  for (const auto& [name, value] : within.json().items()) {
    members.emplace_back(name, within.text_of(name, value, bytes_max, text_bytes_of));
  }
  return members;
}

// Shares the first error with this one, so that one check() at the end is enough.
Args Args::object(std::string_view key) {
  static const Json kEmpty = Json::object();
  const Json* found = find(key);
  if (found != nullptr && !found->is_object()) fail(key, "an object");
  return {found != nullptr && found->is_object() ? *found : kEmpty, place_ + std::string(key) + ".",
      wrong_};
}

Args Args::element(std::string_view key, const Json& array, std::size_t i) {
  const std::string place = std::string(key) + "[" + std::to_string(i) + "]";
  if (!array[i].is_object()) fail(place, "an object");
  return {array[i], place_ + place + ".", wrong_};
}

}  // namespace dunlin::node
