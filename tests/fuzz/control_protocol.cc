// SPDX-License-Identifier: MIT
// What clients, and other agents, say to the handlers of a live agent: each line of an input is one
// message. Lines that begin with '<' are the answers of another agent.
#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "node/control/control_session.h"
#include "node/read_json.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/heap_peak.h"
#include "tests/unit/node/control/extremes.h"
#include "tests/unit/node/control/fake_agent.h"

namespace dunlin::fuzz {
namespace {

using node::Json;

/// No message may take longer; libFuzzer itself bounds the whole input. The sanitizers make all of
/// it some ten times slower than it is.
constexpr std::chrono::seconds kMessageMax{5};
/// Nor more memory, not even for a moment. An input has a few thousand bytes.
constexpr std::size_t kHeapMax = 64u << 20;
/// A quarter of what an agent has; and the sanitizers make frames several times as large.
constexpr std::size_t kStackMax = 2u << 20;
constexpr std::size_t kLinesMax = 64;

/// A connection that nobody reads.
class Line final : public node::ControlConnection {
 public:
  overlay::PeerId peer() const override { return {}; }
  bool send(std::string_view message) override {
    ensure(!read_json<Json>(message).is_discarded(), "a reply that clients cannot read");
    return true;
  }
  std::size_t queued() const override { return 0; }
  void pause(bool) override {}
  void close() override {}
  void on_message(std::function<void(std::string_view)> handler) override {
    say = std::move(handler);
  }
  void on_close(std::function<void()>) override {}
  void on_drained(std::function<void()>) override {}

  std::function<void(std::string_view)> say;
};

void run_control_protocol(const std::uint8_t* data, std::size_t size) {
  node::FakeAgent agent;
  agent.hear_of(2, 4000);
  agent.hear_facts(2, "osprey", 4000);
  auto other = std::make_shared<Line>();
  agent.dial = [&](const overlay::Endpoint&) { return other; };
  agent.accounts.on_fault([](const node::Account&, std::string_view, std::string_view) {
    ensure(false, "an exception that leaves a handler");
  });
  std::uint64_t requests = 0;
  const auto client = std::make_shared<Line>();
  node::ControlSession session(agent, client, {.user = "alice"}, requests);
  std::string_view rest = text_of(data, size);
  for (std::size_t i = 0; i < kLinesMax && !rest.empty(); ++i) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto begun = std::chrono::steady_clock::now();
    const HeapPeak heap;
    const bool answer = line.starts_with('<');
    const auto& listener = answer ? other->say : client->say;
    if (listener) listener(line.substr(answer ? 1 : 0));
    session.advance();
    ensure(std::chrono::steady_clock::now() - begun < kMessageMax, "a message that takes long");
    ensure(heap.bytes() < kHeapMax, "a message that takes much memory");
    agent.time += std::chrono::milliseconds(50);
    agent.deliver();
  }
}

/// Where the members of a message are, and of all that is in it.
void gather(const Json& value, const Json::json_pointer& at, std::vector<Json::json_pointer>& all) {
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      all.push_back(at / name);
      gather(member, at / name, all);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) gather(value[i], at / i, all);
  }
}

/// Replaces one member of the first message, however deep, by an extreme, as chance alone hardly
/// would; the next messages are what it meets.
std::size_t mutate_control(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  const std::string_view whole = text_of(data, size);
  const std::size_t end = std::min(whole.find('\n'), size);
  Json message = read_json<Json>(whole.substr(0, end));
  if (seed % 4 == 0 || !message.is_object() || message.empty()) {
    return LLVMFuzzerMutate(data, size, size_max);
  }
  const auto& values = node::extreme_values();
  std::vector<Json::json_pointer> members;
  gather(message, Json::json_pointer(), members);
  const Json::json_pointer& at = members[seed / 4 % members.size()];
  if (at.to_string() == "/verb") {
    const auto verbs = node::control_verbs();
    message[at] = verbs[seed / 64 % verbs.size()];
  } else {
    message[at] = values[seed / 64 % values.size()];
  }
  const std::string changed = node::compact(message) + std::string(whole.substr(end));
  if (changed.size() > size_max) return LLVMFuzzerMutate(data, size, size_max);
  std::ranges::copy(changed, data);
  return changed.size();
}

const Registered kControlProtocol({.name = "control_protocol",
    .run = run_control_protocol,
    .mutate = mutate_control,
    .stack = kStackMax});

}  // namespace
}  // namespace dunlin::fuzz
