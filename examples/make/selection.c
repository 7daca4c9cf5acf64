// SPDX-License-Identifier: MIT
#include "sorts.h"

void selection_sort(int* numbers, int count) {
  for (int next = 0; next < count; ++next) {
    int least = next;
    for (int at = next + 1; at < count; ++at) {
      if (numbers[at] < numbers[least]) least = at;
    }
    const int number = numbers[next];
    numbers[next] = numbers[least];
    numbers[least] = number;
  }
}
