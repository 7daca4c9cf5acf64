// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "web/http/request.h"

namespace dunlin::web {

/// What a stranger may send in one request.
struct RequestBounds {
  std::size_t header_bytes = std::size_t{8} << 10;
  std::size_t body_bytes = std::size_t{1} << 20;
};

/// Reads requests of HTTP/1.0 and 1.1 out of bytes as they come. What may be read in two ways is
/// refused: a length that is said twice, bodies in chunks, two names of the host. So no proxy in
/// front can take one request for two.
class RequestParser {
 public:
  /// After `wrong` nothing more is read: where the next request begins is not known.
  enum class State { more, whole, wrong };

  explicit RequestParser(RequestBounds bounds = {});
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// Reads on, and adds to `used` how many bytes of `input` it needs to see no more. The rest is to
  /// be shown again, with more behind it.
  State read(std::string_view input, std::size_t& used);
  /// The request, once it is whole; then the next one begins.
  Request take();
  /// The status that the client is answered with, once it is wrong: 400, 411, 413, 431 or 505.
  int status() const { return status_; }
  /// True while a body is awaited that the client sends only when told to.
  bool wants_continue() const;
  /// True if the header was read whole.
  bool has_header() const;

 private:
  /// Behind a pointer, so that Boost's headers are read by one source alone.
  struct Parts;
  void begin();
  State fail(int status);

  RequestBounds bounds_;
  std::unique_ptr<Parts> parts_;
  int status_ = 0;
};

}  // namespace dunlin::web
