// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <set>
#include "sched/cell/cell_node.h"
#include "sched/cell/raft_check.h"
using namespace dunlin;
using namespace dunlin::sched;
using namespace std::chrono_literals;
using overlay::Rng; using overlay::Endpoint;
struct NoStore : RaftStore {
  void put_state(const RaftState&) override {}
  void append(GroupId, std::span<const RaftEntry>) override {}
  void truncate(GroupId, RaftIndex) override {}
  void put_snapshot(GroupId, const RaftSnapshot&, RaftIndex) override {}
  void forget_group(GroupId) override {}
};
struct Fake : Workload {
  std::vector<cell::Use> take(Time, Tickets t) override {
    std::vector<cell::Use> u;
    for (unsigned j = 1; j <= 3; ++j) u.push_back({.service = j, .used = t / 3, .need = t});
    return u;
  }
};
struct Silent : sched::Observer { void on(const overlay::Event&) override {} void on(const sched::Event&) override {} };
struct Event_ { Time when; std::uint64_t n; std::uint32_t to, from; int kind; std::shared_ptr<const cell::Message> m;
  bool operator>(const Event_& o) const { return std::tie(when, n) > std::tie(o.when, o.n); } };
std::priority_queue<Event_, std::vector<Event_>, std::greater<>> queue;
std::uint64_t number = 0, sent_total = 0;
std::vector<std::uint64_t> sent_by, got_by;
Time now_{1h};
Rng rng{7};
Endpoint ep(std::uint32_t i) { return {.id = {i + 1}, .address = overlay::Address::v4(0x0a000001 + i, 7700)}; }
struct Out : overlay::Port<cell::Message> {
  std::uint32_t self = 0;
  void send(const Endpoint& to, const cell::Message& m) override {
    const auto i = static_cast<std::uint32_t>(to.address.low) - 0x0a000001;
    ++sent_total; ++sent_by[self]; ++got_by[i];
    queue.push({now_ + std::chrono::microseconds(300 + rng.below(400)), ++number, i, self, 1, std::make_shared<const cell::Message>(m)});
  }
};
std::uint32_t all = 0;
struct Any : Partners { std::optional<Endpoint> draw(Rng& r) override { return ep(r.below(all)); } };
int main(int argc, char** argv) {
  if (getenv("SEED")) rng = Rng(atoi(getenv("SEED"))); const std::uint32_t n = argc > 1 ? atoi(argv[1]) : 1000;
  const int secs = argc > 2 ? atoi(argv[2]) : 120;
  SharingParams params;
  params.cell.sharing = SharingMode::bank;
  if (argc > 3) params.cell.cell_size = atoi(argv[3]);
  if (argc > 4) params.cell.fan_out = atoi(argv[4]);
  sent_by.resize(n); got_by.resize(n);
  std::vector<std::unique_ptr<CellNode>> nodes; std::vector<Rng> rngs; std::vector<Time> due(n, overlay::kNever);
  for (std::uint32_t i = 0; i < n; ++i) { nodes.push_back(std::make_unique<CellNode>(params, ep(i), 4000, now_)); rngs.push_back(rng.fork()); }
  NoStore store; Fake load; Out out; Any any; Silent silent; all = n; std::vector<bool> awake(n);
  auto turn = [&](std::uint32_t i, auto&& call) {
    out.self = i;
    awake[i] = true; const CellTurn t{{now_, rngs[i], out, store}, load, any, silent};
    call(t, *nodes[i]);
    const Time d = std::max(nodes[i]->deadline(), now_);
    if (d < due[i]) { due[i] = d; queue.push({d, ++number, i, 0, 0, {}}); }
  };
  cell::Classes classes; classes.version = 1;
  for (unsigned j = 1; j <= 3; ++j) classes.classes.push_back({.service = j, .name = "c" + std::to_string(j), .share = 6 - j});
  turn(0, [&](auto& t, auto& s) { (void)s.set_classes(t, classes); });
  Time report = now_; const Time begin = now_; std::uint64_t last = 0;
  const auto wall = std::chrono::steady_clock::now();
  while (!queue.empty()) {
    Event_ e = queue.top(); queue.pop();
    while (report <= e.when) {
      now_ = report;
      std::map<int, std::map<CellId, std::pair<std::size_t, CellId>>> cells; // level -> id -> size,parent
      std::size_t members = 0, states[4] = {}, seats = 0, granted = 0, versions = 0;
      for (auto& p : nodes) {
        ++states[(int)p->member().state()]; seats += p->seats().size(); granted += p->granted(now_); versions += p->classes().version > 0;
        members += p->member().is_member();
        for (auto& s : p->seats()) if (s->manager && !s->books().directory().closed) {
          auto& c = cells[level_of(s->group.group())][s->group.group()];
          c = {s->books().ledger().state().nodes.size(), s->books().directory().parent};
          if (s->books().directory().dissolving) c.first += 1000;
        }
      }
      std::size_t roots = 0;
      printf("%4ld s%5.0f seek %zu join %zu mem %zu leave %zu grant %zu cls %zu seats %zu msg/s %.0f |", (long)((report - begin) / 1s),
        std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count(), states[0], states[1], states[2], states[3], granted, versions, seats, double(sent_total - last)/5);
      last = sent_total;
      for (auto& [l, m] : cells) {
        std::size_t free = 0, dis = 0, sum = 0, big=0; 
        for (auto& [id, c] : m) { if (c.first >= 1000) ++dis; else if (c.second == 0) ++free; sum += c.first % 1000; big = std::max(big, c.first % 1000);}
        roots += free;
        printf(" L%d: %zu cells (%zu members, max %zu, %zu dissolving, %zu orphans)", l, m.size(), sum, big, dis, free);
      }
      auto mx = std::max_element(got_by.begin(), got_by.end()) - got_by.begin();
      printf(" roots %zu busiest %.0f/s\n", roots, (double)(got_by[mx] + sent_by[mx]) / 5); fflush(stdout);
      if (getenv("SHOW")) { int shown = 0;
      for (auto& p : nodes) for (auto& s : p->seats()) if (s->manager && s->books().directory().dissolving && !s->books().directory().closed && shown++ < 4) {
        auto& st = s->books().ledger().state();
        printf("   cell %lx: nodes %zu", s->group.group(), st.nodes.size());
        for (auto& nn : st.nodes) printf(" [%lu t %ld leaving %d]", nn.node.value, nn.tickets, nn.leaving);
        printf(" accounts %zu (%ld), partners", st.accounts.size(), st.accounts.empty() ? 0 : s->books().ledger().balance(st.accounts[0].service));
        for (auto& pa : st.partners) printf(" %lx out %zu in %zu;", pa.cell, pa.outgoing.size(), pa.incoming.size());
        printf(" into %lx\n", s->books().directory().into);
      } }
      std::fill(got_by.begin(), got_by.end(), 0); std::fill(sent_by.begin(), sent_by.end(), 0);
      report += 5s;
    }
    if (e.when > begin + std::chrono::seconds(secs)) break;
    now_ = e.when;
    if (e.kind == 0) {
      if (due[e.to] != e.when) continue;
      due[e.to] = overlay::kNever;
      turn(e.to, [&](auto& t, auto& s) { if (s.deadline() <= now_) s.wake(t); });
    } else if (e.kind == 1) {
      auto* g = std::get_if<cell::Gossip>(&*e.m);
      if (awake[e.to] || (g && g->version > 0)) turn(e.to, [&](auto& t, auto& s) { s.receive(t, ep(e.from), *e.m); });
    }
  }
}
