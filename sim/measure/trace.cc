// SPDX-License-Identifier: MIT
#include "sim/measure/trace.h"

#include "sim/measure/event_text.h"
#include "sim/measure/message_kind.h"

namespace dunlin::sim {

void Trace::begin(overlay::Time now, std::uint32_t peer) {
  line_.clear();
  append_text(now, line_);
  line_ += ' ';
  line_ += std::to_string(peer + 1);
}

void Trace::end() {
  line_ += '\n';
  out_ << line_;
}

void Trace::arrival(overlay::Time now, std::uint32_t from, std::uint32_t to, std::size_t kind) {
  begin(now, from);
  line_ += '>';
  line_ += std::to_string(to + 1);
  line_ += ' ';
  line_ += kMessageWords[kind];
  end();
}

void Trace::event(overlay::Time now, std::uint32_t peer, const overlay::Event& event) {
  begin(now, peer);
  line_ += ' ';
  append_text(event, line_);
  end();
}

void Trace::event(overlay::Time now, std::uint32_t peer, const sched::Event& event) {
  begin(now, peer);
  line_ += ' ';
  append_text(event, line_);
  end();
}

}  // namespace dunlin::sim
