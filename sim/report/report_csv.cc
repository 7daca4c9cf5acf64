// SPDX-License-Identifier: MIT
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "sim/measure/units.h"
#include "sim/report/report.h"
#include "sim/report/write_file.h"

namespace dunlin::sim {

Result<void> write_csv(const Simulation& run, const std::string& directory) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  if (code) return failure_of(code.value(), directory);

  std::ostringstream jobs;
  jobs << "frontend,number,submitted_ms,tasks,longest_ms,mean_queueing_delay_ms,response_ms,"
          "priority,deadline_ms\n";
  run.recorder().for_each_job([&](const JobRecord& job) {
    jobs << job.id.home.value << ',' << job.id.number << ','
         << in_ms(job.submitted.time_since_epoch()) << ',' << job.tasks << ','
         << in_ms(job.facts.longest) << ',';
    // Of what there is none the field is empty: a 0 would count as a figure.
    if (job.started > 0) jobs << in_ms(job.waited / job.started);
    jobs << ',';
    if (job.finished) jobs << in_ms(*job.finished - job.submitted);
    jobs << ',' << job.facts.priority << ',';
    if (job.facts.deadline) jobs << in_ms(*job.facts.deadline);
    jobs << '\n';
  });

  std::ostringstream messages;
  messages << "kind,messages,bytes\n";
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) {
    const auto& tally = run.cluster().traffic()[kind];
    if (tally.messages == 0) continue;
    messages << kMessageWords[kind] << ',' << tally.messages << ',' << tally.bytes() << '\n';
  }

  std::ostringstream delays;
  delays << "queueing_delay_ms,share\n";
  for (const auto& point : run.recorder().all().queueing_delay.distribution()) {
    delays << in_ms(point.value) << ',' << point.share << '\n';
  }

  std::ostringstream health;
  health << "at_ms";
  for (const HealthMeasure& measure : health_measures()) health << ',' << measure.name;
  for (const Health& each : run.health()) {
    health << '\n' << in_ms(each.at.time_since_epoch());
    for (const HealthMeasure& measure : health_measures()) health << ',' << measure.of(each);
  }
  health << '\n';

  std::ostringstream slots;
  slots << "at_ms,frontend,number,slots,running\n";
  for (const PlanMeter::Change& each : run.recorder().plans().changes()) {
    slots << in_ms(each.at.time_since_epoch()) << ',' << each.job.home.value << ','
          << each.job.number << ',' << each.slots << ',' << each.running << '\n';
  }

  const std::pair<const char*, std::string> files[] = {{"/jobs.csv", jobs.str()},
      {"/messages.csv", messages.str()}, {"/queueing_delay.csv", delays.str()},
      {"/health.csv", health.str()}, {"/job_slots.csv", slots.str()}};
  for (const auto& [name, text] : files) {
    const auto written = write_file(directory + name, text);
    if (!written) return written;
  }
  return {};
}

}  // namespace dunlin::sim
