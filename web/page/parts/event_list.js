// SPDX-License-Identifier: MIT
// Events of an agent, the newest first.
import { html, useMemo } from "../base/html.js";
import { useAnswer } from "../base/answer.js";
import { time, wholeTime } from "../base/format.js";
import { to } from "../base/route.js";
import { Table } from "./table.js";
import { Empty, State } from "./words.js";

const kRowsMax = 200;
const kJob = /^[0-9a-f]{16}\.\d+$/;
const kNode = /^[0-9a-f]{16}$/;

/** Names of nodes by id, as far as one page of nodes has them: events have ids alone. */
function useNames() {
  const nodes = useAnswer(["nodes"], { limit: kRowsMax }).data?.nodes;
  return useMemo(() => new Map(nodes?.map((node) => [node.node, node.name])), [nodes]);
}

/** The value of a field: jobs and nodes are links. */
function Value({ name, value, names }) {
  const text = String(value);
  const said = (id) => html`<bdi>${names.get(id) ?? id}</bdi>`;
  if (kJob.test(text)) return html`<a href=${to(["job", text])}>${said(text.slice(0, 16))}
    ${text.slice(16)}</a>`;
  if (kNode.test(text) && !["cell", "lineage"].includes(name)) return html`<a
    href=${to(["node", text])}>${said(text)}</a>`;
  return html`<bdi>${text}</bdi>`;
}

/** @param {{events: object[]}} props in the order in which they came */
export function EventList({ events }) {
  const names = useNames();
  const newest = events.slice(-kRowsMax).reverse();
  return html`<${Table} label="Events" rows=${newest}
    id=${(event) => `${event.at_ns}${event.event}${JSON.stringify(event.fields)}`} columns=${[
    { title: "When", cell: (event) =>
      html`<span class="nowrap" title=${wholeTime(event.at_ns)}>${time(event.at_ns)}</span>` },
    { title: "Level", hide: "s", cell: (event) =>
      (event.level === "info" ? html`<span class="quiet">info</span>`
      : html`<${State} of=${event.level} />`) },
    { title: "Event", cell: (event) =>
      html`<span class=${event.level === "error" ? "bad" : event.level === "warn" ? "warn" : ""}>${
      event.event.replaceAll("_", " ")}</span>` },
    { title: "About", kind: "text", cell: (event) =>
      Object.entries(event.fields).map(([name, value]) => html`<span>${name}${" "}
      <${Value} name=${name} value=${value} names=${names} /></span>${"  "}`) },
  ]} empty=${html`<${Empty}
    title="Nothing of this kind has happened.">An agent remembers its last 1,000 events.
    Choose a lower level, or other names.</${Empty}>`} />`;
}
