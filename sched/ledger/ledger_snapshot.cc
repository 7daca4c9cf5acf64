// SPDX-License-Identifier: MIT
#include "sched/ledger/audit.h"
#include "sched/ledger/codec_books.h"
#include "sched/ledger/ledger.h"
#include "sched/raft/checksum.h"
#include "sched/raft/little_endian.h"

// A snapshot: a magic word, its version, the size and the CRC-32C of the rest, and the state. A
// voter loads nothing that is cut, garbled, of another cell or out of balance: it fetches the
// snapshot from another voter instead, because a guess could lose or double tickets.
namespace dunlin::sched {
namespace {

constexpr std::string_view kWord = "dunlin books";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeader = kWord.size() + 3 * sizeof(std::uint32_t);

tl::unexpected<Error> refused(const std::string& what) {
  return failure(ErrorKind::corrupt,
      "snapshot of a cell's books: " + what + "; fetch it from another voter of the cell");
}

}  // namespace

std::string Ledger::save() const {
  std::string body;
  books::encode(state_, body);
  std::string bytes(kWord);
  put_number(bytes, kVersion);
  put_number(bytes, static_cast<std::uint32_t>(body.size()));
  put_number(bytes, crc32c(std::as_bytes(std::span(body))));
  return bytes + body;
}

Result<Ledger> Ledger::load(std::string_view bytes, CellId cell) {
  if (bytes.size() < kHeader || !bytes.starts_with(kWord)) return refused("it is none");
  std::string_view rest = bytes.substr(kWord.size());
  if (const auto version = take_number<std::uint32_t>(rest); version != kVersion) {
    return refused("version " + std::to_string(version) + " is not version " +
        std::to_string(kVersion) + ", which this Dunlin reads");
  }
  const std::string_view body = bytes.substr(kHeader);
  if (const auto size = take_number<std::uint32_t>(rest); body.size() != size) {
    return refused("it has " + std::to_string(body.size()) + " of " + std::to_string(size) +
        " bytes after its header");
  }
  if (crc32c(std::as_bytes(std::span(body))) != take_number<std::uint32_t>(rest)) {
    return refused("its checksum does not match, it was damaged");
  }
  auto state = books::decode_state(std::as_bytes(std::span(body)));
  if (!state) return refused(state.error().text);
  if (const auto broken = broken_invariant(*state)) return refused(*broken);
  if (state->cell != cell) {
    return refused("it is of cell " + std::to_string(state->cell.value) + ", not of cell " +
        std::to_string(cell.value));
  }
  Ledger ledger(cell);
  ledger.state_ = std::move(*state);
  return ledger;
}

}  // namespace dunlin::sched
