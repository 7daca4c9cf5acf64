// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "node/client/client.h"
#include "node/client/include/dunlin.h"
#include "node/client/job.h"
#include "node/client/queries.h"

// What the opaque handles of dunlin.h are.

/// Each handle holds the client, so that any of them may be freed last.
struct dunlin_client {
  std::shared_ptr<dunlin::client::Client> client;
};

struct dunlin_job {
  std::shared_ptr<dunlin::client::Client> client;
  dunlin::client::JobPtr job;
};

struct dunlin_output {
  std::shared_ptr<dunlin::client::Client> client;
  std::shared_ptr<dunlin::client::Output> output;
};

struct dunlin_input {
  std::shared_ptr<dunlin::client::Client> client;
  std::shared_ptr<dunlin::client::Input> input;
};

struct dunlin_answer {
  std::shared_ptr<dunlin::client::Client> client;
  std::shared_ptr<dunlin::client::Query> query;
};

namespace dunlin::client {

/// Calls `call`, unless this is a child of fork(), and lets no exception through: C knows none.
template <typename Call>
int guarded(const Client& client, Call&& call) noexcept {
  if (client.forked()) return DUNLIN_FORKED;
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return DUNLIN_NO_MEMORY;
  } catch (...) {
    return DUNLIN_IO;
  }
}

/// In a child of fork() a client cannot be destroyed: threads of the parent may seem to wait for
/// it. It is kept for ever, without its descriptors.
inline void abandon(std::shared_ptr<Client>& client) noexcept {
  if (client == nullptr || !client->forked()) return;
  client->release();
  (void)new (std::nothrow) std::shared_ptr<Client>(std::move(client));
}

/// Copies a text, cut to fit between two characters, with a zero byte at its end.
inline void copy_text(char* to, std::size_t size, std::string_view text) {
  if (to == nullptr || size == 0) return;
  std::size_t length = std::min(text.size(), size - 1);
  const auto is_middle = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u;
  };
  while (length < text.size() && length > 0 && is_middle(length)) --length;
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

/// Fills a structure that begins with its size, as far as the caller's version of it goes. False if
/// it is smaller than any.
template <typename Structure>
bool copy_structure(Structure* to, const Structure& from) {
  if (to == nullptr || to->size < sizeof(std::size_t)) return false;
  const std::size_t size = to->size;
  std::memcpy(to, &from, std::min(size, sizeof(Structure)));
  // The caller's, which the copy has just written over.
  to->size = size;
  return true;
}

}  // namespace dunlin::client
