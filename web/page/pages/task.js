// SPDX-License-Identifier: MIT
// One task of a job: its attempts, what it wrote, what it took.
import { html } from "../base/html.js";
import { post } from "../base/api.js";
import { useAnswer } from "../base/answer.js";
import { bytes, count, duration, text, time, wholeTime } from "../base/format.js";
import { to, useRoute } from "../base/route.js";
import { Act, Ask } from "../parts/dialog.js";
import { mayChange } from "../parts/job_buttons.js";
import { Log } from "../parts/log.js";
import { Table } from "../parts/table.js";
import { ending, taskLink } from "../parts/task_columns.js";
import { Facts, Sheet, Shown, State } from "../parts/words.js";

const kAgainMs = 3000;
const kEnded = ["done", "failed", "cancelled"];

function Buttons({ job, name, task, again }) {
  if (!job || !mayChange(job.owner)) return null;
  const say = (verb) => post(["jobs", name, verb], { tasks: [task.index] }).then(again);
  const ended = kEnded.includes(task.state);
  return html`<div class="buttons">
    ${ended && html`<${Act} text="Retry this task" act=${() => say("retry")} />`}
    ${task.state === "running"
      && html`<${Act} text="Requeue this task" act=${() => say("requeue")} />`}
    ${!ended && html`<${Ask} text="Cancel this task" grave title=${`Cancel task ${task.index}?`}
      yes="Cancel the task"
      question="The other tasks of the job go on." act=${() => say("cancel")} />`}
  </div>`;
}

function Took({ of }) {
  const use = of.use ?? {};
  const rate = (value) => (value ? `${bytes(value * 1024)}/s` : "");
  return html`<${Facts} of=${[
    ["Ran", of.wall_ns !== undefined ? duration(of.wall_ns) : ""],
      ["CPU time", of.cpu_ns !== undefined ? duration(of.cpu_ns) : ""],
    ["Most memory", of.memory_peak_bytes ? bytes(of.memory_peak_bytes) : ""],
    ["Most CPUs", use.cpu_peak_milli ? String(use.cpu_peak_milli / 1000) : ""],
    ["Read", use.disk_read_bytes ? bytes(use.disk_read_bytes) : ""],
      ["Written", use.disk_written_bytes ? bytes(use.disk_written_bytes) : ""],
    ["Received", use.net_received_bytes ? bytes(use.net_received_bytes) : ""],
      ["Sent", use.net_sent_bytes ? bytes(use.net_sent_bytes) : ""],
    ["Reads at most", rate(use.disk_read_peak_kib)],
      ["Writes at most", rate(use.disk_write_peak_kib)]]} />`;
}

/** All attempts, the last first; each links to its output. */
function Attempts({ name, task, chosen }) {
  const last = task.attempt === undefined ? [] : [{ ...task, last: true }];
  const rows = [...last, ...(task.attempts ?? []).toReversed()];
  if (rows.length < 2) return null;
  return html`<${Sheet} title="Attempts" flush><${Table} label="Attempts" rows=${rows}
    id=${(row) => row.attempt} columns=${[
    { title: "Attempt", kind: "num", cell: (row) =>
      html`<a aria-current=${chosen === (row.last ? 0 : row.attempt) ? "true" : undefined}
      href=${taskLink(name, task.index, { attempt: row.last ? "" : row.attempt })}>${row.attempt}
        </a>` },
    { title: "How it ended", kind: "text", cell: (row) =>
      html`${row.last && !kEnded.includes(row.state) ? row.state : ending(row)}
      ${row.detail && html`<span class="two">${row.detail}</span>`}` },
    { title: "Node", cell: (row) =>
      html`<a href=${to(["node", row.worker_name])}><bdi>${row.worker_name}</bdi></a>` },
    { title: "Started", hide: "s", cell: (row) =>
      html`<span class="nowrap" title=${wholeTime(row.started_at_ns)}>${time(row.started_at_ns)}
      </span>` },
    { title: "Ran", kind: "num", cell: (row) => duration(row.wall_ns) },
    { title: "CPU time", kind: "num", hide: "s", cell: (row) => duration(row.cpu_ns) },
    { title: "Most memory", kind: "num", hide: "s", cell: (row) => bytes(row.memory_peak_bytes) },
  ]} /></${Sheet}>`;
}

