// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/world.h"

namespace dunlin::test {

/// A scripted world. One command a line; what happens meanwhile is the output, a line each, with
/// the time since the script began. Latency is 1 ms, nothing is drawn but by the seed 1.
///
///   set KEY=VALUE               a parameter, before the first node
///   watch KIND...               messages to show, of every kind that is named; none at first
///   events on|off               whether scheduling events are shown; on at first
///   nodes N [cpu=2] [memory=4096] [gpu=1] [KEY=VALUE attribute...]
///   submit NODE [tasks=1] [lasting=1s] [cpu=1] [memory=100] [gpu=1] [priority=50] [retries=0]
///   [at_once=0]
///          [limit=2s] [status=1 failing=1] [constraint=KEY=VALUE] [whatever=yes]
///   hold JOB   release JOB      retry JOB TASK...   cancel JOB [TASK...]
///   terms JOB [priority=50] [deadline=1m]      sets them; the deadline counts from the submit
///   drain NODE   undrain NODE   crash NODE   restart NODE   leave NODE
///   crash_agent NODE            its process dies, and its tasks run on; pause NODE says so before
///   erase NODE                  its disk, while it is down
///   break NODE   mend NODE      no task can start there any more; or again
///   lose_tasks NODE             what watches over its tasks dies, and they with it
///   lose KIND N [from=NODE] [to=NODE]      the next N such messages; likewise: double
///   cut NODE NODE               loses what the first sends to the second; heal mends all
///   run DURATION
///   jobs                        shows where each task of each job stands, and its durable result
///   workers                     shows what each worker runs, holds and keeps waiting
class Interpreter {
 public:
  /// Runs one command; returns its output, "" or whole lines. Unknown words are shown as errors.
  std::string run(std::string_view line);

 private:
  using Words = std::vector<std::string>;
  using Options = std::map<std::string, std::string>;
  struct Tampering {
    std::string kind;
    unsigned count = 0;
    unsigned times = 0;  ///< The copies of the message that leave.
    std::size_t from = 0;
    std::size_t to = 0;  ///< 0 is anybody.
  };

  World& world();
  void dispatch(const Words& words);
  void set(const std::string& assignment);
  void add_nodes(const Words& words);
  void submit(const Words& words);
  void cancel_or_retry(const Words& words);
  void change(const Words& words);
  JobId named(const std::string& word);
  void tamper(const Words& words);
  void show_jobs();
  void show_workers();
  unsigned on_message(std::size_t from, std::size_t to, const AnyMessage& message);
  void show(const std::string& line);
  void show_now(const std::string& line);

  WorldOptions options_;
  std::unique_ptr<World> world_;
  std::set<std::string> watched_;
  bool events_ = true;
  std::vector<Tampering> tamperings_;
  std::string output_;
};

}  // namespace dunlin::test
