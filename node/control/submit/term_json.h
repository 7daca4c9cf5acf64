// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "node/control/json.h"
#include "overlay/field_info.h"
#include "sched/kernel.h"

// JSON of the terms of records: visitors of the walk X::terms(record, visitor), which calls them
// with what the schema says of each member, and the member. The record may be X, or any struct with
// members of the same names, such as sched::TaskGroup for PutGroup.
namespace dunlin::node {

/// Reads each term out of a request, within its bounds, or sets what it is without being said.
class TermReader {
 public:
  /// Borrows `args`, which remembers what is wrong.
  explicit TermReader(Args& args) : args_(args) {}

  void operator()(const overlay::FieldInfo& info, bool& member) const;
  void operator()(const overlay::FieldInfo& info, std::string& member) const;
  void operator()(const overlay::FieldInfo& info, sched::Duration& member) const;
  void operator()(const overlay::FieldInfo& info, sched::OptionalDuration& member) const;
  template <std::integral Number>
  void operator()(const overlay::FieldInfo& info, Number& member) const {
    member = static_cast<Number>(number(info));
  }

 private:
  std::int64_t number(const overlay::FieldInfo& info) const;

  Args& args_;
};

/// Writes each term that is not what it would be without being said.
class TermWriter {
 public:
  /// Borrows `json`, an object.
  explicit TermWriter(Json& json) : json_(json) {}

  void operator()(const overlay::FieldInfo& info, const std::string& member) const;
  void operator()(const overlay::FieldInfo& info, sched::Duration member) const;
  void operator()(const overlay::FieldInfo& info, const sched::OptionalDuration& member) const;
  template <std::integral Number>
  void operator()(const overlay::FieldInfo& info, Number member) const {
    // A flag is true or not there.
    if constexpr (std::same_as<Number, bool>) {
      if (member) json_[std::string(info.key)] = true;
    } else {
      number(info, static_cast<std::int64_t>(member));
    }
  }

 private:
  void number(const overlay::FieldInfo& info, std::int64_t value) const;

  Json& json_;
};

}  // namespace dunlin::node
