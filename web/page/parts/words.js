// SPDX-License-Identifier: MIT
// What a page says when there is nothing to show, when something failed, and while it waits.
import { classes, html } from "../base/html.js";

/** What there would be, and what to do next. */
export function Empty({ title, children }) {
  return html`<div class="empty"><strong>${title}</strong>${children}</div>`;
}

const kAdvice = {
  forbidden: "Log in as its owner, or as an administrator, to see it.",
  refused: "Only its owner and administrators may see or do this.",
  timeout: "The other node did not answer. It may be busy or away: try again, or look at the nodes.",
  busy: "Try again in a few seconds.",
  full: "Try again in a few seconds.",
};

/** A request that failed, in words. @param {{problem: import("../base/api.js").Problem}} props */
export function Trouble({ problem, again }) {
  if (!problem || problem.status === 401) return null;
  return html`<div class="notice bad" role="alert">
    <p><strong>${problem.message.replace(/^./, (first) => first.toUpperCase())}.</strong>${" "}
      ${kAdvice[problem.kind] ?? ""}</p>
    ${again && html`<p><button class="small" onClick=${again}>Try again</button></p>`}
  </div>`;
}

/**
 * Shows `children(data)` when there is an answer; what came before stays while it is asked anew.
 */
export function Shown({ answer, children }) {
  return html`<${Trouble} problem=${answer.problem} again=${answer.again} />
    ${answer.data !== undefined ? children(answer.data)
      : !answer.problem && html`<p class="quiet" aria-busy="true">Loading …</p>`}`;
}

/** A framed part of a page. */
export function Sheet({ title, note, tools, children, flush }) {
  return html`<section class="sheet">
    ${title && html`<header><h2>${title}</h2>${note && html`<span class="side-note">${note}</span>`}
      <span class="spring"></span>${tools}</header>`}
    ${flush ? children : html`<div class="body">${children}</div>`}
  </section>`;
}

/** The state of a job, task or node, as a word with its colour and form. */
export function State({ of, words }) {
  return html`<span class=${classes("state", of)}>${words ?? of}</span>`;
}

/** Names and values: [["Class", x], ...]. Those that are null, undefined or empty are left out. */
export function Facts({ of }) {
  const said = of.filter((each) => each && each[1] !== null && each[1] !== undefined
    && each[1] !== "");
  return html`<dl class="facts">${said.map(([name, value, long]) => html`
    <div class=${long ? "long" : ""}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Says which nodes or cells did not answer, if some did not. */
export function Silent({ of, what }) {
  if (!of?.length) return null;
  const named = of.slice(0, 5).map((each) => each.name || each.cell || each.node).join(", ");
  return html`<div class="notice warn"><p>${of.length} did not answer: ${named}
    ${of.length > 5 ? " and others" : ""}. What they have is missing ${what ?? "here"}.</p></div>`;
}
