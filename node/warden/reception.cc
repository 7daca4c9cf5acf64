// SPDX-License-Identifier: MIT
#include "node/warden/reception.h"

#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

// The warden's door. A process that comes is a stranger until it has said the secret: it gets two
// seconds and one frame of bounded size, and few may wait at a time. So nobody can keep the agent
// out by knocking. A greeting of another version is read at its beginning alone, which stays the
// same for ever; what else it says is for the version that knows it.
namespace dunlin::node::warden {
namespace {

using namespace std::chrono_literals;

/// Guests that have not greeted yet. One more turns the oldest out.
constexpr std::size_t kGuestsMax = 4;
constexpr auto kGreetWithin = 2s;

}  // namespace

Reception::~Reception() {
  close();
}

void Reception::close() {
  door_.close();
  for (const Guest& guest : guests_) ::close(guest.socket);
  guests_.clear();
}

void Reception::watch(std::vector<pollfd>& polled) const {
  polled.push_back({.fd = door_.descriptor(), .events = POLLIN, .revents = 0});
  for (const Guest& guest : guests_) {
    polled.push_back({.fd = guest.socket, .events = POLLIN, .revents = 0});
  }
}

std::optional<Reception::Time> Reception::deadline() const {
  // The first came first.
  return guests_.empty() ? std::nullopt : std::optional(guests_.front().due);
}

std::optional<Reception::Greeted> Reception::receive(Time now, std::vector<std::string>& refused) {
  let_in(now, refused);
  for (auto guest = guests_.begin(); guest != guests_.end();) {
    const Progress progress = advance(*guest, now, refused);
    if (progress == Progress::waits) {
      ++guest;
      continue;
    }
    if (progress == Progress::gone) ::close(guest->socket);
    guest = guests_.erase(guest);
    if (progress == Progress::greeted) return std::move(greeted_);
  }
  return std::nullopt;
}

void Reception::let_in(Time now, std::vector<std::string>& refused) {
  std::string why;
  while (const auto come = door_.accept(why)) {
    guests_.push_back({.socket = *come, .due = now + kGreetWithin});
    if (guests_.size() <= kGuestsMax) continue;
    // The oldest, which had the most time: an agent that greets at once gets in whoever else
    // knocks.
    ::close(guests_.front().socket);
    guests_.erase(guests_.begin());
  }
  if (!why.empty()) refused.push_back(why);
}

Reception::Progress Reception::advance(Guest& guest, Time now, std::vector<std::string>& refused) {
  // No more is read of a stranger than a greeting may have.
  char block[kStrangerFrameMax];
  const ssize_t got = ::recv(guest.socket, block, sizeof block, 0);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return Progress::gone;
  if (got > 0) guest.frames.append({block, static_cast<std::size_t>(got)});
  const auto frame = guest.frames.next();
  if (!frame) {
    return guest.frames.broken() || now >= guest.due ? Progress::gone : Progress::waits;
  }
  Greeting greeting;
  FieldReader read(frame->body);
  read(greeting);
  const bool greets = frame->kind == Kind::hello && read.ok() && greeting.magic == kMagic;
  if (!greets || !door_.knows(greeting.secret)) {
    refused.push_back(
        greets ? "a process that does not know the secret" : "a process that did not greet");
    return Progress::gone;
  }
  std::optional<Hello> hello;
  // Of another version only the greeting is understood, whose form stays the same for ever.
  if (greeting.version == kVersion) hello = parse<Hello>(frame->body);
  greeted_ = {.socket = guest.socket,
      .greeting = std::move(greeting),
      .hello = std::move(hello),
      .frames = std::move(guest.frames)};
  return Progress::greeted;
}

}  // namespace dunlin::node::warden
