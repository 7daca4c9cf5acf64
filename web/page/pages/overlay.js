// SPDX-License-Identifier: MIT
// Which node knows which: the random graph that holds the cluster together, and the rings of the
// gradient, around one node. What no list shows: there is no middle, but wherever one stands.
import { html, useMemo, useState } from "../base/html.js";
import { count, duration, many, resources } from "../base/format.js";
import { refine, to, useRoute } from "../base/route.js";
import { known, layout, Rings } from "../parts/rings.js";
import { useWalk } from "../parts/overlay_walk.js";
import { Table } from "../parts/table.js";
import { Empty, Facts, Sheet, Shown, Silent, State } from "../parts/words.js";

/** Nodes that are asked: the agents bear more, but no picture shows more than the last. */
const kCounts = [20, 50, 100, 200];
const kCountUsual = 50;
/** Names of a list in a sentence. */
const kNamesMax = 8;
const kOf = { cpu_memory: "free CPU times free memory", cpu: "free CPU", memory: "free memory" };

const part = (utility) => utility.toFixed(2);
const nodeLink = ({ name }) => html`<a href=${to(["node", name])}><bdi>${name}</bdi></a>`;

/** Every node that answered, with its links both ways. */
function rowsOf(found) {
  const rows = new Map([...found.told].map(([node, answer]) => [node, {
    node, name: answer.node_name, utility: answer.utility, cell: answer.cell,
    knows: { chance: known(found.told, answer, "chance"),
      rank: known(found.told, answer, "rank") },
    by: { chance: [], rank: [] } }]));
  const rings = {};
  for (const view of ["chance", "rank"]) {
    for (const row of rows.values()) {
      for (const other of row.knows[view]) rows.get(other).by[view].push(row.node);
    }
    rings[view] = layout(found, view).places;
  }
  const ringOf = ({ ring, beyond }) => (beyond ? null : ring);
  for (const row of rows.values()) {
    row.ring = { chance: ringOf(rings.chance.get(row.node)),
      rank: ringOf(rings.rank.get(row.node)) };
  }
  return rows;
}

/** "a, b and 3 more" */
function named(rows, nodes) {
  if (nodes.length === 0) return "none";
  const names = nodes.slice(0, kNamesMax).map((node) => rows.get(node).name).join(", ");
  return nodes.length > kNamesMax ? `${names} and ${nodes.length - kNamesMax} more` : names;
}

/** What is said of the node that is pointed at. */
function Told({ rows, pointed }) {
  const row = rows.get(pointed);
  if (!row) {
    return html`<p class="quiet" role="status">Point at a node, or go to it in the table, to see
      which ones it knows and which know it. Of nodes that were not asked nothing is drawn.</p>`;
  }
  const line = (view, words) => html`<li>${words}: knows ${named(rows, row.knows[view])}; known by
    ${" "}${named(rows, row.by[view])}.</li>`;
  return html`<div role="status"><strong><bdi>${row.name}</bdi></strong>, utility
    ${" "}${part(row.utility)}
    <ul class="plainly">${line("chance", "By chance")}${line("rank", "By rank")}</ul></div>`;
}

function Pictures({ found, rows, pointed, point }) {
  const drawing = { found, pointed, point };
  return html`<div class="columns">
    <${Sheet} title="By chance" note="Cyclon: each keeps some others, and swaps them all the time">
      <${Rings} label="The random graph" view="chance" ...${drawing} /></${Sheet}>
    <${Sheet} title="By rank" note="the gradient: each node seeks those that rank best for it">
      <${Rings} label="The rings of the gradient" view="rank" ...${drawing} /></${Sheet}></div>
    <${Sheet}><${Told} rows=${rows} pointed=${pointed} />
      <div class="legend"><span><i class="line accent"></i>it knows</span>
        <span><i class="line held"></i>knows it</span><span><i class="line both"></i>both</span>
        <span><i class="dot"></i>the fuller, the more is free</span></div></${Sheet}>`;
}

function Self({ found }) {
  const { first } = found;
  const chance = first.neighbours.filter((link) => link.link_age_ns !== null).length;
  const rank = first.neighbours.filter((link) => link.rank !== null).length;
  const { cell } = first;
  return html`<${Sheet} title=${html`<bdi>${first.node_name}</bdi>`}
    tools=${html`<a href=${to(["node", first.node_name])}>All about this node</a>`}>
    <${Facts} of=${[["Knows", `${count(chance)} by chance, ${count(rank)} by rank`],
      ["Utility", `${part(first.utility)} (${kOf[first.utility_of] ?? first.utility_of})`],
      ["Wants", first.ranking === "highest" ? "those with the highest utility"
        : "its equals, then those above it"],
      cell && ["Cell", html`<a href=${to("cells", { cell: cell.cell })}><code>${cell.cell}</code>
        </a>${cell.standing === "member" ? "" : ` (${cell.standing})`}`],
      cell && ["Managed by", cell.manager ? nodeLink(cell.manager) : "none that it knows"],
      cell?.voters.length > 0 && ["Books kept by", cell.voters.map((voter, at) =>
        html`${at > 0 && ", "}${nodeLink(voter)}`)],
      first.books.length > 0 && ["Keeps the books of", first.books.map((books, at) =>
        html`${at > 0 && ", "}<code>${books.cell}</code>${books.manages ? " as manager" : ""}`),
        true]]} /></${Sheet}>`;
}

