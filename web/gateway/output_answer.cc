// SPDX-License-Identifier: MIT
#include "web/gateway/output_answer.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "node/base64.h"
#include "web/agent/problem.h"
#include "web/agent/upstream.h"
#include "web/http/byte_range.h"

namespace dunlin::web {
namespace {

using client::Json;
using client::number_of;

/// Bytes of one request to the agent, which tells them 48 KiB at a time.
constexpr std::uint64_t kPieceBytes = 192 * 1024;
/// While more waits for the client, nothing more is asked for.
constexpr std::size_t kQueuedMax = std::size_t{256} << 10;

/// One answer under way. It lives in the handlers of the exchange and of the agent's replies.
/// Output may be larger than any memory, so it goes through piece by piece: the next is asked for
/// when the client has read most of those before. The length is told first, so the answer is of
/// what was there at the begin, though the task may write on.
class OutputAnswer : public std::enable_shared_from_this<OutputAnswer> {
 public:
  OutputAnswer(Upstream& upstream, std::shared_ptr<Exchange> exchange, OutputWish wish)
      : upstream_(upstream),
        exchange_(std::move(exchange)),
        wish_(std::move(wish)) {}

  /// Asks for a byte, only to learn how many there are.
  void start() {
    exchange_->on_gone([self = shared_from_this()] { self->leave(); });
    ask(0, 1, [](OutputAnswer& self, const Json& ok) { self.begin(ok); });
  }

 private:
  using Next = void (*)(OutputAnswer&, const Json&);

  void ask(std::uint64_t offset, std::uint64_t bytes, Next next) {
    std::string members = wish_.members + ",\"offset\":" + std::to_string(offset) +
        ",\"bytes_max\":" + std::to_string(bytes);
    // All pieces are of one attempt, also if another one begins meanwhile.
    if (attempt_ != 0) members += ",\"offset_attempt\":" + std::to_string(attempt_);
    asking_ = true;
    request_ = upstream_.ask("output", std::move(members), wish_.user,
        [self = shared_from_this(), next](client::Reply& reply) {
          if (reply.last) self->asking_ = false;
          // The client has gone, or was told all; the reply came too late to be stopped.
          if (self->exchange_ == nullptr) return;
          if (reply.failed())
            return self->fail({reply.kind, reply.problem.text, reply.problem.retry_ns});
          next(*self, reply.ok);
          if (reply.last) self->advance();
        });
  }

  void begin(const Json& ok) {
    // A reply in two parts must not begin an answer twice.
    if (begun_) return;
    attempt_ = number_of<std::uint32_t>(ok, "attempt");
    const auto total = number_of<std::uint64_t>(ok, "total");
    const auto range = parse_range(exchange_->request().header("range"), total);
    Response head{
        .headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"Accept-Ranges", "bytes"},
            {"Cache-Control", "no-store"}, {"Dunlin-Attempt", std::to_string(attempt_)},
            {"Dunlin-Total", std::to_string(total)},
            {"Dunlin-Ended", client::flag_of(ok, "ended") ? "1" : "0"}}};
    if (range.wanted && !range.range) {
      exchange_->add_header("Content-Range", "bytes */" + std::to_string(total));
      return fail({"range", "there are " + std::to_string(total) + " bytes"});
    }
    const ByteRange told = range.range.value_or(ByteRange{0, total});
    if (range.wanted) {
      head.status = 206;
      head.headers.push_back({"Content-Range",
          "bytes " + std::to_string(told.first) + "-" +
              std::to_string(told.first + told.count - 1) + "/" + std::to_string(total)});
    }
    if (!wish_.file_name.empty()) {
      head.headers.push_back(
          {"Content-Disposition", "attachment; filename=\"" + wish_.file_name + "\""});
    }
    at_ = told.first;
    left_ = told.count;
    begun_ = true;
    if (!exchange_->begin(std::move(head), told.count)) return leave();
    // The handlers hold this object, and it holds the exchange: leave() and the end of the exchange
    // undo the ring.
    exchange_->on_drained([self = shared_from_this()] { self->advance(); });
  }

  void take(const Json& ok) {
    const std::string bytes = node::from_base64(client::text_of(ok, "data")).value_or("");
    // Another attempt has begun, or what was there is no more: no byte of it belongs here.
    const bool other = number_of<std::uint32_t>(ok, "attempt") != attempt_ ||
        (!bytes.empty() && number_of<std::uint64_t>(ok, "offset") != at_);
    if (other) return finish();
    exchange_->write(bytes);
    const std::uint64_t size = std::min<std::uint64_t>(bytes.size(), left_);
    at_ += size;
    left_ -= size;
    got_ += size;
  }

  void advance() {
    if (exchange_ == nullptr || !begun_ || asking_) return;
    if (left_ == 0) return finish();
    if (exchange_->queued() > kQueuedMax) return;
    // An agent that tells nothing of what it said was there would be asked for ever.
    if (std::exchange(got_, 0) == 0 && std::exchange(asked_, true)) return finish();
    ask(at_, std::min(left_, kPieceBytes), [](OutputAnswer& self, const Json& ok) {
      if (self.exchange_ != nullptr) self.take(ok);
    });
  }

  void fail(const Trouble& trouble) {
    // Too late for a status: fewer bytes than promised end the connection, and so the client knows.
    if (begun_) return finish();
    exchange_->answer(problem_answer(trouble));
    leave();
  }

  void finish() {
    exchange_->end();
    leave();
  }

  void leave() {
    // Held to the end of this: its handlers may be the last that hold this object.
    const auto last = std::exchange(exchange_, nullptr);
    if (std::exchange(asking_, false)) upstream_.stop(request_);
  }

  Upstream& upstream_;
  std::shared_ptr<Exchange> exchange_;  ///< Null once there is no more to say.
  OutputWish wish_;
  std::uint64_t request_ = 0;
  std::uint32_t attempt_ = 0;
  std::uint64_t at_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t got_ = 0;  ///< Bytes since the last request.
  bool asked_ = false;
  bool asking_ = false;
  bool begun_ = false;
};

}  // namespace

void answer_with_output(
    Upstream& upstream, std::shared_ptr<Exchange> exchange, const OutputWish& wish) {
  std::make_shared<OutputAnswer>(upstream, std::move(exchange), wish)->start();
}

}  // namespace dunlin::web
