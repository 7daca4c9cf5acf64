// SPDX-License-Identifier: MIT
#include "node/net/identity.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "node/net/private_file.h"

namespace dunlin::node {
namespace {

// The file: this line, then the seed as 64 hex digits and a line feed.
constexpr std::string_view kFirstLine = "dunlin identity 1\n";
constexpr std::size_t kHexSize = 64;

std::string file_text(const Secret<32>& seed) {
  std::string hex(kHexSize + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), seed.data(), seed.size());
  hex.back() = '\n';
  return std::string(kFirstLine) + hex;
}

bool read_seed(std::string_view text, Secret<32>& seed) {
  if (!text.starts_with(kFirstLine)) return false;
  text.remove_prefix(kFirstLine.size());
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t size = 0;
  return text.size() == kHexSize &&
      sodium_hex2bin(seed.data(), seed.size(), text.data(), text.size(), nullptr, &size, nullptr) ==
      0 &&
      size == seed.size();
}

Secret<32> new_seed() {
  start_sodium();
  Secret<32> seed;
  randombytes_buf(seed.data(), seed.size());
  return seed;
}

}  // namespace

overlay::PeerId peer_id(const PublicKey& key) {
  std::array<std::uint8_t, 16> hash{};
  crypto_generichash(hash.data(), hash.size(), key.data(), key.size(), nullptr, 0);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = value << 8 | hash[i];
  return {value == 0 ? 1 : value};  // 0 means nobody.
}

bool exchange_key(const PublicKey& key, PublicKey& exchange) {
  return crypto_sign_ed25519_pk_to_curve25519(exchange.data(), key.data()) == 0;
}

bool verify(const PublicKey& key,
    std::span<const std::uint8_t> bytes,
    std::span<const std::uint8_t, 64> signature) {
  return crypto_sign_verify_detached(signature.data(), bytes.data(), bytes.size(), key.data()) == 0;
}

Identity::Identity(const Secret<32>& seed) : seed_(seed) {
  start_sodium();
  crypto_sign_seed_keypair(public_.data(), secret_.data(), seed_.data());
  ensure(crypto_sign_ed25519_sk_to_curve25519(exchange_.data(), secret_.data()) == 0,
      "an Ed25519 key without an X25519 form");
  id_ = peer_id(public_);
}

Identity Identity::generate() {
  return Identity(new_seed());
}

Result<Identity> Identity::load_or_create(const std::filesystem::path& directory) {
  const auto path = directory / "identity";
  auto text = read_private_file(path, 0077, 1024);
  if (!text && text.error().kind == ErrorKind::not_found) {
    const Secret<32> seed = new_seed();
    std::string fresh = file_text(seed);
    const auto written = write_private_file(path, fresh, false);
    sodium_memzero(fresh.data(), fresh.size());
    if (written) return Identity(seed);
    if (written.error().kind != ErrorKind::refused) return tl::unexpected(written.error());
    text = read_private_file(path, 0077, 1024);  // Another process was faster: theirs it is.
  }
  if (!text) return tl::unexpected(text.error());
  Secret<32> seed;
  const bool fine = read_seed(*text, seed);
  sodium_memzero(text->data(), text->size());
  if (!fine) {
    return failure(ErrorKind::corrupt,
        path.string() +
            ": damaged identity; restore it from a backup, or "
            "remove it and this node becomes a new one");
  }
  return Identity(seed);
}

void Identity::sign(
    std::span<const std::uint8_t> bytes, std::span<std::uint8_t, 64> signature) const {
  crypto_sign_detached(signature.data(), nullptr, bytes.data(), bytes.size(), secret_.data());
}

bool Identity::agree(const PublicKey& other, Secret<32>& shared) const {
  return crypto_scalarmult_curve25519(shared.data(), exchange_.data(), other.data()) == 0;
}

}  // namespace dunlin::node
