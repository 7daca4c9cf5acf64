// SPDX-License-Identifier: MIT
#include "web/http/exchange.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "web/http/connection.h"

// An exchange is in the hands of whatever answers, and the connection may end under it at any call.
// So each call looks first whether the connection is there, and whether it still waits for this.
namespace dunlin::web {

Exchange::~Exchange() {
  // Whoever was to answer let it go: better a connection that ends than one that hangs.
  if (!done_) end();
}

void Exchange::answer(Response response) {
  const auto size = response.body.size();
  if (begin(std::move(response), size)) end();
}

bool Exchange::begin(Response head, std::optional<std::uint64_t> length) {
  const auto connection = connection_.lock();
  if (done_ || begun_ || connection == nullptr) return false;
  begun_ = true;
  head.headers.insert(head.headers.end(), always_.begin(), always_.end());
  // Without a length HTTP/1.1 knows chunks, too; ending the connection is enough for streams, which
  // end with it anyway, and HTTP/1.0 understands it.
  if (!length) connection->keep_alive_ = false;
  left_ = length;
  const bool bare = head.status == 204 || head.status == 304 || request_.method == "HEAD";
  std::string text =
      head_text(head, length, connection->keep_alive_, http_date(std::time(nullptr)));
  // The first bytes go with the header in one write, and so mostly in one packet.
  if (!bare) text += head.body;
  if (left_) *left_ -= std::min<std::uint64_t>(*left_, head.body.size());
  connection->send(std::move(text));
  if (!bare) return !done_;
  left_.reset();
  end();
  return false;
}

void Exchange::write(std::string_view bytes) {
  const auto connection = connection_.lock();
  if (done_ || !begun_ || connection == nullptr) return;
  // More than was promised would be read as the next answer.
  const std::uint64_t room = left_.value_or(bytes.size());
  if (room < bytes.size()) bytes = bytes.substr(0, static_cast<std::size_t>(room));
  if (left_) *left_ -= bytes.size();
  connection->send(std::string(bytes));
}

// Handlers are dropped first: they often hold what holds this exchange, and such a ring would never
// be freed.
void Exchange::end() {
  if (std::exchange(done_, true)) return;
  gone_handler_ = nullptr;
  drained_ = nullptr;
  const auto connection = connection_.lock();
  if (connection == nullptr || connection->current_ != this) return;
  connection->finish(begun_ && left_.value_or(0) == 0);
}

std::size_t Exchange::queued() const {
  const auto connection = connection_.lock();
  return connection == nullptr ? 0 : connection->queued();
}

void Exchange::tell_drained() {
  const auto handler = drained_;  // It may set another.
  if (handler) handler();
}

void Exchange::tell_gone() {
  done_ = true;
  drained_ = nullptr;
  const auto handler = std::exchange(gone_handler_, nullptr);
  if (handler) handler();
}

}  // namespace dunlin::web
