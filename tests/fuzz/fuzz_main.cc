// SPDX-License-Identifier: MIT
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>

// One program for all targets, because linking is most of what a target costs to build. Its first
// argument names the target; the others are libFuzzer's:
//
//   fuzz list
//   fuzz words -max_total_time=20 tests/fuzz/corpus/words
namespace dunlin::fuzz {
namespace {

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

const Target* chosen = nullptr;

[[noreturn]] void list_and_exit(int status) {
  std::ranges::sort(targets(), {}, &Target::name);
  for (const Target& each : targets()) std::puts(each.name.c_str());
  std::exit(status);
}

/// Takes the target's name off the command line.
void choose(int& count, char**& words) {
  const std::string name = count > 1 ? words[1] : "";
  if (name == "list") list_and_exit(0);
  const auto found = std::ranges::find(targets(), name, &Target::name);
  if (found == targets().end()) {
    std::fprintf(stderr, "fuzz: the first argument is one of\n");
    list_and_exit(2);
  }
  chosen = &*found;
  if (chosen->stack > 0) {
    // The kernel asks for it whenever the stack grows; a deeper call ends the program.
    const rlimit bound{.rlim_cur = chosen->stack, .rlim_max = chosen->stack};
    ::setrlimit(RLIMIT_STACK, &bound);
  }
  // libFuzzer begins with short inputs, unless there is a mutator of ours; for half of the targets
  // there is none, though the program has one.
  static char short_first[] = "-len_control=100";
  if (chosen->mutate == nullptr) {
    words[1] = short_first;
    return;
  }
  std::copy(words + 2, words + count, words + 1);
  --count;
}

}  // namespace

Registered::Registered(Target target) {
  targets().push_back(std::move(target));
}

}  // namespace dunlin::fuzz

using dunlin::fuzz::chosen;

/// Only after an abort() does libFuzzer write the input to a file.
extern "C" const char* __ubsan_default_options();
extern "C" const char* __ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1";
}

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  dunlin::fuzz::choose(*count, *words);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run(data, size);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  if (chosen->mutate == nullptr) return LLVMFuzzerMutate(data, size, size_max);
  return chosen->mutate(data, size, size_max, seed);
}
