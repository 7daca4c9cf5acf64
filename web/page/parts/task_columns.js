// SPDX-License-Identifier: MIT
// How tasks look in a table, and how an attempt ended in words.
import { html } from "../base/html.js";
import { bytes, count, duration, time, wholeTime } from "../base/format.js";
import { to } from "../base/route.js";
import { State } from "./words.js";

const kWords = {
  time_limit: "ran longer than its limit", out_of_memory: "needed more memory than it asked for",
  not_found: "its command does not exist", not_executable: "its command cannot be executed",
  spawn_failed: "could not start", killed: "stopped on request",
    preempted: "stopped for another task",
};

/** How an attempt ended, as a sentence without its point. */
export function ending(of) {
  if (of.lost) return "lost with its node";
  if (of.outcome === "exited") return of.status === 0 ? "succeeded" : `exit status ${of.status}`;
  if (of.outcome === "signalled") return `ended by signal ${of.status}`;
  return kWords[of.outcome] ?? of.outcome ?? "";
}

export const taskLink = (name, index, query) => to(["job", name, "task", index], query);

/** Columns of the tasks of the job called `name`. */
export const taskColumns = (name) => [
  { title: "Task", kind: "num", cell: (task) =>
    html`<a href=${taskLink(name, task.index)}>${count(task.index)}</a>` },
  { title: "State", cell: (task) =>
    html`<${State} of=${task.suspended ? "suspended" : task.state} />` },
  { title: "How it ended", kind: "text", cell: (task) =>
    html`${ending(task)}${task.detail ? html`<span class="two">${task.detail}</span>` : ""}` },
  { title: "Node", cell: (task) => task.worker_name
    && html`<a href=${to(["node", task.worker_name])}><bdi>${task.worker_name}</bdi></a>` },
  { title: "Attempt", kind: "num", hide: "s", cell: (task) => task.attempt },
  { title: "Started", hide: "s", cell: (task) =>
    html`<span class="nowrap" title=${wholeTime(task.started_at_ns)}>${
    task.started_at_ns ? time(task.started_at_ns) : ""}</span>` },
  { title: "Ran", kind: "num", hide: "s", cell: (task) => task.wall_ns !== undefined
    && duration(task.wall_ns) },
  { title: "CPU time", kind: "num", hide: "m", cell: (task) => task.cpu_ns !== undefined
    && duration(task.cpu_ns) },
  { title: "Most memory", kind: "num", hide: "m", cell: (task) =>
    task.memory_peak_bytes !== undefined && bytes(task.memory_peak_bytes) },
  { title: "Output", kind: "num", hide: "m", cell: (task) => task.out_bytes !== undefined && html`
    <a href=${taskLink(name, task.index)}>${bytes(task.out_bytes)}</a>` },
];
