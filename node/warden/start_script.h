// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "node/warden/protocol.h"

namespace dunlin::node::warden {

/// A file that is made for one task, for its user alone to read and to execute, before its program
/// begins.
struct StartScript {
  std::string path;  ///< Absolute; empty: there is none.
  std::string text;
};

/// Begins the variable that is none but a script: no name of a variable begins so.
inline constexpr char kScriptMark = '=';
/// Stands between path and text there; no path has it.
inline constexpr char kScriptPathEnd = '\0';

/// Has `start` make that file; once. It stands among the variables: a warden of a build before
/// makes no file and goes on with its tasks, and this one ends because its program does not find
/// the file.
inline void set_script(Start& start, const StartScript& script) {
  std::string& entry = start.environment.emplace_back();
  entry.reserve(script.path.size() + script.text.size() + 2);
  entry += kScriptMark;
  entry += script.path;
  entry += kScriptPathEnd;
  entry += script.text;
}

/// Takes it out of the variables again.
inline StartScript take_script(Start& start) {
  const auto entry = std::ranges::find_if(
      start.environment, [](const std::string& each) { return each.starts_with(kScriptMark); });
  if (entry == start.environment.end()) return {};
  const std::size_t end = entry->find(kScriptPathEnd);
  StartScript script;
  if (end != std::string::npos) {
    script.path = entry->substr(1, end - 1);
    script.text = std::move(entry->erase(0, end + 1));
  }
  start.environment.erase(entry);
  return script;
}

}  // namespace dunlin::node::warden
