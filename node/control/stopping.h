// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "node/control/json.h"

namespace dunlin::node {

/// The agent refuses because it is about to stop: it did nothing, and may be asked again later.
inline Error about_to_stop(std::string text) {
  return {ErrorKind::refused, std::move(text), ESHUTDOWN};
}

/// A job that never was: no other node needs to be asked.
inline Error never_given(std::string text) {
  return {ErrorKind::not_found, std::move(text), ENXIO};
}
inline bool is_never_given(const Error& error) {
  return error == never_given(error.text);
}

/// The kind of an error as the control protocol says it: "stopping" of about_to_stop().
inline std::string_view kind_word(const Error& error) {
  return error == about_to_stop(error.text) ? "stopping" : word_of(error.kind);
}

}  // namespace dunlin::node
