// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <uv.h>
#include <vector>

#include "node/codec.h"
#include "node/task/executor.h"
#include "node/task/output/output.h"
#include "node/task/warden_process.h"
#include "tests/support/scratch.h"

namespace dunlin::node {

/// True once `condition` is; polls for 10 s.
inline bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    ::usleep(10'000);
  }
  return false;
}

/// What a file holds; empty if there is none.
inline std::string file(const std::string& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// An executor with a real warden on a real loop.
class ExecutorWorld : public ::testing::Test {
 protected:
  ExecutorWorld() { uv_loop_init(&loop_); }
  ~ExecutorWorld() override {
    executor_.reset();
    output_.reset();
    uv_run(&loop_, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop_), 0);
  }

  void open(ExecutorOptions options = {}) {
    auto output = OutputStore::open({.directory = directory_.path() + "/output"});
    ASSERT_TRUE(output) << output.error().text;
    output_ = std::make_unique<OutputStore>(std::move(*output));
    options.node_name = "kestrel";
    options.directory = directory_.path() + "/scratch";
    options.label = "test-" + std::to_string(::getpid());
    auto warden = find_warden();
    ASSERT_TRUE(warden) << warden.error().text;
    options.warden = *warden;
    options.warden_directory = directory_.path() + "/warden";
    auto executor = ProcessExecutor::open(loop_, *output_, options,
        {.exited = [this](const sched::JobId&,
                       const sched::Report& report) { reports_.push_back(report); },
            .note = [this](const std::string& note) { notes_.push_back(note); },
            .trial = [this](const std::string& failure) { trials_.push_back(failure); }});
    ASSERT_TRUE(executor) << executor.error().text;
    executor_ = std::move(*executor);
  }

  static TaskSpec shell(const std::string& script) { return command({"sh", "-c", script}); }
  static TaskSpec command(std::vector<std::string> words) {
    TaskSpec spec;
    for (auto& word : words) spec.command.push_back({std::move(word)});
    return spec;
  }
  sched::Launch launch(const TaskSpec& spec, std::uint32_t index = 0) const {
    sched::Launch launch{.task = task(index),
        .demand = {.cpu = 1000},
        .task_count = 7,
        .job_name = "train",
        .spec = {},
        .entry = "a line"};
    encode(spec, launch.spec);
    return launch;
  }
  static sched::TaskId task(std::uint32_t index = 0) {
    return {.job = {.home = {0xabcd}, .number = 12}, .index = index};
  }

  /// Runs the loop until `done` is true; fails the test after 60 s.
  void run_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    uv_timer_t tick;
    uv_timer_init(&loop_, &tick);
    uv_timer_start(&tick, [](uv_timer_t*) {}, 5, 5);  // So that the loop looks at `done`.
    while (!done() && std::chrono::steady_clock::now() < end) uv_run(&loop_, UV_RUN_ONCE);
    EXPECT_TRUE(done()) << "not within 60 s";
    bool closed = false;
    tick.data = &closed;
    uv_close(reinterpret_cast<uv_handle_t*>(&tick),
        [](uv_handle_t* handle) { *static_cast<bool*>(handle->data) = true; });
    while (!closed) uv_run(&loop_, UV_RUN_NOWAIT);
  }
  sched::Report run(const sched::Launch& launch) {
    const std::size_t before = reports_.size();
    executor_->start(launch);
    EXPECT_EQ(reports_.size(), before) << "reported within start()";
    run_until([&] { return reports_.size() > before; });
    return reports_.size() > before ? reports_.back() : sched::Report{};
  }
  sched::Report run(const TaskSpec& spec) { return run(launch(spec)); }
  std::string kept(OutputStream stream = OutputStream::out, std::uint32_t index = 0) {
    return output_->read(task(index), std::nullopt, stream, 0, 1 << 20).data;
  }

  test::Scratch directory_;
  uv_loop_t loop_;
  std::unique_ptr<OutputStore> output_;
  std::unique_ptr<ProcessExecutor> executor_;
  std::vector<sched::Report> reports_;
  std::vector<std::string> notes_;
  std::vector<std::string> trials_;
};

}  // namespace dunlin::node
