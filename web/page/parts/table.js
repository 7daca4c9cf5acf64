// SPDX-License-Identifier: MIT
// Tables of at most 200 rows, whatever a list has: more come by the pager.
import { classes, html } from "../base/html.js";
import { refine, to, useRoute } from "../base/route.js";
import { count } from "../base/format.js";

const kRowsMax = 200;

/**
 * @typedef {object} Column
 * @property {string} title
 * @property {(row: object) => any} cell
 * @property {string} [kind] a class: `num`, `name`, `text`
 * @property {"s" | "m"} [hide] left out where the window is small, or not large
 * @property {string} [sort] the word for the query's `sort`; the column can be sorted by
 */

/**
 * @param {{label: string, columns: (Column | false)[], rows: object[], id: (row: object) => any,
 *   empty?: any, sort?: string, both?: boolean}} props `both`: `-` before the word sorts the other
 *   way round
 */
export function Table({ label, columns, rows, id, empty, sort, both }) {
  if (rows.length === 0 && empty) return empty;
  const shown = columns.filter(Boolean);
  const look = (column) => classes(column.kind, column.hide && `hide-${column.hide}`);
  return html`<div class="scroll" role="region" aria-label=${label} tabindex="0">
    <table>
      <thead><tr>${shown.map((column) => html`<${Heading} column=${column} look=${look(column)}
        sort=${sort} both=${both} />`)}</tr></thead>
      <tbody>${rows.slice(0, kRowsMax).map((row) => html`<tr key=${id(row)}>
        ${shown.map((column) => html`<td class=${look(column)}>${column.cell(row)}</td>`)}</tr>`)}
      </tbody>
    </table>
  </div>`;
}

function Heading({ column, look, sort, both }) {
  if (!column.sort) return html`<th scope="col" class=${look}>${column.title}</th>`;
  const up = sort === column.sort;
  const down = sort === `-${column.sort}`;
  const turn = () => refine({ sort: both && up ? `-${column.sort}` : column.sort, after: "" });
  return html`<th scope="col" class=${look}
    aria-sort=${up ? "ascending" : down ? "descending" : "none"}>
    <button onClick=${turn}>${column.title}${up ? " ▴" : down ? " ▾" : ""}</button></th>`;
}

/** Links through a list that the gateway pages. The place is in the address: Back goes back. */
export function Pager({ shown, total, next, what = "lines" }) {
  const { path, query } = useRoute();
  if (!next && !query.after) return null;
  return html`<nav class="pager" aria-label="Pages of the list">
    <span>${count(shown)} of ${total === null || total === undefined ? "more"
      : count(total)} ${what}</span>
    <span class="spring"></span>
    ${query.after && html`<a href=${to(path, { ...query, after: "" })}>First page</a>`}
    ${next && html`<a class="button" rel="next"
      href=${to(path, { ...query, after: next })}>Next page</a>`}
  </nav>`;
}
