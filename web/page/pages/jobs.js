// SPDX-License-Identifier: MIT
// All jobs, a page at a time. The gateway filters, sorts and pages; the address has it all.
import { html, useEffect, useMemo, useState } from "../base/html.js";
import { now, session, toNs } from "../base/api.js";
import { useAnswer } from "../base/answer.js";
import { count, duration, many } from "../base/format.js";
import { refine, to, useRoute } from "../base/route.js";
import { Pager, Table } from "../parts/table.js";
import { Empty, Sheet, Shown, Silent, State } from "../parts/words.js";
import { jobId, kJob } from "../parts/job_columns.js";

const kStates = ["running", "waiting", "held", "done", "failed", "cancelled"];
const kSorts = { "": "newest first", number: "by number", oldest: "oldest first",
  tasks: "most tasks first",
  name: "by name", user: "by owner", state: "by state" };
const kTypingMs = 350;

/** Unfinished, all, or those of one state, with how many there are of each. */
function States({ totals }) {
  const { path, query } = useRoute();
  const link = (words, changes, here) => html`<a aria-current=${here ? "true" : undefined}
    href=${to(path, { ...query, state: "", all: "", after: "", ...changes })}>${words}</a>`;
  return html`<nav class="tabs" aria-label="State">
    ${link("Unfinished", {}, !query.state && !query.all)}
    ${kStates.map((state) =>
      link(html`<${State} of=${state} />${totals && html` <span>${count(totals[state])}</span>`}`,
      { state }, query.state === state))}
    ${link("All", { all: 1 }, Boolean(query.all) && !query.state)}
  </nav>`;
}

/** A field that changes the address when typing rests. */
export function FilterField({ name, label, hint }) {
  const { query } = useRoute();
  const said = query[name] ?? "";
  const [typed, setTyped] = useState(said);
  useEffect(() => setTyped(said), [said]);
  useEffect(() => {
    if (typed === said) return undefined;
    const timer = setTimeout(() => refine({ [name]: typed, after: "" }, true), kTypingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return html`<label class="field"><span>${label}</span>
    <input value=${typed} placeholder=${hint} onInput=${(event) => setTyped(event.target.value)}
      spellcheck=${false} /></label>`;
}

function Filters() {
  const { query } = useRoute();
  const me = session.get()?.user;
  const some = ["user", "class", "name", "node", "ended"].some((name) => query[name]);
  return html`<div class="filters">
    <${FilterField} name="name" label="Name" hint="train-*" />
    <${FilterField} name="user" label="Owner" hint="anyone" />
    <${FilterField} name="class" label="Class" hint="any" />
    <${FilterField} name="node" label="Home node" hint="any" />
    <label class="field"><span>Order</span><select value=${query.sort ?? ""}
      onChange=${(event) => refine({ sort: event.target.value, after: "" })}>
      ${Object.entries(kSorts).map(([word, text]) => html`<option value=${word}>${text}</option>`)}
        </select></label>
    <div class="buttons">
      ${query.ended && html`<span>ended in the last ${duration(Number(query.ended) * 1e6)}</span>`}
      ${me && query.user !== me
        && html`<button onClick=${() => refine({ user: me, after: "" })}>Mine</button>`}
      ${some && html`<button onClick=${() =>
        refine({ name: "", user: "", class: "", node: "", ended: "", after: "" })}>
        Without filters</button>`}
    </div>
  </div>`;
}

function NoJobs({ query }) {
  if (["user", "class", "name", "node"].some((name) => query[name])) {
    return html`<${Empty} title="No job matches these filters.">Take some of them back. A name may
      hold${" "}
      <code>*</code> and <code>?</code>: without them it is the whole name.</${Empty}>`;
  }
  if (query.state || query.all) return html`<${Empty}
    title=${`There is no such job${query.state ? `: none is ${query.state}` : ""}.`}>
    <a href=${to("jobs")}>See what runs and waits</a>.</${Empty}>`;
  return html`<${Empty} title="No job runs or waits.">
    <a href=${to("submit")}>Submit one</a>, or look at <a
      href=${to("jobs", { all: 1, sort: "newest" })}>those that ended</a>.</${Empty}>`;
}

/** What ended in the last so many ms, as the address says it: reckoned once, so that pages fit. */
function useEnded(ms) {
  return useMemo(() => (Number(ms) > 0 ? toNs(Math.floor((now() - Number(ms)) / 60000) * 60000)
    : ""), [ms]);
}

export function Page() {
  const { query } = useRoute();
  const { state, user, name, node, all, sort, after } = query;
  const ended = useEnded(query.ended);
  const answer = useAnswer(["jobs"],
    { ended_since_at_ns: ended, state, user, class: query.class, name, node, all: all && !state ? 1
    : "",
    sort: sort || "newest", after },
    { topic: "jobs" });
  const columns = [kJob.name, kJob.owner, kJob.state, kJob.progress, kJob.tasks, kJob.failed,
    kJob.demand, kJob.class,
    kJob.age, kJob.reason];
  return html`
    <div class="head"><h1>Jobs</h1><${States} totals=${answer.data?.totals} />
      <span class="spring"></span><a class="button main" href=${to("submit")}>Submit a job</a></div>
    <${Silent} of=${answer.data?.silent} what="in this list" />
    <${Sheet} flush>
      <${Filters} />
      <${Shown} answer=${answer}>${(told) => html`
        <${Table} label="Jobs" rows=${told.jobs} id=${jobId} columns=${columns}
          sort=${sort || "newest"} empty=${html`<${NoJobs} query=${query} />`} />
        <${Pager} shown=${told.jobs.length} total=${told.total} next=${told.next}
          what=${many(told.total ?? 0, "job").replace(/^.* /, "")} />`}
      </${Shown}>
    </${Sheet}>`;
}
