// SPDX-License-Identifier: MIT
#include "tools/dunlin/connection/output_stream.h"

#include <algorithm>

#include "node/base64.h"

namespace dunlin::cli {
Result<void> OutputStream::add(const TaskStream& stream) {
  fetches_.push_back({.stream = stream, .id = 0, .offset = 0, .complete = false, .data = {}});
  return advance();
}

Result<void> OutputStream::ask(Fetch& fetch) {
  Json request = {{"number", job_}, {"task", fetch.stream.task},
      {"stream", fetch.stream.err ? "err" : "out"}, {"offset", fetch.offset}};
  if (fetch.stream.live)
    request["follow"] = true;
  else
    request["most"] = kPieceBytes;
  const auto id = agent_.start("output", std::move(request));
  if (!id) return tl::unexpected(id.error());
  fetch.id = *id;
  return {};
}

Result<bool> OutputStream::take(const Reply& reply) {
  const auto found = std::ranges::find(fetches_, reply.id, &Fetch::id);
  if (found == fetches_.end()) return false;
  Fetch& fetch = *found;
  if (reply.error) {
    // A task that never ran has no output, and nothing is amiss.
    const bool none = fetch.stream.live && reply.error->kind == ErrorKind::not_found;
    if (!none && trouble_.empty()) trouble_ = reply.error->text;
    fetch.complete = true;
    fetch.id = 0;
  } else {
    const auto piece = node::from_base64(value<std::string>(reply.ok, "data"));
    const std::size_t got = piece ? piece->size() : 0;
    if (piece) fetch.data += *piece;
    fetch.offset += got;
    if (reply.end) {
      fetch.id = 0;
      // An empty piece is the end, whatever the total says: the rest may have expired.
      fetch.complete =
          fetch.stream.live || got == 0 || fetch.offset >= value<std::uint64_t>(reply.ok, "total");
    }
  }
  if (fetch.stream.live) print(fetch);
  if (auto fine = advance(); !fine) return tl::unexpected(fine.error());
  return true;
}

Result<void> OutputStream::advance() {
  while (!fetches_.empty()) {
    Fetch& head = fetches_.front();
    if (!head.data.empty()) print(head);
    if (!head.complete) break;
    fetches_.pop_front();
  }
  const std::size_t count = std::min(fetches_.size(), kAtOnce);
  for (std::size_t i = 0; i < count; ++i) {
    Fetch& fetch = fetches_[i];
    // Only the first one goes on beyond its first piece: the others wait with it in memory.
    if (fetch.id != 0 || fetch.complete || (i != 0 && fetch.offset != 0)) continue;
    if (auto asked = ask(fetch); !asked) return asked;
  }
  return {};
}

void OutputStream::print(Fetch& fetch) {
  if (fetch.data.empty()) return;
  before_print_();
  std::FILE* const to = fetch.stream.err ? stderr : stdout;
  std::fwrite(fetch.data.data(), 1, fetch.data.size(), to);
  std::fflush(to);
  fetch.data.clear();
}

}  // namespace dunlin::cli
