// SPDX-License-Identifier: MIT
#include "sched/inputs/input_bytes.h"

#include <cstdint>

// Numbers are little-endian. Sizes stand before what is counted by them.
namespace dunlin::sched {
namespace {

template <typename T>
void put_number(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
}

class InputReader {
 public:
  explicit InputReader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T number() {
    if (!enough(sizeof(T))) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    }
    rest_.remove_prefix(sizeof(T));
    return static_cast<T>(value);
  }
  std::string text() {
    const auto size = number<std::uint8_t>();
    if (!enough(size)) return {};
    const std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  /// The number of things that follow, of at least `bytes` each.
  std::size_t count(std::size_t bytes) {
    const std::size_t count = number<std::uint32_t>();
    return enough(count * bytes) ? count : 0;
  }
  bool finished() const { return ok_ && rest_.empty(); }

 private:
  bool enough(std::size_t bytes) {
    ok_ = ok_ && rest_.size() >= bytes;
    return ok_;
  }

  std::string_view rest_;
  bool ok_ = true;
};

constexpr std::size_t kNodeBytesMin = 27;
constexpr std::size_t kSetBytes = sizeof(GroupInputs::Set);
constexpr std::size_t kTaskBytes = 8;

}  // namespace

std::string input_bytes(const GroupInputs& inputs) {
  std::string bytes;
  if (inputs.empty()) return bytes;
  put_number(bytes, inputs.disk_read);
  put_number(bytes, inputs.net_in);
  put_number(bytes, static_cast<std::uint32_t>(inputs.nodes.size()));
  for (const InputNode& node : inputs.nodes) {
    put_number(bytes, static_cast<std::uint8_t>(node.name.size()));
    bytes += node.name;
    put_number(bytes, node.id.value);
    put_number(bytes, node.address.high);
    put_number(bytes, node.address.low);
    put_number(bytes, node.address.port);
  }
  put_number(bytes, static_cast<std::uint32_t>(inputs.sets.size()));
  for (const GroupInputs::Set& set : inputs.sets) {
    for (const std::uint16_t node : set) put_number(bytes, node);
  }
  put_number(bytes, static_cast<std::uint32_t>(inputs.tasks.size()));
  for (const PlacedInput& task : inputs.tasks) {
    put_number(bytes, task.size);
    put_number(bytes, task.set);
  }
  return bytes;
}

std::optional<GroupInputs> inputs_of_bytes(std::string_view bytes) {
  GroupInputs inputs;
  if (bytes.empty()) return inputs;
  InputReader read(bytes);
  inputs.disk_read = read.number<std::uint32_t>();
  inputs.net_in = read.number<std::uint32_t>();
  inputs.nodes.resize(read.count(kNodeBytesMin));
  for (InputNode& node : inputs.nodes) {
    node.name = read.text();
    node.id = PeerId{read.number<std::uint64_t>()};
    node.address.high = read.number<std::uint64_t>();
    node.address.low = read.number<std::uint64_t>();
    node.address.port = read.number<std::uint16_t>();
  }
  inputs.sets.resize(read.count(kSetBytes));
  for (GroupInputs::Set& set : inputs.sets) {
    for (std::uint16_t& node : set) node = read.number<std::uint16_t>();
  }
  inputs.tasks.resize(read.count(kTaskBytes));
  for (PlacedInput& task : inputs.tasks) {
    task.size = read.number<std::uint32_t>();
    task.set = read.number<std::uint32_t>();
  }
  if (!read.finished() || inputs.empty()) return std::nullopt;
  return inputs;
}

}  // namespace dunlin::sched
