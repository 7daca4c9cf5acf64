// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "web/http/exchange.h"

namespace dunlin::web {

/// A file of the page, as it was when the program was built.
struct Asset {
  std::string_view path;  ///< "page/app.js".
  std::string_view type;
  std::string_view hash;  ///< Of its bytes.
  std::string_view bytes;
  /// Packed when the program was built: no request costs the time.
  std::string_view packed;  ///< The same by gzip.
};

/// By path. Made by web/embed.py.
/// They are in the program, so that page and gateway are always of one build, and no path of a
/// request ever leads to the disk.
std::span<const Asset> all_assets();
/// What the scripts within page/index.html must hash to, as a policy names them: "'sha256-...'".
std::string_view script_hashes();

/// The asset of a path; nullptr if there is none. "" is the page itself.
const Asset* find_asset(std::string_view path);
/// Answers with it: packed where the client reads that, and not at all if it has it.
void answer_with_asset(Exchange& exchange, const Asset& asset);

}  // namespace dunlin::web
