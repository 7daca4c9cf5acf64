// SPDX-License-Identifier: MIT
// One job: how far it is, why it waits, what failed, what it took.
import { html, useEffect, useState } from "../base/html.js";
import { useAnswer } from "../base/answer.js";
import { useTopic } from "../base/live.js";
import { ago, bytes, command, count, duration, many, resources, since, text, time,
  wholeTime } from "../base/format.js";
import { to, useRoute } from "../base/route.js";
import { kTaskStates, Progress } from "../parts/bars.js";
import { Explain } from "../parts/explain.js";
import { JobButtons } from "../parts/job_buttons.js";
import { jobName } from "../parts/job_columns.js";
import { Stages } from "../parts/stages.js";
import { Pager, Table } from "../parts/table.js";
import { TaskBins } from "../parts/task_bins.js";
import { taskColumns } from "../parts/task_columns.js";
import { Timeline } from "../parts/timeline.js";
import { Empty, Facts, Sheet, Shown, State, Trouble } from "../parts/words.js";

const kWholeMs = 15000;
const kFailedShown = 5;
/** Of so many tasks a list tells little of where they stand. */
const kManyTasks = 10000;

/** The whole job now and then; its state and counts as the stream tells them. */
function useJob(name) {
  const [summary, setSummary] = useState(null);
  const ended = summary?.finished;
  const answer = useAnswer(["jobs", name], {}, { every: ended ? 0 : kWholeMs });
  useTopic(`job:${name}`, (told, kind) =>
    (kind === "job" ? setSummary(told) : kind === "reset" && answer.again()));
  useEffect(() => {
    if (ended) answer.again();
  }, [ended]);
  const newer = summary && summary.as_of_ns > (answer.data?.as_of_ns ?? 0);
  return { ...answer, data: newer && answer.data
    ? { ...answer.data, ...summary, groups: answer.data.groups } : answer.data };
}

/** When it will be done at the pace so far, in words. Empty: nobody knows. */
function pace({ counts, tasks, started_at_ns, finished }) {
  const ended = counts.done + counts.failed + counts.cancelled;
  if (finished || !started_at_ns || ended < 5) return "";
  return `about ${duration((since(started_at_ns) / ended) * (tasks - ended))} left at this pace`;
}

function Head({ job, name, again }) {
  const deadline = job.deadline_ns > 0 && job.submitted_at_ns + job.deadline_ns;
  return html`<div class="crumbs"><a href=${to("jobs")}>Jobs</a> / ${name}</div>
    <div class="head"><h1><bdi>${job.name || "(no name)"}</bdi></h1><${State} of=${job.state} />
      <span class="spring"></span><${JobButtons} job=${job} name=${name} again=${again} />
      <div class="under">
        <span>of <a href=${to("jobs", { user: job.owner })}><bdi>${job.owner}</bdi></a></span>
        <span>class <a href=${to("jobs", { class: job.class })}>${job.class}</a></span>
        <span>priority ${job.priority}</span>
        <span title=${wholeTime(job.submitted_at_ns)}>submitted ${ago(job.submitted_at_ns)}</span>
        ${job.ended_at_ns > 0 && html`<span>took ${duration(job.ended_at_ns - job.submitted_at_ns)}
          </span>`}
        ${deadline && html`<span title=${wholeTime(deadline)}>due ${time(deadline)}</span>`}
        <span>home <a href=${to(["node", job.home_name])}><bdi>${job.home_name}</bdi></a></span>
      </div></div>`;
}

function Counts({ job, name }) {
  return html`<${Sheet}><${Progress} counts=${job.counts} tall />
    <div class="legend">${kTaskStates.filter((state) => job.counts[state]).map((state) => html`
      <a href=${to(["job", name], { tab: "tasks", state })}><${State} of=${state}
        words=${`${count(job.counts[state])} ${state}`} /></a>`)}
      <span class="spring"></span><span class="quiet">${pace(job)}</span></div>
    ${job.reason && job.finished
      && html`<p></p><p class=${job.state === "failed" ? "bad" : ""}>${job.reason}</p>`}
  </${Sheet}>`;
}

