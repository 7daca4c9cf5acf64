// SPDX-License-Identifier: MIT
// The cost of federated placement, see tools/bench: a match by vectors of bits against a look at
// row after row in the same run, and what a master's turn takes, which scenarios set as
// [processing].
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sched/codec.h"
#include "sched/constraints.h"
#include "sched/federation/global_view.h"
#include "sched/federation/local/local_master.h"
#include "sched/federation/partition.h"
#include "sched/resources.h"

namespace dunlin::sched::federation {
namespace {

using nlohmann::json;
using Steady = std::chrono::steady_clock;

// As many kinds of nodes as Megha's set-up has, and its number of attributes.
constexpr int kProfiles = 60;
constexpr int kAttributes = 21;
// The id of the global master: above those of all members.
constexpr std::uint64_t kMaster = 1'000'000;
// More CPU than a busy node has free: see Rows.
constexpr Resources kDemand{.cpu = 1000, .memory = 1024};

/// The nanoseconds that a call takes: the median of five spells of a fifth of a second.
/// The median, since a spell in which the machine did something else would spoil a mean.
double time_of(const std::function<void()>& call) {
  std::vector<double> spells;
  for (int spell = 0; spell < 5; ++spell) {
    std::uint64_t calls = 0;
    const auto begun = Steady::now();
    auto now = begun;
    // Twice as many calls between two looks at the clock each time: a look costs as much as a short
    // call.
    for (std::uint64_t some = 1; now - begun < std::chrono::milliseconds(200); some *= 2) {
      for (std::uint64_t i = 0; i < some; ++i) call();
      calls += some;
      now = Steady::now();
    }
    spells.push_back(
        std::chrono::duration<double, std::nano>(now - begun).count() / static_cast<double>(calls));
  }
  std::ranges::sort(spells);
  return spells[spells.size() / 2];
}

/// Each profile is a kind of node with 21 attributes, as in Megha's set-up.
NodeKind kind_of(int profile) {
  NodeKind kind{.total = {.cpu = 64'000, .memory = 16'384}};
  kind.attributes = {{"rack", std::to_string(profile % 5)},
      {"kernel", "6." + std::to_string(profile % 4)}, {"zone", std::to_string(profile % 3)}};
  for (int i = 3; i < kAttributes; ++i) {
    kind.attributes.push_back({"feature" + std::to_string(i), std::to_string(profile % i)});
  }
  return kind;
}

std::vector<Constraint> constraints_of(std::initializer_list<const char*> texts) {
  std::vector<Constraint> constraints;
  for (const char* text : texts) constraints.push_back(parse_constraint(text).value());
  return constraints;
}

/// A partition of so many nodes. Where they are busy none has room for the demand.
struct Rows {
  Expressions expressions;
  Partition partition;

