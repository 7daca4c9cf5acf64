// SPDX-License-Identifier: MIT
// How full the nodes are: CPU along, memory upwards, darker where there are more nodes. It takes as
// much room for ten thousand nodes as for ten.
import { html, useState } from "../base/html.js";
import { count, many } from "../base/format.js";

const kCell = 20;

/** The words for one field of the grid. */
const words = (nodes, row, column) =>
  `${many(nodes, "node")} with ${column * 5} to ${column * 5 + 5} % of the CPUs and `
  + `${row * 5} to ${row * 5 + 5} % of the memory taken`;

/** @param {{grid: number[][]}} props rows by memory in use, of columns by CPU in use */
export function Heat({ grid }) {
  const [told, setTold] = useState("");
  const most = Math.max(...grid.flat(), 1);
  const nodes = grid.flat().reduce((sum, value) => sum + value, 0);
  const full = grid.reduce((sum, row, y) => sum
    + row.reduce((part, value, x) => part + (x >= 18 || y >= 18 ? value : 0), 0), 0);
  const size = grid.length * kCell;
  return html`<div class="heat">
    <span class="up quiet">memory taken →</span>
    <svg viewBox=${`0 0 ${size} ${size}`} role="img"
      aria-label=${`${many(nodes,
      "node")} by CPU and memory taken; ${count(full)} of them are full`}
      onMouseLeave=${() => setTold("")}>
      <rect class="none" width=${size} height=${size} rx="4" />
      ${grid.map((row, y) => row.map((value, x) => value > 0
        && html`<rect class="some" key=${y * 20 + x}
        x=${x * kCell + 1} y=${(grid.length - 1 - y) * kCell + 1} width=${kCell - 2}
          height=${kCell - 2} rx="3"
        fill-opacity=${0.25 + 0.75 * (Math.log1p(value) / Math.log1p(most))}
          onMouseEnter=${() => setTold(words(value, y, x))}>
        <title>${words(value, y, x)}</title></rect>`))}
    </svg>
    <span class="along quiet">CPUs taken →</span>
    <span class="along" role="status">
      ${told || `${count(full)} of ${count(nodes)} have at least 90 % of one of them taken.`}</span>
  </div>`;
}
