// SPDX-License-Identifier: MIT
#include "tests/support/trace.h"

#include <array>
#include <charconv>
#include <type_traits>

#include "overlay/reflect.h"

namespace dunlin::test {
namespace {

struct FieldWriter {
  std::string& text;

  void operator()(std::string_view name, const auto& value) const {
    text += ' ';
    text += name;
    text += '=';
    put(value);
  }
  void put(std::string_view value) const { text += value; }
  void put(bool value) const { text += value ? "yes" : "no"; }
  void put(PeerId value) const { put(value.value); }
  void put(sched::CellId value) const { put(value.value); }
  void put(const sched::JobId& value) const {
    put(value.home);
    text += '/';
    put(value.number);
  }
  void put(overlay::Duration value) const { put(value.count()); }
  template <typename Number>
    requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>)
  void put(Number value) const {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text.append(digits.data(), end);
  }
};

std::string event_text(const auto& event) {
  return std::visit(
      [](const auto& kind) {
        std::string text(kind.kName);
        overlay::for_each_field(kind, FieldWriter{text});
        return text;
      },
      event);
}

constexpr std::string_view kOverlayKinds[] = {"shuffle_request", "shuffle_reply",
    "gradient_request", "gradient_reply", "join", "welcome", "join_walk", "join_offer", "ping",
    "pong", "leave"};
static_assert(std::size(kOverlayKinds) == std::variant_size_v<overlay::Message>);

constexpr std::string_view kSchedKinds[] = {"reserve", "queued", "bounced", "get_task", "tasks",
    "refused", "done", "done_ack", "renew", "renew_ack", "cancel", "kill", "facts_request", "facts",
    "drain_request", "drain_reply", "remaining", "inquiry", "testimony", "log_append",
    "log_appended", "log_behind", "find_home", "home_is", "list_jobs", "jobs_listed",
    "nodes_listed", "end_request", "job_end", "attach", "attached", "cell_view", "launch_tasks",
    "launch_reply", "roll_call", "member_row", "start_tasks", "park", "offer", "passed_launch",
    "tell_extent", "borrow", "lent", "repay", "ask_after"};
static_assert(std::size(kSchedKinds) == std::variant_size_v<sched::Message>);

constexpr std::string_view kCellKinds[] = {"request_vote", "request_vote_result", "append_entries",
    "append_entries_result", "install_snapshot", "timeout_now", "member_report", "lease", "enlist",
    "enlisted", "discharge", "set_classes", "order", "savings_offer", "verdict", "cell_gossip",
    "resign", "written_off", "excuse", "log_request", "log_answer", "claims", "allotments",
    "invite"};
static_assert(std::size(kCellKinds) == std::variant_size_v<sched::cell::Message>);

}  // namespace

std::string to_string(const overlay::Event& event) {
  return event_text(event);
}
std::string to_string(const sched::Event& event) {
  return event_text(event);
}

std::string_view kind_of(const AnyMessage& message) {
  if (const auto* gossip = std::get_if<overlay::Message>(&message)) {
    return kOverlayKinds[gossip->index()];
  }
  if (const auto* cell = std::get_if<sched::cell::Message>(&message)) {
    return kCellKinds[cell->index()];
  }
  return kSchedKinds[std::get<sched::Message>(message).index()];
}

std::string to_string(Time time) {
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t nanoseconds = time.time_since_epoch().count();
  const std::string fraction = std::to_string(nanoseconds % second);
  return std::to_string(nanoseconds / second) + "." + std::string(9 - fraction.size(), '0') +
      fraction;
}

void Trace::add(Time now, std::string_view line) {
  std::string text = to_string(now);
  text += ' ';
  text += line;
  for (const char c : text) {
    hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  ++size_;
  if (lines_max_ == 0) return;
  if (lines_.size() == lines_max_) lines_.pop_front();
  lines_.push_back(std::move(text));
}

std::string Trace::tail(std::size_t count) const {
  std::string text;
  const std::size_t skipped = lines_.size() - std::min(count, lines_.size());
  for (std::size_t i = skipped; i < lines_.size(); ++i) text += lines_[i] + "\n";
  return text;
}

}  // namespace dunlin::test
