// SPDX-License-Identifier: MIT
#include "web/agent/upstream.h"

#include <algorithm>
#include <array>
#include <utility>

#include "node/read_json.h"

namespace dunlin::web {
namespace {

using client::Json;

/// Requests that wait for the agent; for one more it is busy.
constexpr std::size_t kWaitingMax = 1'000;
/// How often it is looked for, and how long requests wait for that.
constexpr std::uint64_t kRetryMs = 500;
/// The newest version of the control protocol that we speak: with it an agent tells apart why it
/// refuses.
constexpr int kProtocolSpoken = 2;

}  // namespace

// libuv's part, which outlives a connection until libuv has closed it.
struct Upstream::Pipe {
  uv_pipe_t handle{};
  uv_connect_t connect{};
  Upstream* owner = nullptr;
  std::array<char, 65'536> buffer;

  uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&handle); }
  static Pipe* of(const void* handle) {
    return static_cast<Pipe*>(static_cast<const uv_handle_t*>(handle)->data);
  }
};

Upstream::Upstream(uv_loop_t& loop, std::string socket, bool names_users)
    : loop_(loop),
      socket_(std::move(socket)),
      names_users_(names_users) {
  uv_timer_init(&loop, timer_.get());
  timer_->data = this;
  uv_timer_start(
      timer_.get(), [](uv_timer_t* timer) { static_cast<Upstream*>(timer->data)->connect(); }, 0,
      kRetryMs);
  // What is asked in one turn of the loop leaves as one write.
  uv_idle_init(&loop, idle_.get());
  idle_->data = this;
}

Upstream::~Upstream() {
  changed_ = nullptr;
  waiting_.clear();
  if (pipe_ == nullptr) return;
  pipe_->owner = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&pipe_->handle),
      [](uv_handle_t* handle) { delete Pipe::of(handle); });
}

void Upstream::connect() {
  if (pipe_ != nullptr) return;
  pipe_ = new Pipe;
  uv_pipe_init(&loop_, &pipe_->handle, 0);
  pipe_->handle.data = pipe_;
  pipe_->owner = this;
  uv_pipe_connect(
      &pipe_->connect, &pipe_->handle, socket_.c_str(), [](uv_connect_t* request, int status) {
        Pipe* const pipe = Pipe::of(request->handle);
        if (pipe->owner != nullptr) pipe->owner->on_connected(status);
      });
}

void Upstream::on_connected(int status) {
  if (status < 0) {
    return lose("no agent answers at " + socket_ + ": " + uv_strerror(status));
  }
  reader_ = {};
  uv_read_start(
      pipe_->stream(),
      [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
        auto& bytes = Pipe::of(handle)->buffer;
        *buffer = uv_buf_init(bytes.data(), static_cast<unsigned>(bytes.size()));
      },
      [](uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
        Upstream* const owner = Pipe::of(stream)->owner;
        if (owner == nullptr || size == 0) return;
        if (size < 0) return owner->lose("the agent ended the connection");
        owner->on_read({buffer->base, static_cast<std::size_t>(size)});
      });
  say_hello();
}

void Upstream::say_hello() {
  conversation_.ask(
      "hello", "\"newest\":" + std::to_string(kProtocolSpoken), [this](client::Reply& reply) {
        if (reply.failed()) {
          if (pipe_ != nullptr) lose(reply.problem.text);
          return;
        }
        hello_ = std::move(reply.ok);
        conversation_.set_requests_max(client::number_of<std::size_t>(hello_, "requests_max"));
        ready_ = true;
        if (changed_) changed_(true);
        advance();
      });
  flush();
}

void Upstream::on_read(std::string_view bytes) {
  reader_.feed(bytes);
  Pipe* const mine = pipe_;
  // A handler may ask for more; it never ends the connection.
  while (auto text = reader_.next()) {
    Json message = read_json<Json>(*text);
    if (!conversation_.hear(std::move(message))) {
      const std::string& parting = conversation_.parting().problem.text;
      return lose(parting.empty() ? "the agent said what makes no sense" : parting);
    }
    if (pipe_ != mine) return;
  }
  if (reader_.broken()) return lose("the agent said a message that is too long");
  advance();
}

void Upstream::lose(const std::string& why) {
  Pipe* const pipe = std::exchange(pipe_, nullptr);
  if (pipe != nullptr) {
    pipe->owner = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(&pipe->handle),
        [](uv_handle_t* handle) { delete Pipe::of(handle); });
  }
  away_ = why;
  const bool was_there = std::exchange(ready_, false);
  under_way_.clear();
  conversation_.lose(client::Problem{.status = DUNLIN_LOST, .text = why});
  auto waiting = std::exchange(waiting_, {});
  for (const Waiting& each : waiting) fail(each.handler, "away", why);
  if (was_there && changed_) changed_(false);
}

void Upstream::fail(const Handler& handler, std::string kind, std::string text) {
  client::Reply reply{.ok = Json::object(),
      .problem = {.status = DUNLIN_LOST, .text = std::move(text)},
      .kind = std::move(kind)};
  handler(reply);
}

std::uint64_t Upstream::ask(
    std::string_view verb, std::string members, const std::string& user, Handler handler) {
  const std::uint64_t number = ++number_last_;
  if (names_users_ && !user.empty()) {
    if (!members.empty()) members += ',';
    members += "\"speaker\":{\"user\":" + client::json_text(user) + "}";
  }
  waiting_.push_back({number, std::string(verb), std::move(members), std::move(handler)});
  uv_idle_start(idle_.get(), [](uv_idle_t* idle) {
    uv_idle_stop(idle);
    static_cast<Upstream*>(idle->data)->advance();
  });
  return number;
}

void Upstream::stop(std::uint64_t number) {
  std::erase_if(waiting_, [number](const Waiting& each) { return each.number == number; });
  const auto found = under_way_.find(number);
  if (found == under_way_.end()) return;
  conversation_.stop(found->second);
  under_way_.erase(found);
  flush();
}

void Upstream::ask_now(Waiting waiting) {
  const std::uint64_t number = waiting.number;
  auto handler = [this, number, inner = std::move(waiting.handler)](client::Reply& reply) {
    if (reply.last) under_way_.erase(number);
    if (reply.failed() && reply.kind.empty()) reply.kind = "away";
    inner(reply);
  };
  under_way_[number] = conversation_.ask(waiting.verb, waiting.members, std::move(handler));
}

void Upstream::advance() {
  while (ready_ && !waiting_.empty() && conversation_.has_room()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    ask_now(std::move(next));
  }
  while (waiting_.size() > kWaitingMax) {
    const Waiting last = std::move(waiting_.back());
    waiting_.pop_back();
    fail(last.handler, "busy", "the gateway has too many requests for the agent");
  }
  // While the first try is under way, they wait for it.
  if (pipe_ == nullptr && !away_.empty()) {
    for (const Waiting& each : std::exchange(waiting_, {})) fail(each.handler, "away", away_);
  }
  flush();
}

void Upstream::flush() {
  struct Write {
    uv_write_t request{};
    std::string bytes;
  };
  std::string& out = conversation_.out();
  if (out.empty() || pipe_ == nullptr) return;
  auto* write = new Write;
  write->bytes = std::exchange(out, {});
  write->request.data = write;
  const uv_buf_t buffer =
      uv_buf_init(write->bytes.data(), static_cast<unsigned>(write->bytes.size()));
  // If it fails, reading does, too.
  const int code = uv_write(&write->request, pipe_->stream(), &buffer, 1,
      [](uv_write_t* request, int) { delete static_cast<Write*>(request->data); });
  if (code != 0) delete write;
}

}  // namespace dunlin::web
