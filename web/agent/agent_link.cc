// SPDX-License-Identifier: MIT
#include "web/agent/agent_link.h"

#include <array>
#include <utility>

#include "node/read_json.h"

// An agent's socket is local, but the agent may be slow, full, restarting or of another version.
// All of that comes out as one of two kinds. `away`: nobody answers, and it is worth looking again
// by itself. `full`: the agent lives and has no place for one more, so the user is told to try
// again.
namespace dunlin::web {
namespace {

using client::Json;

/// Requests that wait on one connection; for one more it is busy.
constexpr std::size_t kWaitingMax = 1'000;
/// The newest version of the control protocol that we speak: with it an agent tells apart why it
/// refuses.
constexpr int kProtocolSpoken = 2;

/// Why there is no connection, by what the system said. An agent of which the queue of newcomers is
/// full lives.
Trouble trouble_of_connect(const std::string& path, int code) {
  const bool full = code == UV_EAGAIN || code == UV_EMFILE || code == UV_ENFILE;
  return full
      ? Trouble{"full", "no connection to the agent can be had: " + std::string(uv_strerror(code))}
      : Trouble{"away", "no agent answers at " + path + ": " + uv_strerror(code)};
}

}  // namespace

// libuv's part, which outlives a connection until libuv has closed it.
struct AgentLink::Pipe {
  uv_pipe_t handle{};
  uv_connect_t connect{};
  AgentLink* owner = nullptr;
  std::array<char, 65'536> buffer;

  uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&handle); }
  static Pipe* of(const void* handle) {
    return static_cast<Pipe*>(static_cast<const uv_handle_t*>(handle)->data);
  }
};

void fail_request(const AgentLink::Handler& handler, const Trouble& why) {
  client::Reply reply{.ok = Json::object(),
      .problem = {.status = DUNLIN_LOST, .text = why.detail, .retry_ns = why.retry_ns},
      .kind = why.kind};
  handler(reply);
}

AgentLink::AgentLink(uv_loop_t& loop, const std::string& path, Seams seams)
    : loop_(loop),
      path_(path),
      seams_(std::move(seams)),
      pipe_(new Pipe),
      idle_since_ms_(uv_now(&loop)) {
  // What is asked in one turn of the loop leaves as one write.
  uv_idle_init(&loop, idle_.get());
  idle_->data = this;
  uv_pipe_init(&loop_, &pipe_->handle, 0);
  pipe_->handle.data = pipe_;
  pipe_->owner = this;
  // It may call back with an error at once or later; either way within the loop, never here.
  uv_pipe_connect(
      &pipe_->connect, &pipe_->handle, path_.c_str(), [](uv_connect_t* request, int status) {
        Pipe* const pipe = Pipe::of(request->handle);
        if (pipe->owner != nullptr) pipe->owner->on_connected(status);
      });
}

AgentLink::~AgentLink() {
  drop_pipe();
}

void AgentLink::drop_pipe() {
  Pipe* const pipe = std::exchange(pipe_, nullptr);
  // libuv calls back once more when it is closed, after this object may have gone: it frees the
  // pipe then.
  if (pipe == nullptr) return;
  pipe->owner = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&pipe->handle),
      [](uv_handle_t* handle) { delete Pipe::of(handle); });
}

void AgentLink::on_connected(int status) {
  if (status < 0) return lose(trouble_of_connect(path_, status));
  uv_read_start(
      pipe_->stream(),
      [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
        auto& bytes = Pipe::of(handle)->buffer;
        *buffer = uv_buf_init(bytes.data(), static_cast<unsigned>(bytes.size()));
      },
      [](uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
        AgentLink* const owner = Pipe::of(stream)->owner;
        if (owner == nullptr || size == 0) return;
        if (size < 0) return owner->lose({"away", "the agent ended the connection"});
        owner->on_read({buffer->base, static_cast<std::size_t>(size)});
      });
  say_hello();
}

void AgentLink::say_hello() {
  conversation_.ask(
      "hello", "\"newest\":" + std::to_string(kProtocolSpoken), [this](client::Reply& reply) {
        if (reply.failed()) {
          // Without a pipe this reply is lose() itself that tells all requests, the hello among
          // them.
          if (pipe_ != nullptr) lose({"away", reply.problem.text});
          return;
        }
        hello_ = std::move(reply.ok);
        // Old agents do not say it: then a bound that all of them take.
        conversation_.set_requests_max(client::number_of<std::size_t>(hello_, "requests_max"));
        ready_ = true;
        if (seams_.ready) seams_.ready();
        advance();
      });
  flush();
}

