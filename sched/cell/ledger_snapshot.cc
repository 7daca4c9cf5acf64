// SPDX-License-Identifier: MIT
#include "sched/cell/audit.h"
#include "sched/cell/checksum.h"
#include "sched/cell/codec_books.h"
#include "sched/cell/ledger.h"

// A snapshot: a word that says what it is, its version, the size and the CRC-32C of the rest, and
// the state.
namespace dunlin::sched {
namespace {

constexpr std::string_view kWord = "dunlin books";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeader = kWord.size() + 3 * sizeof(std::uint32_t);

void put_number(std::string& out, std::size_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift & 0xff);
}

std::uint32_t number_at(std::string_view bytes, std::size_t index) {
  std::uint32_t number = 0;
  const std::size_t at = kWord.size() + index * sizeof(number);
  for (std::size_t i = 0; i < sizeof(number); ++i) {
    number |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return number;
}

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
  put_number(bytes, body.size());
  put_number(bytes, crc32c(std::as_bytes(std::span(body))));
  return bytes + body;
}

Result<Ledger> Ledger::load(std::string_view bytes, CellId cell) {
  if (bytes.size() < kHeader || !bytes.starts_with(kWord)) return refused("it is none");
  if (const auto version = number_at(bytes, 0); version != kVersion) {
    return refused("version " + std::to_string(version) + " is not version " +
        std::to_string(kVersion) + ", which this Dunlin reads");
  }
  const std::string_view body = bytes.substr(kHeader);
  if (const auto size = number_at(bytes, 1); body.size() != size) {
    return refused("it has " + std::to_string(body.size()) + " of " + std::to_string(size) +
        " bytes after its header");
  }
  if (crc32c(std::as_bytes(std::span(body))) != number_at(bytes, 2)) {
    return refused("its checksum does not match, it was damaged");
  }
  auto state = books::decode_state(std::as_bytes(std::span(body)));
  if (!state) return refused(state.error().text);
  if (const auto broken = broken_invariant(*state)) return refused(*broken);
  if (state->cell != cell) {
    return refused(
        "it is of cell " + std::to_string(state->cell) + ", not of cell " + std::to_string(cell));
  }
  Ledger ledger(cell);
  ledger.state_ = std::move(*state);
  return ledger;
}

}  // namespace dunlin::sched
