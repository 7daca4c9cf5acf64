// SPDX-License-Identifier: MIT
// Cells, as the tree of their managers, and what each class gets, uses and has saved.
import { html } from "../base/html.js";
import { useAnswer } from "../base/answer.js";
import { count, cpus, duration, many, percent } from "../base/format.js";
import { to, useRoute } from "../base/route.js";
import { Bar } from "../parts/bars.js";
import { Table } from "../parts/table.js";
import { Empty, Sheet, Shown, Silent } from "../parts/words.js";

const kAgainMs = 5000;
const kCellsMax = 200;

function Cell({ cell, children, chosen }) {
  const few = cell.voters < 3;
  return html`<li><a href=${to("cells", { cell: cell.cell === chosen ? "" : cell.cell })}
    aria-current=${cell.cell === chosen ? "true" : undefined}>
      <strong>${cell.level === 0 ? many(cell.size, "node") : many(cell.size, "cell")}</strong></a>
        ${" "}
    managed by <a href=${to(["node", cell.manager_name])}><bdi>${cell.manager_name}</bdi></a>
    <div class="quiet">${cpus(cell.tickets)} CPUs of tickets · <span class=${few ? "warn" : ""}>
      ${many(cell.voters, "voter")}</span>
      ${few && html`<span class="warn"> (below three: its books do not outlive the manager)</span>`}
      ${" "}· epoch ${count(cell.epoch)} · <code>${cell.cell}</code> · ${duration(cell.age_ns)} old
      ${cell.dissolving ? " · about to end" : ""}${cell.closed ? " · closed" : ""}</div>
    ${children.length > 0 && html`<ul class="tree">${children}</ul>`}</li>`;
}

/** A tree of the cells; one that a parent is not known of is a root. */
function Tree({ cells, chosen }) {
  const known = new Set(cells.map((cell) => cell.cell));
  const below = (parent) =>
    cells.filter((cell) => (known.has(cell.parent) && cell.parent !== cell.cell ? cell.parent
    : null) === parent)
    .map((cell) => html`<${Cell} key=${cell.cell} cell=${cell} chosen=${chosen}
      children=${below(cell.cell)} />`);
  return html`<ul class="tree">${below(null)}</ul>`;
}

const kClasses = [
  { title: "Class", kind: "name", cell: (of) =>
    html`<a href=${to("jobs", { class: of.name })}>${of.name}</a>` },
  { title: "Weight", kind: "num", cell: (of) => count(of.weight) },
  { title: "Share", kind: "num", cell: (of) => `${Math.round(of.percent)} %` },
  { title: "Uses of what it was granted", hide: "s", cell: (of) =>
    html`<div class="meter"><${Bar} label=${`${percent(of.used, of.granted)} of what was granted`}
    parts=${[["used", Math.min(of.used, of.granted)], ["held", Math.max(of.used - of.granted, 0)],
      ["waiting", Math.max(of.granted - of.used, 0)]]} /></div>` },
  { title: "Granted", kind: "num", cell: (of) => cpus(of.granted) },
  { title: "Occupied", kind: "num", cell: (of) => cpus(of.used) },
  { title: "Waits for", kind: "num", hide: "s", cell: (of) => cpus(of.need) },
  { title: "Saved", kind: "num", cell: (of) =>
    html`<span class=${of.balance < 0 ? "bad" : ""}>${of.balance < 0 ? "−" : ""}
    ${cpus(Math.abs(of.balance))}</span>` },
];

function Shares({ told }) {
  const over = told.classes.filter((of) => of.used > of.granted).map((of) => of.name);
  const under = told.classes.filter((of) => of.used < of.granted && of.need === 0).map((of) =>
    of.name);
  return html`<${Table} label="Classes" rows=${told.classes} id=${(of) => of.name}
    columns=${kClasses} empty=${html`
      <${Empty} title="No class has a share: jobs go in the order of their priorities.">To share the
        cluster, an administrator says${" "}
        <code>dunlin share set gold 5 silver 3</code>. A job then names its class.</${Empty}>`} />
    ${over.length > 0 && html`<p class="pager">
      ${over.join(", ")} ${over.length === 1 ? "has" : "have"} more than was granted${
      under.length ? `, of what ${under.join(", ")} ${under.length === 1 ? "leaves" : "leave"}`
        : ""}.</p>`}
    ${told.classes.length > 0
      && html`<p class="pager">In CPUs, for a period. Saved is what a class may take later; below
        nothing it owes.</p>`}`;
}

export function Page() {
  const { query } = useRoute();
  const cells = useAnswer(["cells"], {}, { every: kAgainMs });
  const shares = useAnswer(["shares"], { cell: query.cell }, { every: kAgainMs });
  return html`
    <div class="head"><h1>Cells and shares</h1></div>
    <${Silent} of=${[...(cells.data?.silent ?? [])]} what="here" />
    <${Sheet} title="Who gets what" flush
      note=${query.cell ? html`in the cell <code>${query.cell}</code>` : "of the whole cluster"}
      tools=${query.cell && html`<a href=${to("cells")}>The whole cluster</a>`}>
      <${Shown} answer=${shares}>${(told) => html`<${Shares} told=${told} />`}</${Shown}></${Sheet}>
    <${Sheet} title="Cells" note=${cells.data
      && `${count(cells.data.cells.length)} cells, ${many(cells.data.nodes_known, "node")} known`}>
      <${Shown} answer=${cells}>
        ${(told) => (told.cells.length
        ? html`<${Tree} cells=${told.cells.slice(0, kCellsMax)} chosen=${query.cell} />`
        : html`<${Empty} title="Nodes form no cells here.">Cells are formed once the cluster is
          shared, planned or placed by masters:${" "}
          <code>dunlin share set</code> or <code>dunlin plan set</code>.</${Empty}>`)}</${Shown}>
            </${Sheet}>`;
}
