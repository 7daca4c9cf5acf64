// SPDX-License-Identifier: MIT
#include "node/identity/identity.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "node/identity/private_file.h"

// A node is its key: the id is a hash of it, so nobody can take the id of another node without
// being able to sign for it. The file has the seed, and the mark of the machine that it was made
// on: a copy of a directory on another machine would else be the same node twice. Secrets are wiped
// from memory as soon as they are used, and so are the texts that they were in.
namespace dunlin::node {
namespace {

// The file: the first line, the seed as 64 hex digits, and since version 2 a line with the mark of
// the machine it is for.
constexpr std::string_view kFirstLine1 = "dunlin identity 1\n";
constexpr std::string_view kFirstLine2 = "dunlin identity 2\n";
constexpr std::string_view kMachine = "machine ";
constexpr std::string_view kNoMachine = "unknown";
constexpr std::size_t kHexSize = 64;
constexpr std::size_t kMarkSize = 32;
constexpr std::size_t kFileMax = 1024;

Secret<32> new_seed() {
  start_sodium();
  Secret<32> seed;
  randombytes_buf(seed.data(), seed.size());
  return seed;
}

struct Content {
  Secret<32> seed;
  std::string machine;  ///< Empty: it does not say.
};

Result<void> write_identity(
    const std::filesystem::path& path, const Content& content, bool replace) {
  std::string hex(kHexSize + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), content.seed.data(), content.seed.size());
  hex.back() = '\n';
  std::string text;
  text.reserve(kFileMax);  // A text that grows leaves a copy behind.
  text.append(kFirstLine2).append(hex).append(kMachine);
  text.append(content.machine.empty() ? kNoMachine : std::string_view(content.machine)) += '\n';
  auto written = write_private_file(path, text, replace);
  sodium_memzero(hex.data(), hex.size());
  sodium_memzero(text.data(), text.size());
  return written;
}

std::optional<Content> parse_identity(std::string_view text) {
  const bool first = text.starts_with(kFirstLine1);
  if (!first && !text.starts_with(kFirstLine2)) return std::nullopt;
  text.remove_prefix(kFirstLine2.size());
  Content content;
  std::size_t size = 0;
  if (text.size() < kHexSize ||
      sodium_hex2bin(content.seed.data(), content.seed.size(), text.data(), kHexSize, nullptr,
          &size, nullptr) != 0 ||
      size != content.seed.size()) {
    return std::nullopt;
  }
  text.remove_prefix(kHexSize);
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (first) return text.empty() ? std::optional(content) : std::nullopt;
  if (!text.starts_with('\n') || !text.substr(1).starts_with(kMachine)) return std::nullopt;
  text.remove_prefix(1 + kMachine.size());
  if (text != kNoMachine && text.size() != kMarkSize) return std::nullopt;
  if (text != kNoMachine) content.machine = text;
  return content;
}

Result<Content> read_identity(const std::filesystem::path& path) {
  auto text = read_private_file(path, 0077, kFileMax);
  if (!text) return tl::unexpected(text.error());
  const auto content = parse_identity(*text);
  sodium_memzero(text->data(), text->size());
  if (content) return *content;
  return failure(ErrorKind::corrupt,
      path.string() +
          ": damaged identity; restore it from a backup, or remove it and this node becomes a new "
          "one");
}

/// The identity in the file, or a new one in a new file.
Result<Content> read_or_create(const std::filesystem::path& path, const std::string& machine) {
  auto content = read_identity(path);
  if (content || content.error().kind != ErrorKind::not_found) return content;
  const Content fresh{.seed = new_seed(), .machine = machine};
  const auto written = write_identity(path, fresh, false);
  if (written) return fresh;
  if (written.error().kind != ErrorKind::refused) return tl::unexpected(written.error());
  return read_identity(path);  // Another process was faster: its identity it is.
}

}  // namespace

// The id follows from the key, so nobody can take the id of another node: it could not sign for it.
overlay::PeerId peer_id(const PublicKey& key) {
  std::array<std::uint8_t, 16> hash{};
  crypto_generichash(hash.data(), hash.size(), key.data(), key.size(), nullptr, 0);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = value << 8 | hash[i];
  return {value == 0 ? 1 : value};  // 0 means no peer.
}

// One seed for both: the key that signs has a form with which two nodes agree on a secret.
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

Result<Identity> Identity::load_or_create(
    const std::filesystem::path& directory, const std::string& machine) {
  const auto path = directory / "identity";
  auto content = read_or_create(path, machine);
  if (!content) return tl::unexpected(content.error());
  if (machine.empty() || content->machine == machine) return Identity(content->seed);
  if (!content->machine.empty()) {
    return failure(ErrorKind::refused,
        path.string() +
            ": made on another machine; two nodes of one identity would take each other's tasks. "
            "If this directory is a copy, run: dunlin identity --new --data-dir " +
            directory.string() +
            "; if the other machine is gone for good, run the same with "
            "--adopt; if this machine's machine-id changes by itself, set agent.machine_id = \"\"");
  }
  // A directory of before machines were marked becomes this one's.
  content->machine = machine;
  if (auto written = write_identity(path, *content, true); !written)
    return tl::unexpected(written.error());
  return Identity(content->seed);
}

Result<Identity> Identity::load(const std::filesystem::path& directory) {
  const auto content = read_identity(directory / "identity");
  if (!content) return tl::unexpected(content.error());
  return Identity(content->seed);
}

Result<Identity> Identity::adopt(
    const std::filesystem::path& directory, const std::string& machine) {
  const auto path = directory / "identity";
  auto content = read_identity(path);
  if (!content) return tl::unexpected(content.error());
  content->machine = machine;
  if (auto written = write_identity(path, *content, true); !written)
    return tl::unexpected(written.error());
  return Identity(content->seed);
}

void Identity::sign(
    std::span<const std::uint8_t> bytes, std::span<std::uint8_t, 64> signature) const {
  crypto_sign_detached(signature.data(), nullptr, bytes.data(), bytes.size(), secret_.data());
}

bool Identity::agree(const PublicKey& other, Secret<32>& shared) const {
  return crypto_scalarmult_curve25519(shared.data(), exchange_.data(), other.data()) == 0;
}

}  // namespace dunlin::node
