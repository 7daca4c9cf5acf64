// SPDX-License-Identifier: MIT
// What users asked a node for, done or refused.
import { html } from "../base/html.js";
import { useAnswer } from "../base/answer.js";
import { time, wholeTime } from "../base/format.js";
import { refine, to, useRoute } from "../base/route.js";
import { Table } from "../parts/table.js";
import { Empty, Sheet, Shown, State } from "../parts/words.js";
import { FilterField } from "./jobs.js";

const kColumns = [
  { title: "When", cell: (action) =>
    html`<span class="nowrap" title=${wholeTime(action.at_ns)}>${time(action.at_ns)}</span>` },
  { title: "User", cell: (action) =>
    (action.user ? html`<a href=${to("jobs", { user: action.user, all: 1 })}><bdi>${action.user}
    </bdi></a>`
    : html`<span class="quiet">cluster key</span>`) },
  { title: "Asked for", cell: (action) => action.verb.replaceAll("_", " ") },
  { title: "About", kind: "text", cell: (action) => action.object },
  { title: "Done", cell: (action) => action.refused
    && html`<${State} of="failed" words="refused" />` },
  { title: "From", hide: "s", cell: (action) => (action.remote ? "another node" : "here") },
];

export function Page() {
  const { query } = useRoute();
  const { node, user } = query;
  const answer = useAnswer(node ? ["nodes", node, "audit-log"] : ["audit-log"],
    { user, limit: query.limit || 100 }, { every: 10000 });
  return html`
    <div class="head"><h1>Audit log</h1>
      ${answer.data && html`<span class="quiet">of ${answer.data.node_name}</span>`}</div>
    <${Sheet} flush>
      <div class="filters"><${FilterField} name="user" label="User" hint="anyone" /><${FilterField}
        name="node" label="Node" hint="this one" />
        <label class="field"><span>Lines</span><select value=${query.limit ?? "100"}
          onChange=${(event) => refine({ limit: event.target.value })}>
          ${["50", "100", "200"].map((lines) =>
            html`<option value=${lines}>the last ${lines}</option>`)}</select></label></div>
      <${Shown} answer=${answer}>
        ${(told) => html`<${Table} label="Actions" rows=${told.actions}
        id=${(action) => action.number} columns=${kColumns}
        empty=${html`<${Empty} title="Nobody asked this node for anything that is written down.">
          Each node keeps its own log:
          choose another one above.</${Empty}>`} />`}</${Shown}>
    </${Sheet}>`;
}
