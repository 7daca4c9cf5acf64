// SPDX-License-Identifier: MIT
#include "sched/worker/frontends/frontend_words.h"

#include "sched/worker/follow_up.h"

namespace dunlin::sched {

bool FrontendWords::hear(Time now, PeerId node, const JobId& job) {
  if (!ties_.may_speak(node, job)) return false;
  ties_.heard(now, node);
  return true;
}

void FrontendWords::on_message(Turn& turn, const Endpoint& from, const DoneAck& ack) {
  // The outbox knows the standbys of its reports, one of which may have taken over.
  (void)hear(turn.now, from.id, ack.job);
  running_.outbox().acknowledge(turn, from.id, ack.job, ack.tasks);
  follow_up_.schedule(turn.now);
}

void FrontendWords::on_message(Turn& turn, const Endpoint& from, const Remaining& remaining) {
  if (!hear(turn.now, from.id, remaining.job)) return;
  // What seems shorter than before may have a place now, in the express share for one. What is
  // urgent may stop others.
  if (reservations_.learn(turn, remaining)) follow_up_.dispatch(turn);
  follow_up_.schedule(turn.now);
}

void FrontendWords::on_message(Turn& turn, const Endpoint& from, const TellExtent& told) {
  if (!hear(turn.now, from.id, told.job)) return;
  reservations_.learn(told);
  follow_up_.schedule(turn.now);
}

void FrontendWords::on_message(Turn& turn, const Endpoint& from, const Cancel& cancel) {
  if (!hear(turn.now, from.id, cancel.job)) return;
  reservations_.cancel(turn.now, cancel);
  follow_up_.dispatch(turn);  // Room may have been kept for it.
  follow_up_.schedule(turn.now);
}

void FrontendWords::on_message(Turn& turn, const Endpoint& from, const Kill& kill) {
  if (!hear(turn.now, from.id, kill.job)) return;
  running_.kill(turn, from, kill);
  follow_up_.dispatch(turn);  // One may have waited for room that others can use.
  follow_up_.schedule(turn.now);
}

void FrontendWords::on_message(Turn& turn, const Endpoint& from, const AskAfter& asked) {
  if (!hear(turn.now, from.id, asked.job)) return;
  ties_.answer(turn, from, asked, parts_.slots.load(parts_.queue.size()));
  follow_up_.schedule(turn.now);
}

void FrontendWords::on_message(Turn& turn, const Endpoint& from, const RenewAck& ack) {
  if (!hear(turn.now, from.id, ack.job)) return;
  if (!ack.has_priority || !set_priority(running_.tracked(), ack.job, ack.priority)) return;
  follow_up_.dispatch(turn);
  follow_up_.schedule(turn.now);
}

void FrontendWords::on_message(Turn& turn, const Endpoint&, const HomeIs& told) {
  if (ties_.hear(turn.now, told)) follow_up_.schedule(turn.now);
}

}  // namespace dunlin::sched
