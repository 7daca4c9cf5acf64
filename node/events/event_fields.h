// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "node/ids.h"
#include "sched/message.h"

// What the fields of events look like to people and to programs.
namespace dunlin::node {

/// The text of a field of an event; `number` if JSON shall not quote it.
struct Rendered {
  std::string text;
  bool number = false;
  friend bool operator==(const Rendered&, const Rendered&) = default;
};

inline Rendered rendered(overlay::PeerId id) {
  return {to_string(id)};
}
inline Rendered rendered(sched::CellId id) {
  return {to_string(id)};
}
inline Rendered rendered(const sched::JobId& job) {
  return {to_string(job)};
}
inline Rendered rendered(std::string_view text) {
  return {std::string(text)};
}
inline Rendered rendered(bool value) {
  return {value ? "true" : "false", true};
}
template <std::integral Number>
Rendered rendered(Number value) {
  return {std::to_string(value), true};
}

}  // namespace dunlin::node
