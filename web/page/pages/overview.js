// SPDX-License-Identifier: MIT
// What this cluster does now: what is free, what runs, what needs somebody.
import { html, useState } from "../base/html.js";
import { now, toNs } from "../base/api.js";
import { useAnswer } from "../base/answer.js";
import { useTopic } from "../base/live.js";
import { compact, count, cpus, duration, many, mebibytes, percent } from "../base/format.js";
import { to } from "../base/route.js";
import { Bar } from "../parts/bars.js";
import { Past, Spans } from "../parts/past.js";
import { Table } from "../parts/table.js";
import { Empty, Sheet, Shown, State } from "../parts/words.js";
import { jobId, kJob } from "../parts/job_columns.js";

const kHourMs = 3600000;
const kDayMs = 24 * kHourMs;
/** States of nodes that need somebody, gravest first. */
const kTroubled = ["down", "sick", "unreachable", "suspect", "draining"];

/** An answer whose figures the stream keeps fresh by itself. */
function useFigures(words, query, topic) {
  const answer = useAnswer(words, query);
  const [told, setTold] = useState(null);
  useTopic(topic, (data, name) => {
    if (name === topic) setTold(data);
    else if (name === "reset") answer.again();
  });
  const newer = told && told.as_of_ns > (answer.data?.as_of_ns ?? 0);
  return { ...answer, data: newer && answer.data ? { ...answer.data, ...told } : answer.data };
}

function Tile({ title, big, of, parts, label, children }) {
  return html`<section class="tile"><h2>${title}</h2>
    <div class="big">${big}${of && html`${" "}<small>${of}</small>`}</div>
    ${parts && html`<${Bar} parts=${parts} label=${label} />`}
    <div class="line">${children}</div></section>`;
}

function Tiles({ nodes, jobs }) {
  const { capacity, totals } = nodes;
  const used = (all, free) => [["used", all - free], ["waiting", free]];
  const states = ["running", "waiting", "held"];
  return html`<div class="tiles">
    <${Tile} title="Nodes up"
      big=${html`<a href=${to("nodes", { state: "up" })}>${count(totals.up ?? 0)}</a>`}
      of=${html`of <a href=${to("nodes")}>${count(nodes.total)}</a>`}>
      ${kTroubled.filter((state) => totals[state]).map((state) => html`
        <a href=${to("nodes", { state })}><${State} of=${state}
          words=${`${count(totals[state])} ${state}`} /></a>`)}
    </${Tile}>
    <${Tile} title="CPUs free"
      big=${html`<a href=${to("nodes", { sort: "-free_cpu" })}>${cpus(capacity.cpu_free_milli)}
      </a>`}
      parts=${used(capacity.cpu_milli, capacity.cpu_free_milli)}
      label=${`${percent(capacity.cpu_milli - capacity.cpu_free_milli,
        capacity.cpu_milli)} of all CPUs are taken`}>
      of ${cpus(capacity.cpu_milli)}, ${percent(capacity.cpu_milli - capacity.cpu_free_milli,
        capacity.cpu_milli)} taken</${Tile}>
    <${Tile} title="Memory free"
      big=${html`<a href=${to("nodes", { sort: "-free_memory" })}>
        ${mebibytes(capacity.memory_free_mib)}</a>`}
      parts=${used(capacity.memory_mib, capacity.memory_free_mib)}
      label=${`${percent(capacity.memory_mib - capacity.memory_free_mib,
        capacity.memory_mib)} of all memory is taken`}>
      of ${mebibytes(capacity.memory_mib)}, ${percent(capacity.memory_mib - capacity.memory_free_mib,
        capacity.memory_mib)} taken</${Tile}>
    <${Tile} title="Tasks that run"
      big=${html`<a href=${to("nodes", { sort: "-running" })}>${compact(capacity.running)}</a>`}>
      <a href=${to("nodes", { sort: "-queued" })}>${compact(capacity.queued)} wait at nodes</a>
        </${Tile}>
    <${Tile} title="Jobs" big=${html`<a href=${to("jobs")}>
      ${jobs ? count(states.reduce((sum, state) =>
      sum + jobs.totals[state], 0)) : "–"}</a>`} of="unfinished">
      ${jobs && states.filter((state) => jobs.totals[state]).map((state) => html`
        <a href=${to("jobs", { state })}><${State} of=${state}
          words=${`${count(jobs.totals[state])} ${state}`} /></a>`)}
    </${Tile}>
  </div>`;
}

/** Lines of what needs somebody: [state, words, address]. */
function alarms(nodes, status, failed, jobs) {
  const lines = kTroubled.filter((state) => nodes.totals[state]).map((state) =>
    [state, `${many(nodes.totals[state], "node")} ${nodes.totals[state] === 1 ? "is"
      : "are"} ${state}`, to("nodes", { state })]);
  if (Object.keys(nodes.versions).length > 1) {
    lines.push(["waiting", `Nodes run ${Object.keys(nodes.versions).length} versions of Dunlin`,
      to("nodes", { sort: "version" })]);
  }
  if (failed?.matching) {
    lines.push(["failed", `${many(failed.matching, "job")} failed in the last hour`,
      to("jobs", { state: "failed", ended: kHourMs })]);
  }
  for (const each of jobs?.orphans ?? []) {
    lines.push(["failed", `${many(each.jobs,
      "job")} of ${each.origin_name} have no home: an administrator may`
      + ` say dunlin take-over on ${each.node_name}`, to(["node", each.node_name])]);
  }
  if (status?.store_error) lines.push(["failed",
    `The agent cannot write its records: ${status.store_error}`, to(["node", status.name])]);
  if (status?.damage.length) {
    lines.push(["failed", `The agent found ${many(status.damage.length,
      "damaged record")}: ${status.damage[0]}`, to(["node", status.name])]);
  }
  if (nodes.not_joined) lines.push(["failed", nodes.not_joined, to("nodes")]);
  for (const note of nodes.address_notes ?? []) lines.push(["waiting", note, to("nodes")]);
  return lines;
}

