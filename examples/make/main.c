// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "sorts.h"

// Sorts the same numbers in six ways, and says whether they agree.
enum { kCount = 2000 };

static void (*const sorts[])(int*, int) = {
    heap_sort, insertion_sort, merge_sort, quick_sort, selection_sort, shell_sort};

int main(void) {
  enum { kSorts = sizeof sorts / sizeof *sorts };
  static int sorted[kSorts][kCount];
  for (int i = 0; i < kSorts; ++i) {
    unsigned long long seed = 1;
    for (int at = 0; at < kCount; ++at) {
      seed = seed * 16807 % 2147483647;
      sorted[i][at] = (int)(seed % 1000);
    }
    sorts[i](sorted[i], kCount);
    if (memcmp(sorted[i], sorted[0], sizeof sorted[0]) != 0) {
      printf("way %d does not agree\n", i);
      return 1;
    }
  }
  for (int at = 1; at < kCount; ++at) {
    if (sorted[0][at - 1] > sorted[0][at]) {
      printf("they agree, and are wrong at %d\n", at);
      return 1;
    }
  }
  printf("%d ways to sort %d numbers agree\n", (int)kSorts, (int)kCount);
  return 0;
}
