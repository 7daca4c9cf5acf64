// SPDX-License-Identifier: MIT
#include "node/net/keyring.h"

#include <algorithm>
#include <array>

#include "config/byte_order_mark.h"
#include "node/identity/private_file.h"

// All secrecy of a cluster hangs on this file, so it is refused rather than trusted: if others may
// read it, if a line is not understood, if two keys share an id. Errors name the line and never
// show a word of it, which may be a key that stands alone.
// Several keys open and one seals, because nodes cannot all change their key at the same moment.
namespace dunlin::node {
namespace {

/// Room for all keys and many comments.
constexpr std::size_t kKeyFileMax = 64 * 1024;
constexpr std::size_t kNameMax = 63;

bool is_cluster_name(std::string_view name) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !name.empty() && name.size() <= kNameMax &&
      name.find_first_not_of(kLetters) == std::string_view::npos;
}

// Tells keys and clusters apart in the clear part of a message: 16 bits of a hash, of no use to
// find the key by.
std::uint16_t mark(std::string_view purpose, std::span<const std::uint8_t> bytes) {
  std::array<std::uint8_t, 16> hash{};
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, hash.size());
  crypto_generichash_update(
      &state, reinterpret_cast<const std::uint8_t*>(purpose.data()), purpose.size());
  crypto_generichash_update(&state, bytes.data(), bytes.size());
  crypto_generichash_final(&state, hash.data(), hash.size());
  return static_cast<std::uint16_t>(hash[0] << 8 | hash[1]);
}

/// Cuts the first word off `line`. Empty at its end.
std::string_view take_word(std::string_view& line) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto start = std::min(line.find_first_not_of(kBlanks), line.size());
  const auto end = std::min(line.find_first_of(kBlanks, start), line.size());
  const auto word = line.substr(start, end - start);
  line.remove_prefix(end);
  return word;
}

/// As base64, or as 64 hexadecimal digits: what other tools draw keys as.
bool read_key(std::string_view text, Secret<32>& key) {
  std::size_t size = 0;
  const char* end = nullptr;
  const bool read = text.size() == 64
      ? sodium_hex2bin(key.data(), key.size(), text.data(), text.size(), nullptr, &size, &end) == 0
      : sodium_base642bin(key.data(), key.size(), text.data(), text.size(), nullptr, &size, &end,
            sodium_base64_VARIANT_ORIGINAL) == 0;
  return read && size == key.size() && end == text.data() + text.size();
}

Secret<32> new_key() {
  start_sodium();
  Secret<32> key;
  randombytes_buf(key.data(), key.size());
  return key;
}

tl::unexpected<Error> corrupt(std::string_view where, const std::string& what) {
  return failure(ErrorKind::corrupt, std::string(where) + ": " + what);
}

}  // namespace

Keyring::Keyring(std::string_view cluster)
    : cluster_(cluster),
      cluster_mark_(mark("dunlin cluster",
          {reinterpret_cast<const std::uint8_t*>(cluster.data()), cluster.size()})) {}

Result<void> Keyring::add(const Secret<32>& secret, std::string_view where) {
  const ClusterKey key{.id = mark("dunlin key", {secret.data(), secret.size()}), .secret = secret};
  if (keys_.size() == kKeysMax) {
    return corrupt(where, "more than " + std::to_string(kKeysMax) + " keys; drop old ones");
  }
  // A message names its key by the id alone, so two with the same one would be tried in vain.
  if (const ClusterKey* other = find(key.id)) {
    return corrupt(where,
        other->secret == secret ? "the same key twice"
                                : "this key has the same id as another one: generate a new one");
  }
  keys_.push_back(key);
  return {};
}

Result<Keyring> Keyring::generate(std::string_view cluster) {
  start_sodium();
  if (!is_cluster_name(cluster)) {
    return failure(ErrorKind::usage,
        "'" + std::string(cluster) + "' is no cluster name: 1 to 63 of a-z A-Z 0-9 . _ -");
  }
  Keyring keyring(cluster);
  if (auto added = keyring.add(new_key(), cluster); !added) return tl::unexpected(added.error());
  return keyring;
}