function Attention({ nodes, status, failed, jobs }) {
  const lines = alarms(nodes, status, failed, jobs);
  return html`<${Sheet} title="Needs somebody">
    ${lines.length === 0 ? html`<p
      class="quiet">Nothing. All nodes that are known are up, and no job failed
      in the last hour.</p>` : html`<ul class="plainly">
        ${lines.map(([state, words, address]) => html`
        <li><a href=${address}><${State} of=${state} words=${words} /></a></li>`)}</ul>`}
  </${Sheet}>`;
}

function Users({ usage }) {
  const most = usage.usage[0]?.cpu_held_ms ?? 0;
  return html`<${Table} label="Who uses it" rows=${usage.usage} id=${(line) => line.line}
    columns=${[
    { title: "User", kind: "name", cell: (line) =>
      html`<a href=${to("jobs", { user: line.line })}><bdi>${line.name}</bdi></a>` },
    { title: "CPU time held", kind: "num", cell: (line) => duration(line.cpu_held_ms * 1e6) },
    { title: "Beside others", cell: (line) =>
      html`<div class="meter"><${Bar} parts=${[["used", line.cpu_held_ms],
      ["none", most - line.cpu_held_ms]]}
        label=${percent(line.cpu_held_ms, usage.total.cpu_held_ms)} /></div>` },
    { title: "Of all", kind: "num", cell: (line) =>
      percent(line.cpu_held_ms, usage.total.cpu_held_ms) },
  ]} empty=${html`<${Empty}
    title="Nobody has used anything in the last day.">Tasks count when they end.</${Empty}>`} />`;
}

export function Page() {
  // A whole hour: what all ask alike the gateway asks once.
  const [since] = useState(() => Math.floor(now() / 60000) * 60000);
  const nodes = useFigures(["nodes"], { limit: 1 }, "nodes");
  const newest = useAnswer(["jobs"], { limit: 8, sort: "newest" }, { topic: "jobs" });
  const waiting = useAnswer(["jobs"], { state: "waiting", sort: "oldest", limit: 5 },
    { topic: "jobs" });
  const failed = useAnswer(["jobs"],
    { state: "failed", ended_since_at_ns: toNs(since - kHourMs), limit: 1 }, { every: 30000 });
  const status = useAnswer(["status"], {}, { every: 20000 });
  const usage = useAnswer(["usage"], { by: "user", since_at_ns: toNs(since - kDayMs), limit: 6 },
    { every: 60000 });
  const none = html`<${Empty} title="No job runs or waits.">
    <a href=${to("submit")}>Submit one</a>, or say <code>dunlin run -- hostname</code>. Jobs that
      ended are${" "}
    <a href=${to("jobs", { all: 1, sort: "newest" })}>in the list of all</a>.</${Empty}>`;
  return html`
    <div class="head"><h1>${status.data?.cluster ? html`Cluster <bdi>${status.data.cluster}</bdi>`
      : "Overview"}</h1>
      <span class="spring"></span><a class="button main" href=${to("submit")}>Submit a job</a></div>
    <${Shown} answer=${nodes}>${(told) => html`<${Tiles} nodes=${told} jobs=${newest.data} />
      <div class="columns">
        <${Attention} nodes=${told} status=${status.data} failed=${failed.data} jobs=${newest.data}
          />
        <${Sheet} title="Who uses it" note="last 24 hours" flush
          tools=${html`<a href=${to("usage")}>All of it</a>`}>
          <${Shown} answer=${usage}>${(of) => html`<${Users} usage=${of} />`}</${Shown}></${Sheet}>
      </div>`}</${Shown}>
    ${waiting.data?.jobs.length > 0 && html`<${Sheet} title="Waits longest" flush
      tools=${html`<a href=${to("jobs",
        { state: "waiting", sort: "oldest" })}>All ${count(waiting.data.matching)}</a>`}>
      <${Table} label="Jobs that wait" rows=${waiting.data.jobs} id=${jobId}
        columns=${[kJob.name, kJob.owner, kJob.age,
          { ...kJob.reason, hide: undefined }].map((column) =>
          ({ ...column, sort: undefined }))} /></${Sheet}>`}
    <${Sheet} title="Newest jobs" flush
      tools=${html`<a href=${to("jobs", { sort: "newest" })}>All jobs</a>`}>
      <${Shown} answer=${newest}>
        ${(told) => html`<${Table} label="Newest jobs" rows=${told.jobs} id=${jobId} empty=${none}
        columns=${[kJob.name, kJob.owner, kJob.state, kJob.progress, kJob.tasks, kJob.failed,
          kJob.age].map((column) =>
          ({ ...column, sort: undefined }))} />`}</${Shown}></${Sheet}>
    <${Sheet} title=${`The past of ${status.data?.name ?? "this node"}`}
      note="the node that this page asks" tools=${html`<${Spans} />`}>
      <${Past} words=${["past"]} pictures=${4} /></${Sheet}>`;
}