function Head({ name, job, task, again }) {
  const { path } = useRoute();
  const index = task.index;
  return html`<div class="crumbs"><a href=${to("jobs")}>Jobs</a> / <a href=${to(["job", name])}>
    <bdi>${job?.name || name}</bdi></a>${" "}
      / <a href=${to(["job", name], { tab: "tasks" })}>tasks</a> / ${index}</div>
    <div class="head"><h1>Task ${count(index)}</h1><${State}
      of=${task.suspended ? "suspended" : task.state} />
      <span class="spring"></span><${Buttons} job=${job} name=${name} task=${task} again=${again} />
      <div class="under">
        <span>of <a href=${to(["job", name])}>${name}</a></span>
        ${task.worker_name && html`<span>on <a href=${to(["node", task.worker_name])}><bdi>
          ${task.worker_name}</bdi></a></span>`}
        ${task.started_at_ns > 0
          && html`<span title=${wholeTime(task.started_at_ns)}>started ${time(task.started_at_ns)}
          </span>`}
        ${task.preemptions > 0 && html`<span>preempted ${count(task.preemptions)} times</span>`}
        <span class="spring"></span>
        ${index > 0 && html`<a href=${to([...path.slice(0, 3), index - 1])}>Task ${index - 1}</a>`}
        ${index + 1 < (job?.tasks ?? 0)
          && html`<a href=${to([...path.slice(0, 3), index + 1])}>Task ${index + 1}</a>`}
      </div></div>`;
}

function Result({ task }) {
  if (!kEnded.includes(task.state) || task.state === "done") return null;
  const words = task.outcome
    ? `It ${task.outcome === "exited" && task.status !== 0 ? "ended with " : ""}${ending(task)}`
    : "It never ran";
  return html`<div class=${task.state === "failed" ? "notice bad" : "notice"}><p>${words}
    ${task.detail ? `: ${task.detail}` : ""}.</p></div>`;
}

function Streams({ name, task, attempt, stream }) {
  const tab = (word, words) => html`<a aria-current=${stream === word ? "true" : undefined}
    href=${taskLink(name, task.index,
      { stream: word === "out" ? "" : word, attempt: attempt || "" })}>${words}</a>`;
  return html`<section class="sheet">
    <header><h2>Output</h2>${attempt > 0
      && html`<span class="side-note">of attempt ${attempt}</span>`}
      <nav class="tabs" aria-label="Stream">${tab("out", "stdout")}${tab("err", "stderr")}</nav>
        </header>
    <${Log} key=${`${stream}.${attempt}`} name=${name} index=${task.index} stream=${stream}
      attempt=${attempt} />
  </section>`;
}

export function Page({ path: [, name, , index] }) {
  const { query } = useRoute();
  const answer = useAnswer(["jobs", name, "tasks", index], {}, { every: kAgainMs });
  const job = useAnswer(["jobs"], { ids: name }).data?.jobs[0];
  return html`<${Shown} answer=${answer}>${({ task }) => html`
    <${Head} name=${name} job=${job} task=${task} again=${answer.again} />
    <${Result} task=${task} />
    ${task.entry !== undefined
      && html`<${Sheet} title="Its line"><pre>${text(task.entry)}</pre></${Sheet}>`}
    <${Attempts} name=${name} task=${task} chosen=${Number(query.attempt) || 0} />
    ${task.wall_ns !== undefined
      && html`<${Sheet} title="What it took"><${Took} of=${task} /></${Sheet}>`}
    ${task.attempt === undefined && task.state === "waiting"
      ? html`<${Sheet} title="Output"><p class="quiet">It has not started.
        <a href=${to(["job", name])}>Why the job waits</a>.</p></${Sheet}>`
      : html`<${Streams} name=${name} task=${task} attempt=${Number(query.attempt) || 0}
        stream=${query.stream === "err" ? "err" : "out"} />`}
  `}</${Shown}>`;
}
