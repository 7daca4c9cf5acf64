// SPDX-License-Identifier: MIT
#pragma once

#include <capnp/message.h>
#include <capnp/serialize-packed.h>
#include <cstdint>
#include <functional>
#include <kj/io.h>
#include <string>

#include "tests/newer/newer.capnp.h"

// What a later build says, in bytes.
namespace dunlin::newer {

inline std::string packed(const std::function<void(Message::Builder)>& fill) {
  capnp::MallocMessageBuilder builder;
  fill(builder.initRoot<Message>());
  kj::VectorOutputStream stream;
  capnp::writePackedMessage(stream, builder);
  const auto bytes = stream.getArray();
  return {reinterpret_cast<const char*>(bytes.begin()), bytes.size()};
}

/// A question that this build knows, with fields that it does not.
inline std::string facts_request(std::uint64_t request) {
  return packed([&](Message::Builder message) {
    auto asked = message.initFactsRequest();
    asked.setRequest(request);
    asked.setSince(77);
    asked.initDepth(2).set(0, "deep");
  });
}

/// With a word of an enumeration that this build knows, or with one that it does not.
inline std::string bounced(BounceReason reason) {
  return packed([&](Message::Builder message) {
    auto said = message.initBounced();
    said.initJob().setNumber(7);
    said.getJob().setRealm("north");
    said.initLoad().setEnergy(5);
    said.setReason(reason);
  });
}

/// A report with what its task used, and fields in both that this build does not know.
inline std::string done() {
  return packed([](Message::Builder message) {
    auto report = message.initDone().initReports(1)[0];
    report.setIndex(3);
    report.setMood("content");
    auto use = report.initUse();
    use.setDiskWritten(4096);
    use.setHasDisk(true);
    use.setEnergy(5);
    use.initHosts(1).set(0, "far");
  });
}

/// A kind of message that this build does not know.
inline std::string novelty() {
  return packed([](Message::Builder message) { message.initNovelty().setText("hello"); });
}

}  // namespace dunlin::newer
