// SPDX-License-Identifier: MIT
// Who used how much: by user, class, day or node.
import { html, useMemo } from "../base/html.js";
import { now, toNs } from "../base/api.js";
import { useAnswer } from "../base/answer.js";
import { bytes, count, duration, percent } from "../base/format.js";
import { refine, to, useRoute } from "../base/route.js";
import { Bar } from "../parts/bars.js";
import { Table } from "../parts/table.js";
import { Empty, Sheet, Shown, Silent } from "../parts/words.js";
import { FilterField } from "./jobs.js";

const kBy = { user: "User", class: "Class", day: "Day", node: "Home node" };
const kSpans = { "": ["day", 1], week: ["week", 7], month: ["30 days", 30],
  quarter: ["90 days", 90], all: ["400 days", 0] };

/** Where a line's jobs are. */
function link(by, line) {
  if (by === "day") return html`<span class="nowrap">${line.name}</span>`;
  const query = { [by]: by === "node" ? line.name : line.line, all: 1 };
  return html`<a href=${to("jobs", query)}><bdi>${line.name}</bdi></a>`;
}

const kTime = (ms) => html`<span class="nowrap">${duration(ms * 1e6)}</span>`;

function columns(by, most) {
  return [
    { title: kBy[by], kind: "name", cell: (line) => link(by, line) },
    { title: "CPU time held", kind: "num", cell: (line) => kTime(line.cpu_held_ms) },
    { title: "Used, in vain, idle", cell: (line) =>
      html`<div class="meter"><${Bar}
      label=${`${percent(line.cpu_used_ms, line.cpu_held_ms)} used, ${
      percent(line.cpu_wasted_ms, line.cpu_held_ms)} in vain`}
        parts=${[["used", Math.max(Math.min(line.cpu_used_ms, line.cpu_held_ms
      - line.cpu_wasted_ms), 0)], ["wasted", line.cpu_wasted_ms],
        ["cancelled", Math.max(line.cpu_held_ms - line.cpu_used_ms - line.cpu_wasted_ms, 0)],
      ["none", most - line.cpu_held_ms]]} /></div>` },
    { title: "Of it used", kind: "num", hide: "s", cell: (line) =>
      percent(line.cpu_used_ms, line.cpu_held_ms) },
    { title: "In vain", kind: "num", hide: "s", cell: (line) =>
      percent(line.cpu_wasted_ms, line.cpu_held_ms) },
    { title: "Jobs", kind: "num", hide: "s", cell: (line) => count(line.jobs) },
    { title: "Tasks", kind: "num", hide: "s", cell: (line) => count(line.tasks) },
    { title: "Failed", kind: "num", hide: "m", cell: (line) => count(line.failed) },
    { title: "Preempted", kind: "num", hide: "m", cell: (line) => count(line.preempted) },
    { title: "Lost", kind: "num", hide: "m", cell: (line) => count(line.lost) },
    { title: "Memory held", kind: "num", hide: "m", cell: (line) =>
      html`<span class="nowrap">${bytes((line.memory_held_mib_s / 3600) * 1048576)} h</span>` },
    { title: "GPU time held", kind: "num", hide: "m", cell: (line) =>
      (line.gpu_held_ms ? kTime(line.gpu_held_ms) : "") },
  ];
}

export function Page() {
  const { path, query } = useRoute();
  const by = kBy[query.by] ? query.by : "user";
  const [, days] = kSpans[query.span ?? ""] ?? kSpans[""];
  const since = useMemo(() =>
    (days ? toNs(Math.floor((now() - days * 86400000) / 3600000) * 3600000) : ""), [days]);
  const answer = useAnswer(["usage"],
    { by, since_at_ns: since, user: query.user, class: query.class, limit: 200 }, { every: 60000 });
  return html`
    <div class="head"><h1>Usage</h1><nav class="tabs" aria-label="By">
      ${Object.entries(kBy).map(([word, words]) => html`
      <a aria-current=${by === word ? "true" : undefined} href=${to(path, { ...query, by: word })}>
        ${words}</a>`)}</nav></div>
    <${Silent} of=${answer.data?.silent} what="in these sums" />
    <${Sheet} flush>
      <div class="filters">
        <label class="field"><span>The last</span><select value=${query.span ?? ""}
          onChange=${(event) => refine({ span: event.target.value })}>
          ${Object.entries(kSpans).map(([word, [words]]) =>
            html`<option value=${word}>${words}</option>`)}</select></label>
        <${FilterField} name="user" label="User" hint="anyone" /><${FilterField} name="class"
          label="Class" hint="any" />
      </div>
      <${Shown} answer=${answer}>${(told) => html`
        <${Table} label="Usage" rows=${told.usage.length > 1
          ? [...told.usage, { ...told.total, line: "", name: "All", sum: true }] : told.usage}
          id=${(line) => line.line}
            columns=${columns(by, Math.max(...told.usage.map((line) => line.cpu_held_ms),
            1)).map((column, at) =>
            (at === 0 ? { ...column, cell: (line) =>
              (line.sum ? html`<strong>All</strong>` : link(by, line)) }
              : at === 2 ? { ...column, cell: (line) => !line.sum && column.cell(line) } : column))}
          empty=${html`<${Empty} title="Nobody used anything in this time.">Attempts count when they
            end, at the node that took the job.
            Choose a longer time.</${Empty}>`} />
        ${told.matching > told.usage.length
          && html`<p class="pager">
          ${count(told.matching - told.usage.length)} more lines are in the sum.
          <code>dunlin usage --json</code> tells all.</p>`}`}</${Shown}>
    </${Sheet}>`;
}