/** The link to the picture around a node; whoever is at it points at the node in this one. */
function Around({ node, name, point }) {
  const at = () => point(node);
  const off = () => point(null);
  return html`<a href=${to(["overlay", name])} onFocus=${at} onBlur=${off} onMouseEnter=${at}
    onMouseLeave=${off}><bdi>${name}</bdi></a>`;
}

const kNeighbours = [
  { title: "State", cell: (link) => html`<${State} of=${link.state} />` },
  { title: "Rank", kind: "num", cell: (link) => link.rank ?? "–" },
  { title: "Utility", kind: "num", cell: (link) => part(link.utility) },
  { title: "Age of the link", kind: "num", cell: (link) => duration(link.link_age_ns) },
  { title: "Round trip", kind: "num", cell: (link) => duration(link.rtt_ns) },
  { title: "News", kind: "num", hide: "s", cell: (link) => `${duration(link.age_ns)} old` },
  { title: "Free", hide: "m", cell: (link) => resources(link.free) },
];

function Neighbours({ first, point }) {
  const columns = [{ title: "Node", kind: "name", cell: (link) =>
    html`<${Around} node=${link.node} name=${link.name} point=${point} />` }, ...kNeighbours];
  return html`<${Table} label="Its neighbours" rows=${first.neighbours} columns=${columns}
    id=${(link) => link.node} />`;
}

const both = (of, number) => `${number(of.chance)} · ${number(of.rank)}`;

/** The picture for the keyboard: the node that has the focus is pointed at. */
function Asked({ rows, point }) {
  const size = (nodes) => count(nodes.length);
  const columns = [
    { title: "Node", kind: "name", cell: (row) =>
      html`<${Around} node=${row.node} name=${row.name} point=${point} />` },
    { title: "Ring: chance · rank", kind: "num", cell: (row) => both(row.ring, count) },
    { title: "Knows", kind: "num", cell: (row) => both(row.knows, size) },
    { title: "Known by", kind: "num", cell: (row) => both(row.by, size) },
    { title: "Utility", kind: "num", hide: "s", cell: (row) => part(row.utility) },
    { title: "Cell", hide: "m", cell: (row) => row.cell
      && html`<a href=${to("cells", { cell: row.cell.cell })}><code>${row.cell.cell}</code></a>` },
  ];
  return html`<${Table} label="Nodes that were asked" rows=${[...rows.values()]} columns=${columns}
    id=${(row) => row.node} />`;
}

function Alone({ first }) {
  return html`<${Empty} title=${`${first.node_name} knows no other node.`}>${first.seeks
    ? html`It asks the contacts of <code>agent.join</code>, and none has answered yet.`
    : html`Start an agent on another machine with the same cluster key and${" "}
      <code>agent.join</code>, or say <code>dunlin launch HOSTS</code> here.`}</${Empty}>`;
}

function Graph({ found }) {
  const [pointed, point] = useState(null);
  const rows = useMemo(() => rowsOf(found), [found]);
  const { first, told, silent, old, unknown, done } = found;
  if (first.neighbours.length === 0) return html`<${Sheet}><${Alone} first=${first} /></${Sheet}>`;
  const asked = told.size + old.length;
  return html`<p class="quiet">${done ? `${many(asked, "node")} of ${count(found.known)} that were
    named ${asked === 1 ? "has" : "have"} answered.` : `${many(asked, "node")} ${
    asked === 1 ? "has" : "have"} answered so far …`}</p>
    <${Silent} of=${silent} what="in the picture" />
    ${old.length > 0 && html`<div class="notice"><p>${old.length === 1
      ? `${old[0].name} is of an earlier build, which does not tell which nodes it knows.`
      : `${count(old.length)} nodes are of earlier builds, which do not tell which they know.`}</p>
      </div>`}
    ${unknown.length > 0 && html`<p class="quiet">${many(unknown.length, "node")} that others named
      cannot be asked: the agent of this page has not heard of ${unknown.length === 1 ? "it"
      : "them"} itself.</p>`}
    <${Pictures} found=${found} rows=${rows} pointed=${pointed} point=${point} />
    <${Self} found=${found} />
    <${Sheet} title="Its neighbours" flush>
      <${Neighbours} first=${first} point=${point} /></${Sheet}>
    <${Sheet} title="Nodes that were asked" note="by chance · by rank" flush>
      <${Asked} rows=${rows} point=${point} /></${Sheet}>`;
}

export function Page({ path: [, asked] }) {
  const { query } = useRoute();
  const wanted = kCounts.find((each) => each === Number(query.nodes)) ?? kCountUsual;
  const walk = useWalk(asked, wanted);
  return html`
    <div class="head"><h1>Overlay</h1><span class="quiet">which node knows which, around
      ${" "}${asked ?? "the node that this page asks"}</span><span class="spring"></span>
      <label class="field"><span>Nodes to ask</span><select value=${wanted}
        onChange=${(event) => refine({ nodes: event.target.value })}>
        ${kCounts.map((each) => html`<option value=${each}>${each}</option>`)}</select></label>
      <button class="small" onClick=${walk.again}>Ask again</button></div>
    <${Shown} answer=${walk}>${(found) => html`<${Graph} found=${found} />`}</${Shown}>`;
}
