// SPDX-License-Identifier: MIT
// How managers divide slots among jobs, and which deadlines would be missed.
import { html } from "../base/html.js";
import { useAnswer } from "../base/answer.js";
import { count, duration, many } from "../base/format.js";
import { to } from "../base/route.js";
import { Bar } from "../parts/bars.js";
import { Table } from "../parts/table.js";
import { Empty, Facts, Sheet, Shown, Silent, State } from "../parts/words.js";

const kAgainMs = 5000;
const kCause = { rule: "the rule changed", jobs: "jobs came or went", workers: "nodes came or went",
  off_course: "a job left its course" };
const kPolicies = {
  off: "Off: nothing is planned", priority: "By priority, with a reserve",
    proportion: "In proportion to priorities",
  workload: "By the work that is left", deadline: "By deadlines",
    edf: "The earliest deadline first", assured: "By deadlines, assured",
};
const kFills = ["running", "held", "done", "cancelling", "used", "cancelled"];

const kColumns = [
  { title: "Job", kind: "nowrap", cell: (job) =>
    html`<a href=${to(["job", `${job.node}.${job.number}`])}><bdi>${job.node}.${job.number}</bdi>
    </a>` },
  { title: "Slots", kind: "num", cell: (job) => count(job.slots) },
  { title: "Wanted for it", kind: "num", cell: (job) =>
    html`<span class=${job.need > job.slots ? "warn" : ""}>${count(job.need)}</span>` },
  { title: "Its deadline", cell: (job) =>
    (job.slack_ns === null ? html`<span class="quiet">none, or its end is not known</span>`
    : job.slack_ns < 0 ? html`<${State} of="failed" words=${`missed by ${duration(-job.slack_ns)}`}
      />`
      : html`<${State} of="done" words=${`met, ${duration(job.slack_ns)} before`} />`) },
];

function CellPlan({ plan }) {
  const given = plan.jobs.reduce((sum, job) => sum + job.slots, 0);
  return html`<${Sheet} flush
    title=${html`Cell of <a href=${to(["node", plan.manager_name])}><bdi>${plan.manager_name}</bdi>
    </a>`}
    note=${`plan ${count(plan.number)}, made ${duration(plan.age_ns)} ago, as ${kCause[plan.cause]
      ?? plan.cause}; ${many(plan.moved, "slot")} moved`}>
    <div class="body" style=${{ padding: ".7rem .9rem" }}><${Bar} tall
      parts=${[...plan.jobs.map((job, at) => [kFills[at % kFills.length], job.slots]),
      ["waiting", Math.max(plan.slots - given, 0)]]}
        label=${`${count(given)} of ${count(plan.slots)} slots are given to ${many(plan.job_count,
        "job")}`} />
      <p class="quiet">${count(given)} of ${count(plan.slots)} slots are given
        to ${many(plan.job_count, "job")}.</p></div>
    <${Table} label="Jobs of the plan" rows=${plan.jobs} id=${(job) => `${job.home}.${job.number}`}
      columns=${kColumns}
      empty=${html`<${Empty} title="No job is to be planned here.">Jobs enter the plan when they are
        submitted.</${Empty}>`} /></${Sheet}>`;
}

export function Page() {
  const answer = useAnswer(["plan"], {}, { every: kAgainMs });
  return html`<div class="head"><h1>Plan</h1></div><${Silent} of=${answer.data?.silent} />
    <${Shown} answer=${answer}>${(told) => {
      if (told.policy === "off") {
        return html`<${Sheet}><${Empty}
          title="Nothing is planned: nodes take tasks as they come.">To divide slots among jobs by
            deadline,
          priority or work, an administrator says <code>dunlin plan set deadline</code>.</${Empty}>
            </${Sheet}>`;
      }
      const missed = told.cells.flatMap((plan) => plan.jobs).filter((job) => job.slack_ns !== null
        && job.slack_ns < 0).length;
      return html`
        ${missed > 0 && html`<div class="notice bad"><p>
          ${many(missed, "job")} would miss ${missed === 1 ? "its deadline"
          : "their deadlines"}.</p></div>`}
        <${Sheet} title="The rule"><${Facts} of=${[["Slots", kPolicies[told.policy] ?? told.policy],
          ["Spare ones", told.spare === "priority" ? "by priority" : "by deadline"],
          ["Reserve", told.policy === "priority" ? `${told.reserve / 10} %` : ""],
          ["Horizon", told.policy === "workload" ? duration(told.horizon_ns) : ""],
            ["Version", told.version]]} /></${Sheet}>
        ${told.cells.length === 0
          && html`<${Sheet}><${Empty}
          title="No cell has planned yet.">Managers plan when there are jobs.</${Empty}>
          </${Sheet}>`}
        ${told.cells.slice(0, 50).map((plan) =>
          html`<${CellPlan} key=${plan.cell} plan=${plan} />`)}`;
    }}</${Shown}>`;
}
