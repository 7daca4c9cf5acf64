// SPDX-License-Identifier: MIT
// What comes through a warden's socket, from strangers to the warden and from a warden of another
// build to the agent; and the cards that the two hand on.
#include <algorithm>

#include "node/task/task_card.h"
#include "node/warden/frames.h"
#include "node/warden/protocol.h"
#include "tests/fuzz/fuzz.h"

namespace dunlin::fuzz {
namespace {

using node::warden::Kind;

/// What is read, written again, must be as long as it was.
template <typename Message>
void check(std::string_view body) {
  const auto message = node::warden::parse<Message>(body);
  if (!message) return;
  std::string again;
  node::warden::append_frame(again, *message);
  ensure(again.size() == body.size() + 5, "a frame of another size");
}

void run_frames(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const bool stranger = data[0] % 2 == 0;
  node::warden::FrameReader frames(
      stranger ? node::warden::kStrangerFrameMax : node::warden::kFrameMax);
  auto text = text_of(data + 1, size - 1);
  (void)node::read_card(text);
  // In two pieces, as a socket may give them.
  const std::size_t first = std::min<std::size_t>(data[0], text.size());
  for (const auto piece : {text.substr(0, first), text.substr(first)}) {
    frames.append(piece);
    while (const auto frame = frames.next()) {
      ensure(!frames.broken(), "a frame of what is broken");
      node::warden::Greeting greeting;
      node::FieldReader read(frame->body);
      read(greeting);
      check<node::warden::Hello>(frame->body);
      check<node::warden::Welcome>(frame->body);
      check<node::warden::Start>(frame->body);
      check<node::warden::Kill>(frame->body);
      check<node::warden::Kept>(frame->body);
      check<node::warden::Exited>(frame->body);
    }
  }
}

const Registered kWardenFrames({.name = "warden_frames", .run = run_frames});

}  // namespace
}  // namespace dunlin::fuzz
