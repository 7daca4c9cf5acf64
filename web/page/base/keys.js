// SPDX-License-Identifier: MIT
// The keyboard: two keys go to a page, `/` to the field that finds, `?` tells them.
import { go, to } from "./route.js";
import { store } from "./store.js";

/** Whether the help is open. */
export const help = store(false);

/** @type {[string, string, string][]} key after `g`, page, its name */
export const kPlaces = [
  ["o", "overview", "Overview"], ["j", "jobs", "Jobs"], ["n", "nodes", "Nodes"],
    ["s", "submit", "Submit"],
  ["u", "usage", "Usage"], ["c", "cells", "Cells and shares"], ["p", "plan", "Plan"],
    ["e", "events", "Events"],
  ["a", "audit", "Audit log"], ["w", "overlay", "Overlay"],
];
const kChordMs = 1500;

let begun = 0;

/** Moves the focus to the link of the next or last row of the table on the page. */
function step(by) {
  const rows = [...document.querySelectorAll("main tbody tr")].map((row) =>
    row.querySelector("a")).filter(Boolean);
  const at = rows.findIndex((link) => link.closest("tr").contains(document.activeElement));
  rows[Math.min(Math.max(at + by, 0), rows.length - 1)]?.focus();
}

function pressed(event) {
  const typing = event.target.closest?.("input, textarea, select, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  if (Date.now() - begun < kChordMs) {
    begun = 0;
    const place = kPlaces.find(([letter]) => letter === key);
    if (place) go(to(place[1]));
  } else if (key === "g") {
    begun = Date.now();
  } else if (key === "?") {
    help.set(true);
  } else if (key === "j" || key === "k") {
    step(key === "j" ? 1 : -1);
  } else if (key === "/") {
    const field = document.querySelector("input.find");
    if (!field?.getClientRects().length) return;  // It is behind the menu of a small window.
    field.focus();
    event.preventDefault();
  }
}
addEventListener("keydown", pressed);
