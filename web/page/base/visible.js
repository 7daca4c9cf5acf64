// SPDX-License-Identifier: MIT
// Whether somebody may be looking: nothing is asked for a hidden tab.
import { store } from "./store.js";

export const visible = store(document.visibilityState !== "hidden");
document.addEventListener("visibilitychange", () =>
  visible.set(document.visibilityState !== "hidden"));