Result<Keyring> Keyring::load(const std::filesystem::path& path) {
  // The group may read it: a service's own group commonly does. Nobody else may, nor change it.
  auto text = read_private_file(path, 0027, kKeyFileMax);
  if (!text) {
    if (text.error().kind != ErrorKind::not_found) return tl::unexpected(text.error());
    return failure(ErrorKind::not_found,
        path.string() +
            ": no such cluster key file; make one with "
            "'dunlin keygen', or copy it from another node");
  }
  auto keyring = parse(*text, path.string());
  sodium_memzero(text->data(), text->size());
  return keyring;
}

Result<Keyring> Keyring::parse(std::string_view text, std::string_view where) {
  start_sodium();
  std::optional<Keyring> keyring;
  text = config::without_mark(text);
  for (unsigned number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = line.substr(0, line.find('#'));
    const std::string here = std::string(where) + ":" + std::to_string(number);

    const std::string_view word = take_word(line);
    if (word.empty()) continue;
    const std::string_view value = take_word(line);
    if (!take_word(line).empty()) return corrupt(here, "more than two words");
    if (word == "cluster") {
      if (keyring) return corrupt(here, "a second cluster line");
      if (!is_cluster_name(value)) {
        return corrupt(
            here, "'" + std::string(value) + "' is no cluster name: 1 to 63 of a-z A-Z 0-9 . _ -");
      }
      keyring = Keyring(value);
    } else if (word == "key") {
      if (!keyring) return corrupt(here, "a key before the line 'cluster <name>'");
      Secret<32> key;
      if (!read_key(value, key)) {
        return corrupt(here, "not a key: expected 32 bytes as base64, or as 64 hex digits");
      }
      if (auto added = keyring->add(key, here); !added) return tl::unexpected(added.error());
    } else {
      // The word itself may be a key somebody wrote alone: not shown.
      return corrupt(here, "expected 'cluster <name>' or 'key <base64>'");
    }
  }
  if (!keyring) return corrupt(where, "no line 'cluster <name>'");
  if (keyring->keys_.empty()) return corrupt(where, "no line 'key <base64>'");
  return std::move(*keyring);
}

// A new key is the last one at first, which opens and does not seal, until all nodes have it.
Keyring Keyring::with_new_key(bool primary) const {
  Keyring renewed = *this;
  // Too many keys: the oldest, the last but for a new one, goes.
  if (renewed.keys_.size() == kKeysMax) renewed.keys_.pop_back();
  while (!renewed.add(new_key(), cluster_)) {
    // The id is taken, one time in 65,536.
  }
  if (primary) std::rotate(renewed.keys_.begin(), renewed.keys_.end() - 1, renewed.keys_.end());
  return renewed;
}

std::string Keyring::format() const {
  std::string text;
  text.reserve(kKeyFileMax);  // A text that grows leaves copies of keys behind.
  text +=
      "# The key of a Dunlin cluster: whoever holds it is a member. Keep it secret.\n"
      "# The first key seals, all of them open. To rotate: add the new key below the old one on\n"
      "# every node, then move it above, then remove the old one; reload after each step.\n"
      "cluster ";
  text.append(cluster_) += '\n';
  for (const ClusterKey& key : keys_) {
    std::array<char, sodium_base64_ENCODED_LEN(32, sodium_base64_VARIANT_ORIGINAL)> base64{};
    sodium_bin2base64(base64.data(), base64.size(), key.secret.data(), key.secret.size(),
        sodium_base64_VARIANT_ORIGINAL);
    text.append("key ").append(base64.data()) += '\n';
    sodium_memzero(base64.data(), base64.size());
  }
  return text;
}

Result<void> Keyring::save(const std::filesystem::path& path, bool replace) const {
  std::string text = format();
  auto written = write_private_file(path, text, replace);
  sodium_memzero(text.data(), text.size());
  return written;
}

const ClusterKey* Keyring::find(std::uint16_t key_id) const {
  const auto found = std::ranges::find(keys_, key_id, &ClusterKey::id);
  return found == keys_.end() ? nullptr : &*found;
}

// By the secret: two keys may have one id by chance.
bool Keyring::holds(const ClusterKey& key) const {
  const ClusterKey* const ours = find(key.id);
  return ours != nullptr && ours->secret == key.secret;
}

}  // namespace dunlin::node
