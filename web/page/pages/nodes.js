// SPDX-License-Identifier: MIT
// All nodes: how full they are, which are ill, a list that the gateway sorts and pages.
import { html } from "../base/html.js";
import { useAnswer } from "../base/answer.js";
import { count, cpus, duration, mebibytes } from "../base/format.js";
import { refine, to, useRoute } from "../base/route.js";
import { Bar, Meter } from "../parts/bars.js";
import { Heat } from "../parts/heat.js";
import { Pager, Table } from "../parts/table.js";
import { Empty, Sheet, Shown, State } from "../parts/words.js";
import { FilterField } from "./jobs.js";

const kStates = ["up", "draining", "sick", "unreachable", "suspect", "down"];
const kSorts = { "": "by name", state: "by state", version: "by version",
  "-free_cpu": "most CPUs free first",
  "-free_memory": "most memory free first", "-running": "most tasks first",
    "-queued": "longest queue first", "-age": "oldest news first" };

/** What is in use, of a node that has told. */
const used = (node, key) => (node.free ? node.total[key] - node.free[key] : 0);

const kColumns = [
  { title: "Node", kind: "name", sort: "name", cell: (node) => html`
    <a href=${to(["node", node.name])}><bdi>${node.name}</bdi></a><span class="two">${node.address}
      </span>` },
  { title: "State", sort: "state", cell: (node) => html`<${State} of=${node.state} />
    ${(node.sick || node.trouble || node.drain?.reason)
      && html`<span class="two">${node.sick || node.trouble || node.drain.reason}</span>`}` },
  { title: "CPUs free", sort: "free_cpu", cell: (node) =>
    html`<${Meter} used=${used(node, "cpu_milli")} total=${node.total.cpu_milli}
    words=${`${cpus(node.free?.cpu_milli)} of ${cpus(node.total.cpu_milli)}`} />` },
  { title: "Memory free", sort: "free_memory", cell: (node) =>
    html`<${Meter} used=${used(node, "memory_mib")} total=${node.total.memory_mib}
    words=${`${mebibytes(node.free?.memory_mib)} of ${mebibytes(node.total.memory_mib)}`} />` },
  { title: "Tasks", kind: "num", sort: "running", cell: (node) =>
    html`<a href=${to(["node", node.name])}>${count(node.running)}</a>` },
  { title: "Queue", kind: "num", hide: "s", sort: "queued", cell: (node) => count(node.queued) },
  { title: "Jobs at home", kind: "num", hide: "m", cell: (node) =>
    html`<a href=${to("jobs", { node: node.name })}>${count(node.jobs)}</a>` },
  { title: "Besides", hide: "m", cell: (node) =>
    Object.entries(node.total.custom).map(([name, value]) => `${value} ${name}`).join(", ") },
  { title: "Version", hide: "s", sort: "version", cell: (node) => node.version },
  { title: "News", kind: "num", hide: "m", sort: "age", cell: (node) =>
    html`<span class="nowrap">${duration(node.age_ns)} old</span>` },
];

/** Where nodes are, in words and as a picture. */
function Picture() {
  const answer = useAnswer(["nodes", "bins"], {}, { topic: "nodes" });
  return html`<${Shown} answer=${answer}>${(told) => html`<div class="columns">
    <${Sheet} title="How full they are"><${Heat} grid=${told.grid} /></${Sheet}>
    <${Sheet} title="What there is">
      <ul class="plainly">${kStates.filter((state) => told.totals[state]).map((state) => html`<li>
        <a href=${to("nodes", { state })}><${State} of=${state}
          words=${`${count(told.totals[state])} ${state}`} /></a></li>`)}</ul>
      <p></p><h3>CPUs</h3><${Meter} used=${told.capacity.cpu_milli - told.capacity.cpu_free_milli}
        total=${told.capacity.cpu_milli}
        words=${`${cpus(told.capacity.cpu_free_milli)} of ${cpus(told.capacity.cpu_milli)} are free`} />
      <p></p><h3>Memory</h3><${Meter}
        used=${told.capacity.memory_mib - told.capacity.memory_free_mib}
        total=${told.capacity.memory_mib}
        words=${`${mebibytes(told.capacity.memory_free_mib)} of ${mebibytes(told.capacity.memory_mib)} are free`} />
      <p></p><h3>Versions</h3><${Bar}
        parts=${Object.entries(told.versions).map(([version, nodes], at) =>
        [["used", "cancelled", "held", "running"][at % 4], nodes])}
          label=${`${Object.keys(told.versions).length} versions`} />
      <div class="legend">${Object.entries(told.versions).map(([version, nodes]) =>
        html`<a href=${to("nodes", { sort: "version" })}>${
        version || "unknown"}: ${count(nodes)}</a>`)}</div>
      <p></p><p class="quiet">News of half of them ${told.ages_ns[10] < 1e9
        ? "is less than a second old" : `is at most ${duration(told.ages_ns[10])} old`},
        of all at most ${duration(told.ages_ns[20])}.</p>
    </${Sheet}></div>`}</${Shown}>`;
}

function NoNodes({ query }) {
  if (query.state || query.name) return html`<${Empty} title="No node is so.">
    <a href=${to("nodes")}>See all nodes</a>.</${Empty}>`;
  return html`<${Empty} title="No other node is known.">Start an agent on another machine with the
    same cluster key and${" "}
    <code>agent.join</code>, or say <code>dunlin launch HOSTS</code> here.</${Empty}>`;
}

export function Page() {
  const { path, query } = useRoute();
  const { state, name, sort, after } = query;
  const answer = useAnswer(["nodes"], { state, name, sort, after }, { topic: "nodes" });
  const { totals = {}, total } = answer.data ?? {};
  const all = Object.values(totals).reduce((sum, value) => sum + value, 0);
  const link = (word, words) => html`<a aria-current=${(state ?? "") === word ? "true" : undefined}
    href=${to(path, { ...query, state: word, after: "" })}>${words}</a>`;
  return html`
    <div class="head"><h1>Nodes</h1><nav class="tabs" aria-label="State">
      ${link("", html`All <span>${answer.data ? count(all) : ""}</span>`)}
      ${kStates.filter((each) => totals[each] || each === state).map((each) =>
        link(each, html`<${State} of=${each} />${" "}
        <span>${count(totals[each] ?? 0)}</span>`))}</nav></div>
    ${[answer.data?.not_joined, ...(answer.data?.address_notes ?? [])].filter(Boolean).map((note) =>
      html`
      <div class="notice warn"><p>${note}</p></div>`)}
    ${!state && !name && !after && html`<${Picture} />`}
    <${Sheet} flush>
      <div class="filters"><${FilterField} name="name" label="Part of the name" hint="any" />
        <label class="field"><span>Order</span><select value=${sort ?? ""}
          onChange=${(event) => refine({ sort: event.target.value, after: "" })}>
          ${Object.entries(kSorts).map(([word, text]) =>
            html`<option value=${word}>${text}</option>`)}</select></label></div>
      <${Shown} answer=${answer}>${(told) => html`
        <${Table} label="Nodes" rows=${told.nodes} id=${(node) => node.node} columns=${kColumns}
          sort=${sort || "name"} both
          empty=${html`<${NoNodes} query=${query} />`} />
        <${Pager} shown=${told.nodes.length} total=${total} next=${told.next} what="nodes" />`}
          </${Shown}>
    </${Sheet}>`;
}
