// SPDX-License-Identifier: MIT
// How jobs look in a table, wherever they are listed.
import { html } from "../base/html.js";
import { ago, count, resources, wholeTime } from "../base/format.js";
import { to } from "../base/route.js";
import { Progress } from "./bars.js";
import { State } from "./words.js";

/** What a Summary is called in an address. */
export const jobName = (job) => job.known_as ?? job.job;
const jobLink = (job, query) => to(["job", jobName(job)], query);

/** @type {Record<string, import("./table.js").Column>} */
export const kJob = {
  name: { title: "Job", kind: "name", sort: "name", cell: (job) => html`
    <a href=${jobLink(job)}><bdi>${job.name || "(no name)"}</bdi></a><span class="two">
      ${jobName(job)}</span>` },
  owner: { title: "Owner", hide: "s", sort: "user", cell: (job) => html`
    <a href=${to("jobs", { user: job.owner })}><bdi>${job.owner}</bdi></a>` },
  state: { title: "State", sort: "state", cell: (job) => html`<${State} of=${job.state} />` },
  progress: { title: "Progress", cell: (job) => html`<div class="meter">
    <${Progress} counts=${job.counts} /></div>` },
  tasks: { title: "Tasks", kind: "num", sort: "tasks", hide: "s", cell: (job) => html`
    ${count(job.counts.done)} / <a href=${jobLink(job, { tab: "tasks" })}>${count(job.tasks)}
      </a>` },
  failed: { title: "Failed", kind: "num", hide: "s", cell: (job) => (job.counts.failed
    ? html`<a class="bad" href=${jobLink(job, { tab: "tasks", state: "failed" })}>
      ${count(job.counts.failed)}</a>` : "") },
  demand: { title: "A task asks for", hide: "m", cell: (job) =>
    html`<span class="nowrap">${resources(job.demand)}</span>` },
  class: { title: "Class", hide: "m", cell: (job) =>
    html`<a href=${to("jobs", { class: job.class })}>${job.class}</a>` },
  age: { title: "Submitted", hide: "s", sort: "newest", cell: (job) => html`
    <span class="nowrap" title=${wholeTime(job.submitted_at_ns)}>${ago(job.submitted_at_ns)}
      </span>` },
  reason: { title: "Why", kind: "text", hide: "m", cell: (job) => job.reason },
};
export const jobId = (job) => job.job;
