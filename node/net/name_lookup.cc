// SPDX-License-Identifier: MIT
#include "node/net/name_lookup.h"

#include <utility>

// The system's resolver blocks for as long as a name server is silent, which may be half a minute.
// An agent must gossip meanwhile, or its neighbours take it for dead; so a thread of libuv waits.
// A request cannot be taken back once it is at work. It outlives its owner, and frees itself.
namespace dunlin::node {

struct NameLookup::Request {
  uv_getaddrinfo_t uv{};
  NameLookup* owner = nullptr;  ///< Null when it has gone.
  HostAndPort where;
  Done done;
};

NameLookup::~NameLookup() {
  for (Request* const request : open_) {
    request->owner = nullptr;
    uv_cancel(reinterpret_cast<uv_req_t*>(&request->uv));
  }
}

void NameLookup::start(const HostAndPort& where, Done done) {
  auto request = std::make_unique<Request>();
  request->uv.data = request.get();
  request->owner = this;
  request->where = where;
  request->done = std::move(done);
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;  // One entry for each address.
  const int status =
      uv_getaddrinfo(&loop_, &request->uv, on_answer, where.host.c_str(), nullptr, &hints);
  if (status == 0) {
    open_.insert(request.release());
  } else {
    request->done(failure(ErrorKind::not_found,
        "host '" + where.host + "' does not resolve: " + uv_strerror(status)));
  }
}

void NameLookup::on_answer(uv_getaddrinfo_t* answered, int status, addrinfo* first) {
  const std::unique_ptr<Request> request(static_cast<Request*>(answered->data));
  const std::unique_ptr<addrinfo, decltype(&uv_freeaddrinfo)> list(first, &uv_freeaddrinfo);
  if (request->owner == nullptr) return;
  request->owner->open_.erase(request.get());
  if (status != 0) {
    request->done(failure(ErrorKind::not_found,
        "host '" + request->where.host + "' does not resolve: " + uv_strerror(status)));
    return;
  }
  request->done(addresses_of(first, request->where));
}

}  // namespace dunlin::node
