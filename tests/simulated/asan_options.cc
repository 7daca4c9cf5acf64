// SPDX-License-Identifier: MIT
// What the address sanitizer does in programs of simulated nodes. A frame of its own for every call
// that takes a local's address is a quarter of their time, and it finds what was used after its
// function returned; fuzz targets, live agents and unit tests run the same code with it. What was
// freed is kept from use for 16 MiB, not 256: a fifth of the memory, and no pages to fetch anew.
#ifdef DUNLIN_SANITIZED
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "detect_stack_use_after_return=0:quarantine_size_mb=16:malloc_context_size=10";
}
#endif
