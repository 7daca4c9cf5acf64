// SPDX-License-Identifier: MIT
// Cells, as the tree of their managers, and what each class gets, uses and has saved.
import { html } from "../base/html.js";
import { useAnswer } from "../base/answer.js";
import { count, cpus, duration, many, percent } from "../base/format.js";
import { to, useRoute } from "../base/route.js";
import { Bar } from "../parts/bars.js";
import { Chart } from "../parts/chart.js";
import { Table } from "../parts/table.js";
import { Empty, Sheet, Shown, Silent } from "../parts/words.js";

const kAgainMs = 5000;
const kCellsMax = 200;
const kShades = ["fill-running", "fill-held", "fill-cancelling", "fill-done", "fill-failed",
  "fill-cancelled"];
const kLinesMax = kShades.length;

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
  { title: "Weight", kind: "num", hide: "s", cell: (of) => count(of.weight) },
  { title: "Share", kind: "num", cell: (of) => `${Math.round(of.percent)} %` },
  { title: "Uses of what it was granted", hide: "s", cell: (of) =>
    html`<div class="meter"><${Bar} label=${`${percent(of.used, of.granted)} of what was granted`}
    parts=${[["used", Math.min(of.used, of.granted)], ["held", Math.max(of.used - of.granted, 0)],
      ["waiting", Math.max(of.granted - of.used, 0)]]} /></div>` },
  { title: "Granted", kind: "num", cell: (of) => cpus(of.granted) },
  { title: "Occupied", kind: "num", cell: (of) => cpus(of.used) },
  { title: "Waits for", kind: "num", hide: "s", cell: (of) => cpus(of.need) },
  { title: "Saved", kind: "num", cell: (of) =>
    html`<span class=${of.balance < 0 ? "bad" : ""}>${signed(of.balance)}</span>` },
];

/** A sum with its sign: what is owed stands below nothing. */
const signed = (tickets) => `${tickets < 0 ? "−" : ""}${cpus(Math.abs(tickets))}`;

/** What each class has saved, minute by minute; of many classes those with the largest weights. */
function Balances({ told }) {
  const weight = new Map(told.classes.map((of) => [of.name, of.weight]));
  const all = (told.past?.classes ?? []).filter((of) => of.values.length > 1)
    .sort((a, b) => (weight.get(b.name) ?? 0) - (weight.get(a.name) ?? 0));
  const shown = all.slice(0, kLinesMax);
  if (!shown.length) {
    return html`<${Empty} title="Nothing yet.">Managers note what each class has saved once a minute,
      and a new manager begins anew: look again in two minutes.</${Empty}>`;
  }
  const step = told.past.step_ns / 1e9;
  const end = told.as_of_ns / 1e9;
  const count_ = shown[0].values.length;
  const at = Array.from({ length: count_ }, (_, index) => end - (count_ - 1 - index) * step);
  return html`<${Chart} label="Saved by each class, in CPUs for a period" at=${at}
      lines=${shown.map((of, index) => ({ name: of.name, values: of.values, format: signed,
      colour: kShades[index] }))} />
    ${all.length > shown.length && html`<p class="pager">The ${kLinesMax} classes with the largest
      weights, of ${count(all.length)}.</p>`}`;
}

const named = (list) => list.map(([name, tickets], index) => html`${index > 0 && ", "}
  <a href=${to("jobs", { class: name })}><bdi>${name}</bdi></a> <b>${cpus(tickets)}</b>`);

/**
 * Who has more than was granted, and who leaves some. The books keep no pairs of the two: what is
 * lent goes into one pool, and what is borrowed comes out of it.
 */
function Lending({ classes }) {
  const over = classes.filter((of) => of.used > of.granted).map((of) =>
    [of.name, of.used - of.granted]);
  const under = classes.filter((of) => of.used < of.granted && of.need === 0).map((of) =>
    [of.name, of.granted - of.used]);
  if (!over.length) return html`<p class="pager">No class has more than it was granted.</p>`;
  return html`<p class="pager"><span>Borrows: ${named(over)} CPUs. ${under.length
    ? html`Leaves: ${named(under)} CPUs.` : "No class leaves any: it is what nodes had to spare."}
    </span></p>`;
}

function Shares({ told }) {
  return html`<${Table} label="Classes" rows=${told.classes} id=${(of) => of.name}
    columns=${kClasses} empty=${html`
      <${Empty} title="No class has a share: jobs go in the order of their priorities.">To share the
        cluster, an administrator says${" "}
        <code>dunlin share set gold 5 silver 3</code>. A job then names its class.</${Empty}>`} />
    ${told.classes.length > 0 && html`<${Lending} classes=${told.classes} />`}
    ${told.classes.length > 0
      && html`<p class="pager">In CPUs, for a period. Saved is what a class may take later; below
        nothing it owes.</p>`}`;
}

export function Page() {
  const { query } = useRoute();
  const cells = useAnswer(["cells"], {}, { every: kAgainMs });
  const shares = useAnswer(["shares"], { cell: query.cell, past: 1 }, { every: kAgainMs });
  return html`
    <div class="head"><h1>Cells and shares</h1></div>
    <${Silent} of=${[...(cells.data?.silent ?? [])]} what="here" />
    <${Sheet} title="Who gets what" flush
      note=${query.cell ? html`in the cell <code>${query.cell}</code>` : "of the whole cluster"}
      tools=${query.cell && html`<a href=${to("cells")}>The whole cluster</a>`}>
      <${Shown} answer=${shares}>${(told) => html`<${Shares} told=${told} />`}</${Shown}></${Sheet}>
    ${shares.data?.classes.length > 0 && html`<${Sheet} title="Saved over time"
      note="of the last two hours, as managers remember"><${Balances} told=${shares.data} />
      </${Sheet}>`}
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
