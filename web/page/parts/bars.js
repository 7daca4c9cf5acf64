// SPDX-License-Identifier: MIT
// Bars: how far a job is, and how much of something is in use.
import { classes, html } from "../base/html.js";
import { count, percent } from "../base/format.js";

export const kTaskStates = ["done", "failed", "cancelled", "cancelling", "running", "waiting"];

/**
 * Parts of a whole, as a picture with a text.
 * @param {{parts: [string, number][], label?: string}} props
 */
export function Bar({ parts, label, tall }) {
  const some = parts.filter(([, value]) => value > 0);
  const text = label ?? some.map(([name, value]) => `${count(value)} ${name}`).join(", ");
  return html`<div class=${classes("bar", tall && "tall")} role="img"
    aria-label=${text || "nothing"} title=${text}>
    ${some.map(([name, value]) =>
      html`<span class=${`f-${name}`} style=${{ flex: `${value} 1 0` }}></span>`)}
  </div>`;
}

/** The tasks of a job by state. */
export const Progress = ({ counts, tall }) => html`<${Bar} tall=${tall}
  parts=${kTaskStates.map((state) => [state, counts[state]])} />`;

/** How much of `total` is in use. */
export function Meter({ used, total, words }) {
  const rest = Math.max(total - used, 0);
  return html`<div class="meter"><span class="nowrap">${words ?? percent(used, total)}</span>
    <${Bar} parts=${[["used", used], ["waiting", rest]]} label=${`${percent(used, total)} in use`}
      /></div>`;
}
