// SPDX-License-Identifier: MIT
#include "node/net/streams.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "node/net/bytes.h"
#include "node/net/rate_limit.h"
#include "node/net/socket_address.h"

// Streams cost memory and descriptors, so strangers must not hold them, nor shut the door on others
// by standing in it. A stranger has half a second for its first words. When there are too many, a
// new one takes the place of another, drawn by lot among those that said nothing, from the same
// address if that one has its quarter. So a member gets in however many are silent.
// Each known peer has one stream at most, dialed when there is something large to say, and closed
// when it is idle, or when another needs its place.
namespace dunlin::node {
namespace {

constexpr int kBacklog = 128;
constexpr std::size_t kStreamReadSize = 64 * 1024;
constexpr std::size_t kAddressShare = 4;  // One address has a quarter of the strangers.

tl::unexpected<Error> cannot_listen(int status, const overlay::Address& bind) {
  return failure_of(-status, "cannot listen on TCP " + to_string(bind));
}

/// True while the other end of an incoming stream has not proven that it is a member.
bool is_stranger(const Stream& stream) {
  return stream.incoming() && !stream.sealed().open();
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
  // abort() takes the stream out of the list by on_stream_closed(), so no iterator may be held.
  while (!streams_.empty()) streams_.back()->abort(std::nullopt);
}

std::unique_ptr<SealedStream> Streams::seal(
    SealedStream::Role role, overlay::PeerId expected) const {
  return std::make_unique<SealedStream>(role, sealer_.identity(), sealer_.keyring(),
      sealer_.incarnation(), advertised_port_, expected);
}

void Streams::on_connection() {
  auto tcp = make_handle<uv_tcp_t>();
  uv_tcp_init(&context_.loop, tcp.get());
  if (uv_accept(reinterpret_cast<uv_stream_t*>(listener_.get()),
          reinterpret_cast<uv_stream_t*>(tcp.get())) != 0) {
    return;
  }
  auto stream = Stream::accept(context_, std::move(tcp), seal(SealedStream::Role::responder, {}));
  // Chosen before the newcomer is in the list, which else could be drawn itself.
  const auto gives_way = displaced(stream->remote().address);
  streams_.push_back(std::move(stream));
  if (gives_way) gives_way->abort(DropReason::too_many);
}

std::shared_ptr<Stream> Streams::displaced(const overlay::Address& newcomer) const {
  std::vector<std::shared_ptr<Stream>> strangers;
  std::ranges::copy_if(
      streams_, std::back_inserter(strangers), [](const auto& each) { return is_stranger(*each); });
  // By network, not by address: an IPv6 host has 2^64 addresses to come from.
  const auto from_there = [&newcomer](const auto& each) {
    return network_of(each->remote().address) == network_of(newcomer);
  };
  const auto share = std::max<std::size_t>(params_.strangers_max / kAddressShare, 1);
  if (static_cast<std::size_t>(std::ranges::count_if(strangers, from_there)) >= share) {
    std::erase_if(strangers, std::not_fn(from_there));
  } else if (strangers.size() < params_.strangers_max) {
    return nullptr;
  }
  // A greeting that only a member can have sealed speaks for the others, so they give way last.
  const auto greeted = [](const auto& each) { return each->sealed().greeted(); };
  if (!std::ranges::all_of(strangers, greeted)) std::erase_if(strangers, greeted);
  // By lot, because any rule can be turned against members: with "the oldest first" an attacker
  // that dials fast enough would push out each member before its handshake is through.
  return strangers[randombytes_uniform(static_cast<std::uint32_t>(strangers.size()))];
}

/// False if there is no room and no stream that is idle: one that has something under way is not
/// cut for another.
bool Streams::make_room(const Stream* newcomer) {
  std::size_t used = 0;
  std::shared_ptr<Stream> idlest;
  for (const auto& each : streams_) {
    if (each.get() == newcomer || is_stranger(*each) || !each->usable()) continue;
    ++used;
    const auto since = each->idle_since();
    if (since && (!idlest || *since < *idlest->idle_since())) idlest = each;
  }
  if (used < params_.connections_max) return true;
  // Those that are ending wait for the other side. They have their bound, too.
  const std::size_t total_max = 2 * std::size_t{params_.connections_max} + params_.strangers_max;
  if (!idlest || streams_.size() > total_max) return false;
  ++counters_.streams_evicted;
  idlest->close();
  return true;
}

void Streams::rotate() {
  const auto streams = streams_;  // Those that end leave the list.
  for (const auto& each : streams) each->rotate(sealer_.keyring());
}

Stream* Streams::find(const overlay::Endpoint& to) const {
  const auto found = std::ranges::find_if(streams_, [&to](const auto& stream) {
    // A conversation ends when its client leaves, and would take the peer's messages with it.
    if (!stream->usable() || stream->control()) return false;
    if (to.id && stream->remote().id) return stream->remote().id == to.id;
    return stream->remote().address == to.address;
  });
  return found == streams_.end() ? nullptr : found->get();
}

bool Streams::send(const overlay::Endpoint& to, Layer layer, std::string_view bytes) {
  if (!listener_ || !to.address) return false;
  Stream* stream = find(to);
  if (!stream) {
    if (!make_room(nullptr)) return false;
    streams_.push_back(Stream::dial(context_, to, seal(SealedStream::Role::initiator, to.id)));
    stream = streams_.back().get();
  }
  return stream->send(static_cast<Channel>(layer), bytes);
}

std::shared_ptr<ControlConnection> Streams::call(const overlay::Endpoint& to) {
  if (!listener_ || !to.address || !make_room(nullptr)) return nullptr;
  streams_.push_back(
      Stream::dial(context_, to, seal(SealedStream::Role::initiator, to.id), /*control=*/true));
  return streams_.back();
}

void Streams::on_stream_open(Stream& stream) {
  if (stream.incoming() && !make_room(&stream)) return stream.abort(DropReason::too_many);
  ++(stream.incoming() ? counters_.streams_accepted : counters_.streams_opened);
  const StreamParty& party = stream.sealed().peer();
  // Clients come and go under new keys: no peers to remember.
  if (party.port != 0) sealer_.meet(party.key, party.incarnation);
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

// The last thing that a stream does; it holds itself until this returns, since the list lets it go.
void Streams::on_stream_closed(Stream& stream, std::optional<DropReason> reason) {
  if (reason) counters_.dropped.add(*reason);
  std::erase_if(streams_, [&stream](const auto& each) { return each.get() == &stream; });
}

}  // namespace dunlin::node