void AgentLink::on_read(std::string_view bytes) {
  // Frames come in pieces and several at once; one that is too long ends the connection, for
  // nothing behind it can be found.
  reader_.feed(bytes);
  // A handler may ask for more, and may have this closed.
  while (auto text = reader_.next()) {
    Json message = read_json<Json>(*text);
    if (!conversation_.hear(std::move(message))) {
      const auto& parting = conversation_.parting();
      if (parting.problem.text.empty()) {
        return lose({"away", "the agent said what makes no sense"});
      }
      // An agent that has no room for one more connection lives.
      return lose({parting.kind == "busy" ? "full" : "away", parting.problem.text,
          parting.problem.retry_ns});
    }
    // Closed by a handler: what else was read is of a conversation that is over.
    if (pipe_ == nullptr) return;
  }
  if (reader_.broken()) return lose({"away", "the agent said a message that is too long"});
  advance();
}

void AgentLink::lose(Trouble why) {
  if (lost_) return;
  // The order matters. State first, so that a handler which asks again finds a link that is lost;
  // then the owner, so that it hands out this link no more; then the requests, some of which are
  // asked anew.
  lost_ = std::move(why);
  drop_pipe();
  ready_ = false;
  under_way_.clear();
  if (seams_.lost) seams_.lost();
  conversation_.lose(
      client::Problem{.status = DUNLIN_LOST, .text = lost_->detail, .retry_ns = lost_->retry_ns});
  // Taken out before they are told: a handler may put a request in again.
  auto waiting = std::exchange(waiting_, {});
  for (const Waiting& each : waiting) fail_request(each.handler, *lost_);
}

void AgentLink::close() {
  if (!lost_) lost_ = Trouble{"away", "the gateway ended the connection"};
  drop_pipe();
  ready_ = false;
}

void AgentLink::ask(
    std::uint64_t number, std::string_view verb, std::string members, Handler handler) {
  waiting_.push_back({number, std::string(verb), std::move(members), std::move(handler)});
  // Not at once: the caller may not have kept `number` yet when a handler is called, and what
  // several ask in one turn leaves as one write.
  advance_soon();
}

void AgentLink::advance_soon() {
  uv_idle_start(idle_.get(), [](uv_idle_t* idle) {
    uv_idle_stop(idle);
    static_cast<AgentLink*>(idle->data)->advance();
  });
}

void AgentLink::stop(std::uint64_t number) {
  const auto gone =
      std::erase_if(waiting_, [number](const Waiting& each) { return each.number == number; });
  const auto found = under_way_.find(number);
  // A request that was stopped was a use of the connection until now.
  if (gone > 0 || found != under_way_.end()) idle_since_ms_ = uv_now(&loop_);
  if (found == under_way_.end()) return;
  conversation_.stop(found->second);
  under_way_.erase(found);
  flush();
}

void AgentLink::ask_now(Waiting waiting) {
  const std::uint64_t number = waiting.number;
  auto handler = [this, number, inner = std::move(waiting.handler)](client::Reply& reply) {
    if (reply.last) {
      under_way_.erase(number);
      idle_since_ms_ = uv_now(&loop_);
    }
    // Those that end with the connection have no word of the agent's for it.
    if (reply.failed() && reply.kind.empty()) reply.kind = lost_ ? lost_->kind : "away";
    inner(reply);
  };
  under_way_[number] = conversation_.ask(waiting.verb, waiting.members, std::move(handler));
}

void AgentLink::advance() {
  while (ready_ && !waiting_.empty() && conversation_.has_room()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    ask_now(std::move(next));
  }
  // From the back: those that have waited longest are served next.
  while (waiting_.size() > kWaitingMax) {
    const Waiting last = std::move(waiting_.back());
    waiting_.pop_back();
    fail_request(last.handler, {"busy", "the gateway has too many requests for the agent"});
  }
  flush();
}

// Bytes of one write live until libuv is done with them, whatever becomes of this link meanwhile.
void AgentLink::flush() {
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

std::optional<std::uint64_t> AgentLink::idle_since() const {
  const bool idle = waiting_.empty() && under_way_.empty();
  return idle ? std::optional(idle_since_ms_) : std::nullopt;
}

}  // namespace dunlin::web
