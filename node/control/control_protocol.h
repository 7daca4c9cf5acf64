// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "sched/message.h"

// The control protocol: what a client (the command line) and an agent tell each other. Its page is
// docs/design/control-protocol.md: every request and answer with types, defaults and errors. Tests
// hold the page against the code and against real answers, so a change here changes it too.
namespace dunlin::node {

/// The versions of the protocol that this agent speaks, see the verb `hello`. A version is for a
/// change that a client must know of before it asks for anything; new verbs and members need none.
/// A client that says no `hello` speaks the oldest.
inline constexpr std::uint32_t kProtocolOldest = 1;
inline constexpr std::uint32_t kProtocolNewest = 2;
/// From here on errors are also `forbidden`, `busy`, `quota` and `conflict`, which were `refused`.
inline constexpr std::uint32_t kProtocolKinds = 2;

/// Bounds on what one client may make an agent do.
inline constexpr std::size_t kControlStreamsMax = 256;  ///< Requests under way on one connection.
inline constexpr std::size_t kSubscribedMax = 100'000;  ///< Jobs of one subscription.
inline constexpr std::uint32_t kSubmitTasksMax =
    1'000'000;  ///< Tasks of one job: fewer than a job may hold.
inline constexpr std::size_t kLinesMax = std::size_t{256} << 20;  ///< Bytes of one job's lines.
inline constexpr std::size_t kLineMax = sched::Assignment::kEntryMax;
inline constexpr std::uint32_t kPageMax = 1000;  ///< Tasks listed in one reply.
inline constexpr std::chrono::milliseconds kNodesWait{300};
/// The group of which the members may use the socket of the system's agent.
inline constexpr const char* kSocketGroup = "dunlin";
inline constexpr std::chrono::milliseconds kProgressPeriod{200};

}  // namespace dunlin::node
