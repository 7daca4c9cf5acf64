// SPDX-License-Identifier: MIT
// Datagrams of strangers, and those of a member damaged on their way.
#include <algorithm>
#include <vector>

#include "node/net/sealing.h"
#include "tests/fuzz/chance.h"
#include "tests/fuzz/fuzz.h"

using dunlin::ensure;
using namespace dunlin::node;

namespace {

struct Members {
  Identity us = Identity::generate();
  Identity other = Identity::generate();
  Keyring keyring = *Keyring::generate("fuzz");
};

}  // namespace

// One byte where to damage, one how (0: not at all; 255: no datagram of ours at all), then the
// body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > datagram::kMax - datagram::kOverheadMax) return 0;
  dunlin::fuzz::fix_chance();
  static const Members members;
  Sealer us(members.us, members.keyring, 1, 1000);
  Sealer other(members.other, members.keyring, 1, 1000);
  const auto from = dunlin::overlay::Address::v4(0x7f000001, 7700);
  const dunlin::overlay::Time now{std::chrono::seconds(5)};

  const auto body = dunlin::fuzz::bytes_of(data + 2, size - 2);
  std::vector<std::byte> buffer(datagram::kHeadroom + body.size() + datagram::kTailroom);
  if (data[1] == 255) {
    std::ranges::copy(body, buffer.begin());
    ensure(
        us.open(std::span(buffer).first(body.size()), from, now).dropped.has_value(), "a stranger");
    return 0;
  }
  std::ranges::copy(body, buffer.begin() + datagram::kHeadroom);
  const auto sealed = other.seal(members.us.id(), buffer, body.size());
  std::vector<std::byte> arriving(sealed.datagram.begin(), sealed.datagram.end());
  arriving[data[0] % arriving.size()] ^= std::byte{data[1]};
  const Opened opened = us.open(arriving, from, now);
  ensure(opened.dropped.has_value() == (data[1] != 0), "damage must show, and nothing else");
  ensure(opened.dropped || std::ranges::equal(opened.body, body), "another body");
  return 0;
}
