// SPDX-License-Identifier: MIT
#include "node/net/streams.h"

#include <algorithm>
#include <utility>

#include "node/net/bytes.h"
#include "node/net/socket_address.h"

namespace dunlin::node {
namespace {

constexpr int kBacklog = 128;
constexpr std::size_t kStreamReadSize = 64 * 1024;

tl::unexpected<Error> cannot_listen(int status, const overlay::Address& bind) {
  return failure_of(-status, "cannot listen on TCP " + to_string(bind));
}

}  // namespace

Streams::Streams(uv_loop_t& loop,
    const TransportParams& params,
    Sealer& sealer,
    TransportCounters& counters,
    Receive receive)
    : params_(params),
      sealer_(sealer),
      counters_(counters),
      receive_(std::move(receive)),
      listener_(make_handle<uv_tcp_t>()),
      read_buffer_(kStreamReadSize),
      context_{.loop = loop,
          .params = params,
          .counters = counters,
          .owner = *this,
          .read_buffer = read_buffer_} {
  uv_tcp_init(&loop, listener_.get());
  listener_->data = this;
}

Result<std::unique_ptr<Streams>> Streams::open(uv_loop_t& loop,
    const overlay::Address& bind,
    const TransportParams& params,
    Sealer& sealer,
    TransportCounters& counters,
    Receive receive) {
  std::unique_ptr<Streams> streams(new Streams(loop, params, sealer, counters, std::move(receive)));
  uv_tcp_t* const listener = streams->listener_.get();
  SocketAddress address;
  to_socket(bind, family_of(bind), address);
  if (const int status = uv_tcp_bind(listener, address.get(), 0); status != 0) {
    return cannot_listen(status, bind);
  }
  const int status = uv_listen(
      reinterpret_cast<uv_stream_t*>(listener), kBacklog, [](uv_stream_t* server, int ready) {
        if (ready == 0) static_cast<Streams*>(server->data)->on_connection();
      });
  if (status != 0) return cannot_listen(status, bind);
  int size = sizeof address.storage;
  if (const int named = uv_tcp_getsockname(listener, address.get(), &size); named != 0) {
    return cannot_listen(named, bind);
  }
  streams->port_ = streams->advertised_port_ = from_socket(address.get()).port;
  return streams;
}

Streams::~Streams() {
  close();
}

void Streams::close() {
  listener_.reset();
  while (!streams_.empty()) streams_.back()->abort(std::nullopt);
}

std::unique_ptr<SealedStream> Streams::seal(
    SealedStream::Role role, overlay::PeerId expected) const {
  return std::make_unique<SealedStream>(
      role, sealer_.identity(), sealer_.keyring(), sealer_.life(), advertised_port_, expected);
}

void Streams::on_connection() {
  auto tcp = make_handle<uv_tcp_t>();
  uv_tcp_init(&context_.loop, tcp.get());
  if (uv_accept(reinterpret_cast<uv_stream_t*>(listener_.get()),
          reinterpret_cast<uv_stream_t*>(tcp.get())) != 0) {
    return;
  }
  const auto strangers = std::ranges::count_if(
      streams_, [](const auto& stream) { return stream->incoming() && !stream->open(); });
  if (streams_.size() >= params_.connections_max || strangers >= params_.strangers_max) {
    counters_.dropped.add(DropReason::too_many);
    return;  // Which closes it.
  }
  streams_.push_back(
      Stream::accept(context_, std::move(tcp), seal(SealedStream::Role::responder, {})));
}

Stream* Streams::find(const overlay::Endpoint& to) const {
  const auto found = std::ranges::find_if(streams_, [&to](const auto& stream) {
    if (!stream->usable()) return false;
    if (to.id && stream->remote().id) return stream->remote().id == to.id;
    return stream->remote().address == to.address;
  });
  return found == streams_.end() ? nullptr : found->get();
}

bool Streams::send(const overlay::Endpoint& to, Layer layer, std::string_view bytes) {
  if (!listener_ || !to.address) return false;
  Stream* stream = find(to);
  if (!stream) {
    if (streams_.size() >= params_.connections_max) return false;
    streams_.push_back(Stream::dial(context_, to, seal(SealedStream::Role::initiator, to.id)));
    stream = streams_.back().get();
  }
  return stream->send(static_cast<Channel>(layer), bytes);
}

void Streams::on_stream_open(Stream& stream) {
  ++(stream.incoming() ? counters_.streams_accepted : counters_.streams_opened);
  const StreamParty& party = stream.party();
  // Clients come and go under new keys: no peers to remember.
  if (party.port != 0) sealer_.meet(party.key, party.life);
}

void Streams::on_stream_message(Stream& stream, Channel channel, std::string_view bytes) {
  ++counters_.messages_received;
  receive_(stream.remote(), static_cast<Layer>(channel), std::as_bytes(bytes_of(bytes)));
}

bool Streams::on_stream_control(const std::shared_ptr<Stream>& stream) {
  if (!accept_ || !stream->incoming()) return false;
  accept_(stream);
  return true;
}

void Streams::on_stream_closed(Stream& stream, std::optional<DropReason> reason) {
  if (reason) counters_.dropped.add(*reason);
  std::erase_if(streams_, [&stream](const auto& each) { return each.get() == &stream; });
}

}  // namespace dunlin::node
