// SPDX-License-Identifier: MIT
#include "node/control/submit/ignored.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "overlay/field_info.h"
#include "sched/replica/record.h"

// The protocol promises that unknown members are ignored, so that new clients can talk to old
// agents. Here they are ignored aloud. A test holds these names against the page of the protocol.
namespace dunlin::node {
namespace {

constexpr std::size_t kNamedMax = 16;

// Members that no schema names, and those of any request.
constexpr std::string_view kOfRequest[] = {"verb", "id", "at", "speaker", "tell_waits",
    "allow_unsatisfiable", "strict", "owner", "class", "past_deadline", "key", "after_jobs",
    "on_end", "on_preempt", "checkpoint_signal", "checkpoint_time_ns", "labels", "rerun", "groups"};
constexpr std::string_view kOfGroup[] = {"array", "demand", "constraints", "after", "inputs",
    "command", "script", "literal", "truncate", "limit_signal", "limit_signal_time_ns", "umask",
    "limits", "environment", "directory", "stdin", "input", "rows", "columns", "stdout", "stderr",
    "submit_directory", "entries"};
constexpr std::string_view kOfDemand[] = {"cpu_milli", "memory_mib", "rates", "custom"};
constexpr std::string_view kOfAfter[] = {"job", "when", "delay_ns"};
constexpr std::string_view kOfEnd[] = {"command", "directory"};

/// An object of which no member is a term of a schema.
struct NoTerms {
  static void terms(const NoTerms&, const auto&) {}
};

/// True of the key of a term of the record.
template <typename Record>
bool is_term(std::string_view key) {
  bool found = false;
  const Record record{};
  Record::terms(record,
      [&](const overlay::FieldInfo& info, const auto&) { found = found || info.key == key; });
  return found;
}

/// Collects the names of an object that are not known.
class Ignored {
 public:
  template <typename Record>
  void look(const std::string& place, const Json& object, std::span<const std::string_view> known) {
    if (!object.is_object()) return;  // Refused where it is read.
    for (const auto& [name, unused] : object.items()) {
      if (named_.size() == kNamedMax) return;
      if (std::ranges::count(known, name) > 0 || is_term<Record>(name)) continue;
      named_.push_back(place + name);
    }
  }
  std::vector<std::string> take() { return std::move(named_); }

 private:
  std::vector<std::string> named_;
};

/// The member of an object, or null.
const Json& part(const Json& object, const char* name) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

std::string element(const char* list, std::size_t i) {
  return std::string(list) + "[" + std::to_string(i) + "].";
}

}  // namespace

std::vector<std::string> ignored_members(const Json& request) {
  Ignored ignored;
  ignored.look<sched::replica::PutJob>("", request, kOfRequest);
  ignored.look<NoTerms>("on_end.", part(request, "on_end"), kOfEnd);
  const Json& after = part(request, "after_jobs");
  for (std::size_t i = 0; after.is_array() && i < after.size(); ++i) {
    ignored.look<NoTerms>(element("after_jobs", i), after[i], kOfAfter);
  }
  const Json& groups = part(request, "groups");
  for (std::size_t i = 0; groups.is_array() && i < groups.size(); ++i) {
    const std::string place = element("groups", i);
    ignored.look<sched::replica::PutGroup>(place, groups[i], kOfGroup);
    ignored.look<NoTerms>(place + "demand.", part(groups[i], "demand"), kOfDemand);
  }
  return ignored.take();
}

}  // namespace dunlin::node
