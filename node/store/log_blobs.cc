// SPDX-License-Identifier: MIT
#include "node/store/log_blobs.h"

#include <type_traits>

#include "node/fields.h"

// Beside the types, so that FieldWriter and FieldReader find them.
namespace dunlin::overlay {

template <typename U, typename T>
concept IsA = std::is_same_v<std::remove_const_t<U>, T>;

void fields(auto& archive, IsA<PeerId> auto& id) {
  archive(id.value);
}
void fields(auto& archive, IsA<Address> auto& address) {
  archive(address.high, address.low, address.port);
}
void fields(auto& archive, IsA<Endpoint> auto& endpoint) {
  archive(endpoint.id, endpoint.address);
}

}  // namespace dunlin::overlay

namespace dunlin::sched::books {

void fields(auto& archive, overlay::IsA<Contact> auto& contact) {
  archive(contact.node, contact.address);
}

}  // namespace dunlin::sched::books

namespace dunlin::sched::replica {

using overlay::IsA;

void fields(auto& archive, IsA<ReplicaId> auto& replica) {
  archive(replica.value);
}
void fields(auto& archive, IsA<Member> auto& member) {
  archive(member.replica, member.node);
}
void fields(auto& archive, IsA<ChangeSet> auto& change) {
  archive(change.epoch, change.version, change.set);
}
void fields(auto& archive, IsA<HomeRecord> auto& office) {
  archive(office.epoch, office.version, office.set, office.intents);
}
void fields(auto& archive, IsA<Entry> auto& entry) {
  archive(entry.epoch, entry.version, entry.home, entry.set);
}

}  // namespace dunlin::sched::replica

namespace dunlin::node {
namespace {

constexpr std::uint16_t kLogBlobVersion = 1;

template <typename T>
std::string encode(const T& value) {
  std::string bytes;
  FieldWriter write(bytes);
  write(kLogBlobVersion, value);
  return bytes;
}

template <typename T>
Result<T> decode(std::string_view bytes, const char* what) {
  FieldReader read(bytes);
  std::uint16_t version = 0;
  T value;
  read(version, value);
  // All must be read: bytes that are left over are of a form that this version does not know.
  if (read.finished() && version == kLogBlobVersion) return value;
  return failure(ErrorKind::corrupt, std::string(what) + " of a log cannot be read");
}

}  // namespace

std::string encode_contacts(const std::vector<sched::books::Contact>& contacts) {
  return encode(contacts);
}
std::string encode_office(const sched::replica::HomeRecord& office) {
  return encode(office);
}
std::string encode_entry(const sched::replica::Entry& entry) {
  return encode(entry);
}

Result<std::vector<sched::books::Contact>> decode_contacts(std::string_view bytes) {
  return decode<std::vector<sched::books::Contact>>(bytes, "the contacts");
}
Result<sched::replica::HomeRecord> decode_office(std::string_view bytes) {
  return decode<sched::replica::HomeRecord>(bytes, "the office");
}
Result<sched::replica::Entry> decode_entry(std::string_view bytes) {
  return decode<sched::replica::Entry>(bytes, "the entry");
}

}  // namespace dunlin::node