const kFigures = [["start", "From submit to start", duration], ["run", "Ran", duration],
  ["cpu", "CPU time", duration],
  ["memory_peak_bytes", "Most memory", bytes]];
const kUse = [["cpu_peak_milli", "Most CPUs", (value) => `${value / 1000}`],
  ["disk_read_bytes", "Read from disks", bytes],
  ["disk_written_bytes", "Written to disks", bytes], ["net_received_bytes", "Received", bytes],
    ["net_sent_bytes", "Sent", bytes]];

/** What a task took: the middle one, the 99th of a hundred, the most. */
function Took({ job }) {
  const rows = [...kFigures.map(([key, ...rest]) => [job[key], ...rest]),
    ...kUse.map(([key, ...rest]) => [job.use?.[key], ...rest])]
    .filter(([figures]) => figures && figures.max > 0);
  if (rows.length === 0) return null;
  const column = (title, key) =>
    ({ title, kind: "num", cell: ([figures, , format]) => format(figures[key]) });
  return html`<${Sheet} title="What a task took" note=${`of ${many(rows[0][0].count, "task")}`}
    flush>
    <${Table} label="What a task took" rows=${rows} id=${(row) => row[1]} columns=${[
      { title: "Figure", cell: (row) => row[1] }, column("median", "p50"), column("99 %", "p99"),
        column("most", "max")]} /></${Sheet}>`;
}

function Group({ group }) {
  return html`<${Facts} of=${[
    ["Script", group.script_bytes
      ? html`<code>${text(group.script_line)}</code> ${bytes(group.script_bytes)}` : ""],
    [group.script_bytes ? "Arguments" : "Command", html`<code>${command(group.command)}</code>`,
      true], ["Tasks", count(group.count)],
    ["Each asks for", resources(group.demand)], ["Constraints", group.constraints.join("  ")],
    ["Retries", group.retries || ""], ["At once", group.at_once ? count(group.at_once) : ""],
    ["Time limit", group.time_limit_ns ? duration(group.time_limit_ns) : ""],
      ["Gang", group.gang ? "all start together" : ""],
    ["Directory", text(group.directory)], ["stdin", text(group.stdin)],
      ["stdout", text(group.stdout)], ["stderr", text(group.stderr)]]} />`;
}

function Details({ job }) {
  return html`<${Sheet} title="What was asked for">
    ${job.groups.slice(0, 20).map((group) =>
      html`${job.groups.length > 1 && html`<h3>${group.name}</h3>`}<${Group} group=${group} />`)}
    <${Facts} of=${[["Preempted", job.preemptions ? many(job.preemptions, "attempt") : ""],
      ["Replicas", job.replicas
        ? `${job.standbys.map((each) => each.node_name).join(", ") || "none yet"}` : ""],
      ["Not protected", job.exposed], ["Taken by", job.origin !== job.home ? job.origin_name : ""],
      ["After", job.after_jobs.length > 0
        ? job.after_jobs.map((each) => html`<a href=${to(["job", each.job])}>${each.name}</a>${" "}
        <${State} of=${each.state === "open" ? "waiting" : each.state} words=${each.state} /> `)
          : ""],
      ["At its end", job.on_end
        ? html`<code>${command(job.on_end.command)}</code> ${job.on_end.state}` : ""]]} />
  </${Sheet}>`;
}

function Failed({ job, name }) {
  if (job.failed.length === 0) return null;
  return html`<${Sheet} title="Failed tasks" flush tools=${job.counts.failed > kFailedShown && html`
    <a href=${to(["job", name], { tab: "tasks", state: "failed" })}>All ${count(job.counts.failed)}
      </a>`}>
    <${Table} label="Failed tasks" rows=${job.failed.slice(0, kFailedShown)}
      id=${(task) => task.index} columns=${taskColumns(name)} /></${Sheet}>`;
}

