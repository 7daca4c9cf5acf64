// SPDX-License-Identifier: MIT
#include "sorts.h"

// Lets the number at `at` sink until none below it is larger.
static void sink(int* numbers, int at, int count) {
  for (int below = 2 * at + 1; below < count; below = 2 * at + 1) {
    if (below + 1 < count && numbers[below + 1] > numbers[below]) ++below;
    if (numbers[at] >= numbers[below]) return;
    const int larger = numbers[below];
    numbers[below] = numbers[at];
    numbers[at] = larger;
    at = below;
  }
}

void heap_sort(int* numbers, int count) {
  for (int at = count / 2; at-- > 0;) sink(numbers, at, count);
  while (count-- > 1) {
    const int largest = numbers[0];
    numbers[0] = numbers[count];
    numbers[count] = largest;
    sink(numbers, 0, count);
  }
}
