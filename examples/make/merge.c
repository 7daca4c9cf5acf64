// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "sorts.h"

static void sort_with(int* numbers, int count, int* room) {
  if (count < 2) return;
  const int half = count / 2;
  sort_with(numbers, half, room);
  sort_with(numbers + half, count - half, room);
  memcpy(room, numbers, (size_t)half * sizeof(int));
  int left = 0;
  int right = half;
  for (int at = 0; left < half; ++at) {
    const int from_right = right < count && numbers[right] < room[left];
    numbers[at] = from_right ? numbers[right++] : room[left++];
  }
}

void merge_sort(int* numbers, int count) {
  int* room = malloc((size_t)(count / 2 + 1) * sizeof(int));
  if (room == NULL) abort();
  sort_with(numbers, count, room);
  free(room);
}
