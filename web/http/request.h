// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dunlin::web {

/// A field of a header. Its name is in small letters where it was read.
struct Header {
  std::string name;
  std::string value;
};

/// A request that was read whole.
struct Request {
  std::string method;
  std::string target;  ///< As it came: still with '%'.
  std::vector<Header> headers;
  std::string body;
  bool keep_alive = true;  ///< The client wants to ask more on this connection.

  /// The value of the first field of that name, in small letters; empty if there is none.
  /// Where a second field of the name would mean something else, ask count() first.
  std::string_view header(std::string_view name) const;
  /// How many fields have that name.
  std::size_t count(std::string_view name) const;
};

}  // namespace dunlin::web