  Rows(std::size_t count, bool busy) {
    std::vector<KindNumber> kinds;
    for (int profile = 0; profile < kProfiles; ++profile) {
      kinds.push_back(expressions.kinds().number_of(kind_of(profile)));
    }
    // The same draws in each run: figures of two builds are of the same rows.
    Rng rng(1);
    for (std::size_t i = 0; i < count; ++i) {
      partition.put({.node = PeerId{i + 1},
                        .version = 1,
                        .kind = kinds[rng.index(kinds.size())],
                        .free = {.cpu = busy ? 500u : 64'000u, .memory = 16'384}},
          expressions);
    }
  }
  Search match(std::span<const Constraint> constraints, Rng& rng) {
    Wish wish{.demand = kDemand};
    for (const Constraint& each : constraints) wish.constraints.push_back(expressions.handle(each));
    Search search;
    (void)partition.match(wish, Pick::random, expressions, rng, search);
    return search;
  }
  /// The same row after row, from one drawn by chance on. Returns the rows that it looked at.
  std::size_t scan(std::span<const Constraint> constraints, Rng& rng) const {
    const std::vector<Row>& rows = partition.rows();
    const std::size_t first = rng.index(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row& row = rows[(first + i) % rows.size()];
      const NodeKind& kind = expressions.kinds().at(row.kind);
      if (satisfies_all(kind.attributes, constraints) && fits(kDemand, row.free)) return i + 1;
    }
    return rows.size();
  }
};

/// Both sides are measured on one machine, one after the other: `ratio` then means the same on any.
json measure_match(std::size_t count, bool busy) {
  Rows rows(count, busy);
  Rng rng(2);
  const auto constraints = constraints_of({"rack=4", "kernel>=6.3", "zone!=1"});
  const double vectors = time_of([&] { (void)rows.match(constraints, rng); });
  std::size_t looked = 0;
  const double scan = time_of([&] { looked += rows.scan(constraints, rng); });
  // Also keeps the compiler from leaving the loop out, as nothing else uses its result.
  if (looked == 0) throw std::logic_error("no row was looked at");
  return {{"rows", count}, {"room", !busy}, {"vectors_ns", vectors}, {"rows_ns", scan},
      {"ratio", scan / vectors}};
}

/// A word of the vectors: no node satisfies both constraints, so no row is looked at.
double word_time() {
  Rows rows(50'000, false);
  Rng rng(3);
  // No kind is in two racks.
  const auto constraints = constraints_of({"rack=4", "rack=3"});
  const Search search = rows.match(constraints, rng);
  if (search.rows != 0 || search.words == 0) throw std::logic_error("rows were looked at");
  return time_of([&] { (void)rows.match(constraints, rng); }) / static_cast<double>(search.words);
}

/// Encodes what is sent, as a driver does.
class Encoder final : public overlay::Port<Message> {
 public:
  void send(const Endpoint&, const Message& message) override {
    last.clear();
    encode(message, last);
  }
  std::string last;
};

Message decoded(const std::string& bytes) {
  auto message = decode(std::as_bytes(std::span(bytes)));
  if (!message) throw std::logic_error("a message of ours is malformed");
  return *std::move(message);
}

Endpoint at(std::uint64_t node) {
  return {PeerId{node}, Address::v4(0x0a000000u + static_cast<std::uint32_t>(node), 7700)};
}

/// A local master of so many members, and a global one which is attached there.
struct Masters {
  FederationParams params;
  Rng rng{4};
  Encoder out;
  LocalMaster local{params, CellId{1}, 1};
  std::uint64_t number = 0;
  std::uint32_t rows = 1;

  explicit Masters(std::uint64_t count) {
    std::vector<Endpoint> members;
    for (std::uint64_t i = 1; i <= count; ++i) members.push_back(at(i));
    local.set_members(members);
    for (std::uint64_t i = 1; i <= count; ++i) local.receive(turn(), at(i), row(i, {}));
    const Attach attach{.request = 1, .incarnation = 1};
    local.receive(turn(), at(kMaster), attach, nullptr);
  }
  // Time does not pass here: a turn costs the same whenever it is.
  MastersTurn turn() { return {Time{}, rng, out}; }
  MemberRow row(std::uint64_t member, std::vector<StartAnswer> answers) {
    return {.cell = {1},
        .epoch = 1,
        .version = std::uint64_t{1} << 32 | ++rows,
        .incarnation = 1,
        .free = {.cpu = 64'000, .memory = 16'384},
        .kind = {kind_of(static_cast<int>(member) % kProfiles)},
        .answers = std::move(answers)};
  }
  /// One launch of a task: the turn of the local master for the launch, and the one for the answer
  /// of the member. All but the newest launch are settled.
  void launch() {
    LaunchTasks launch{
        .known = {.cell = {1}, .epoch = 1, .version = local.members().version(), .floor = number},
        .incarnation = 1};
    launch.reserve.job = launch.tasks.job = {.home = {kMaster}, .number = 1};
    launch.reserve.demand = kDemand;
    launch.tasks.tasks = {{static_cast<std::uint32_t>(++number), 1, {}}};
    launch.targets = {{number, PeerId{1 + number % local.members().size()}}};
    out.send({}, launch);
    const Message launched = decoded(out.last);
    local.receive(turn(), at(kMaster), std::get<LaunchTasks>(launched));
    MemberRow answer = row(1 + number % local.members().size(), {{number, true}});
    answer.kind.clear();
    out.send({}, answer);
    const Message row = decoded(out.last);
    local.receive(turn(), launched_at(), std::get<MemberRow>(row));
  }
  Endpoint launched_at() const { return at(1 + number % local.members().size()); }
};

/// Half of what the two turns of a launch take, with the messages that come and go.
double message_time() {
  Masters masters(100);
  return time_of([&] { masters.launch(); }) / 2;
}

/// A row of a view: told, encoded, decoded and taken in by a global master; half at each end.
double row_time() {
  Masters masters(CellView::kRowsMax);
  const double whole = time_of([&] {
    CellView view = masters.local.members().since(0);
    view.cell = {1};
    view.epoch = 1;
    view.last = true;
    masters.out.send({}, view);
    GlobalView hearer(PeerId{kMaster});
    hearer.learn(std::get<CellView>(decoded(masters.out.last)), Time{});
    if (hearer.size() != CellView::kRowsMax) throw std::logic_error("a view is not whole");
  });
  return whole / 2 / CellView::kRowsMax;
}

void measure(const std::string& file) {
  json figures;
  std::printf("a match, 3 constraints    vectors     row by row   times as fast\n");
  for (const std::size_t count : {1'000u, 50'000u}) {
    for (const bool busy : {true, false}) {
      json match = measure_match(count, busy);
      std::printf("%6zu rows, %-12s %8.2f us %10.2f us %8.0f\n", count,
          busy ? "no room" : "all have room", match["vectors_ns"].get<double>() / 1e3,
          match["rows_ns"].get<double>() / 1e3, match["ratio"].get<double>());
      std::fflush(stdout);
      figures["match"].push_back(std::move(match));
    }
  }
  // These three are what scenarios set as [processing].
  const double message = message_time();
  const double row = row_time();
  const double word = word_time();
  std::printf("a turn of a local master  %.2f us a message, %.0f ns a row, %.2f ns a word\n",
      message / 1e3, row, word);
  figures["processing"] = {{"message_ns", message}, {"row_ns", row}, {"word_ns", word}};
  if (file.empty()) return;
  std::ofstream out(file);
  out << figures.dump(2) << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

}  // namespace
}  // namespace dunlin::sched::federation

int main(int argc, char** argv) {
  const bool to_file = argc == 3 && std::string(argv[1]) == "--json";
  if (argc != 1 && !to_file) {
    std::fprintf(stderr, "usage: dunlin-federation-bench [--json FILE]\n");
    return 2;
  }
  try {
    dunlin::sched::federation::measure(to_file ? argv[2] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dunlin-federation-bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
