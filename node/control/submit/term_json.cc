// SPDX-License-Identifier: MIT
#include "node/control/submit/term_json.h"

// One function for each type that a term can have. What several members say together is compared
// by whoever walks: here is no rule.
namespace dunlin::node {

void TermReader::operator()(const overlay::FieldInfo& info, bool& member) const {
  member = args_.flag(info.key);
}

void TermReader::operator()(const overlay::FieldInfo& info, std::string& member) const {
  member = args_.text(info.key, static_cast<std::size_t>(info.max));
}

void TermReader::operator()(const overlay::FieldInfo& info, sched::Duration& member) const {
  member = sched::Duration{number(info)};
}

void TermReader::operator()(const overlay::FieldInfo& info, sched::OptionalDuration& member) const {
  const sched::Duration time{number(info)};
  member = time > sched::Duration{0} ? sched::OptionalDuration(time) : std::nullopt;
}

std::int64_t TermReader::number(const overlay::FieldInfo& info) const {
  return args_.number(info.key, info.min, info.max, info.initial);
}

void TermWriter::operator()(const overlay::FieldInfo& info, const std::string& member) const {
  if (!member.empty()) json_[std::string(info.key)] = member;
}

void TermWriter::operator()(const overlay::FieldInfo& info, sched::Duration member) const {
  number(info, member.count());
}

void TermWriter::operator()(
    const overlay::FieldInfo& info, const sched::OptionalDuration& member) const {
  number(info, member ? member->count() : 0);
}

void TermWriter::number(const overlay::FieldInfo& info, std::int64_t value) const {
  if (value != info.initial) json_[std::string(info.key)] = value;
}

}  // namespace dunlin::node