function Tasks({ job, name }) {
  const { path, query } = useRoute();
  const { state, after } = query;
  const answer = useAnswer(["jobs", name, "tasks"], { state, after },
    { every: job.finished ? 0 : 5000 });
  const link = (word, words, value) =>
    html`<a aria-current=${(state ?? "") === word ? "true" : undefined}
    href=${to(path, { ...query, state: word, after: "" })}>${words} <span>${count(value)}</span>
      </a>`;
  return html`<${Sheet} flush>
    <header><nav class="tabs" aria-label="State">${link("", "All", job.tasks)}
      ${kTaskStates.filter((each) => job.counts[each] || each === state).map((each) =>
        link(each, html`<${State} of=${each} />`, job.counts[each]))}</nav></header>
    <${Shown} answer=${answer}>${(told) => html`
      <${Table} label="Tasks" rows=${told.tasks} id=${(task) => task.index}
        columns=${taskColumns(name)} empty=${told.pruned
        ? html`<${Empty} title="What became of each task is forgotten by now.">The counts above are
          kept.</${Empty}>`
        : html`<${Empty} title="No task is in this state."><a
          href=${to(path, { tab: "tasks" })}>See all tasks</a>.</${Empty}>`} />
      <${Pager} shown=${told.tasks.length} total=${state ? job.counts[state] : job.tasks}
        next=${told.next} what="tasks" />`}</${Shown}>
  </${Sheet}>`;
}

/** Of a job of somebody else there is what the list of jobs tells of it. */
function OfOthers({ name, problem }) {
  const answer = useAnswer(["jobs"], { ids: name });
  const job = answer.data?.jobs[0];
  if (!job) return html`<${Trouble} problem=${problem} />`;
  return html`<${Head} job=${job} name=${name} /><${Counts} job=${job} name=${name} />
    <div class="notice"><p>Only its owner and administrators see more of it.</p></div>`;
}

export function Page({ path: [, asked] }) {
  const { query } = useRoute();
  const answer = useJob(asked);
  if (!answer.data && ["forbidden", "refused"].includes(answer.problem?.kind)) {
    return html`<${OfOthers} name=${asked} problem=${answer.problem} />`;
  }
  return html`<${Shown} answer=${answer}>${(job) => {
    const name = jobName(job);
    const tab = (word, words) =>
      html`<a aria-current=${(query.tab ?? "") === word ? "true" : undefined}
      href=${to(["job", name], { tab: word })}>${words}</a>`;
    const waits = !job.finished && job.counts.waiting > 0;
    return html`<${Head} job=${job} name=${name} again=${answer.again} />
      <${Counts} job=${job} name=${name} />
      <nav class="tabs" aria-label="Parts of the job" style=${{ marginBottom: ".7rem" }}>
        ${tab("", "The job")}
        ${tab("tasks", html`Tasks <span>${count(job.tasks)}</span>`)}</nav>
      ${query.tab === "tasks" ? html`<${Tasks} job=${job} name=${name} />` : html`
        ${waits && html`<${Explain} name=${name}
          title=${job.counts.running ? `Why ${many(job.counts.waiting, "task")} wait`
          : "Why it waits"} />`}
        ${job.groups.length > 1 && html`<${Sheet} title="Stages"><${Stages} groups=${job.groups} />
          </${Sheet}>`}
        <${Failed} job=${job} name=${name} />
        ${job.tasks > kManyTasks && html`<${TaskBins} name=${name} finished=${job.finished} />`}
        <${Timeline} name=${name} finished=${job.finished} tasks=${job.tasks} />
        <div class="columns"><${Details} job=${job} /><${Took} job=${job} /></div>`}`;
  }}</${Shown}>`;
}
