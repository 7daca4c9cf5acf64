// SPDX-License-Identifier: MIT
// A batch of a log, as another node sends it: a standby that takes over makes jobs of it.
#include "sched/replica/codec_record.h"
#include "sched/replica/job_copies.h"
#include "sched/replica/record_writer.h"
#include "tests/fuzz/message_fuzz.h"

namespace dunlin::fuzz {
namespace {

namespace replica = sched::replica;

void run_log_records(const std::uint8_t* data, std::size_t size) {
  const std::string_view batch(reinterpret_cast<const char*>(data), size);
  const auto records = replica::decode_records(batch);
  replica::JobCopies copies;
  ensure(records || !copies.apply(batch), "records that cannot be read make jobs");
  if (!records) return;
  std::string again;
  for (const replica::Record& record : *records) replica::append(again, record);
  ensure(replica::decode_records(again) == records, "decodes to something else");

  if (!copies.apply(batch)) return;
  // What it makes of them, it can hand on.
  replica::RecordWriter writer;
  copies.put(writer);
  replica::JobCopies next;
  for (const std::string& part : writer.take()) {
    ensure(next.apply(part), "records of jobs that are not understood");
  }
  ensure(next.jobs().size() == copies.jobs().size(), "jobs are lost on the way");
}

std::size_t mutate_log_records(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  const auto encode_by_chance = [seed](auto& random, std::string& out) {
    const auto kinds = std::variant_size_v<replica::Record>;
    replica::append(out, random.template draw<replica::Record>(seed / 16 % kinds));
  };
  return mutate(data, size, size_max, seed, encode_by_chance);
}

const Registered kLogRecords(
    {.name = "log_records", .run = run_log_records, .mutate = mutate_log_records});

}  // namespace
}  // namespace dunlin::fuzz
