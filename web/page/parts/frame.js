// SPDX-License-Identifier: MIT
// What stands around every page: where one is and may go, who one is, what is wrong with the
// connection.
import { classes, html, useEffect, useState } from "../base/html.js";
import { away, get, logOut, session } from "../base/api.js";
import { help, kPlaces } from "../base/keys.js";
import { to, useRoute } from "../base/route.js";
import { useStore } from "../base/store.js";
import { visible } from "../base/visible.js";
import { wish } from "../base/theme.js";
import { Dialog } from "./dialog.js";
import { Finder } from "./finder.js";

const kGroups = [
  ["", ["overview", "jobs", "nodes", "submit"]],
  ["Who gets what", ["usage", "cells", "plan"]],
  ["How it holds together", ["overlay"]],
  ["What happened", ["events", "audit"]],
];
const kWords = { system: "As the system", light: "Light", dark: "Dark" };
const kParents = { job: "jobs", node: "nodes" };
const kAgainMs = 2000;

/** While the agent or the gateway is away: looks whether it is back. */
function useReturn(said) {
  useEffect(() => {
    if (!said) return undefined;
    const timer = setInterval(() => visible.get() && get(["status"]).catch(() => {}), kAgainMs);
    return () => clearInterval(timer);
  }, [said]);
}

function Away() {
  const said = useStore(away);
  useReturn(said);
  return said && html`<div class="notice warn away" role="status"><p>${said}</p></div>`;
}

function Theme() {
  const said = useStore(wish);
  return html`<label class="field"><span>Colours</span>
    <select value=${said} onChange=${(event) => wish.set(event.target.value)}>
      ${Object.entries(kWords).map(([word, text]) => html`<option value=${word}>${text}</option>`)}
    </select></label>`;
}

function Help() {
  if (!useStore(help)) return null;
  const close = () => help.set(false);
  return html`<${Dialog} title="Keys" onClose=${close}>
    <form method="dialog">
      <h2>Keys</h2>
      <dl class="facts">
        ${kPlaces.map(([key, , name]) =>
          html`<div><dt><kbd>g</kbd> <kbd>${key}</kbd></dt><dd>${name}</dd></div>`)}
        <div><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>Next and last row</dd></div>
        <div><dt><kbd>/</kbd></dt><dd>Go to a job or node</dd></div>
        <div><dt><kbd>?</kbd></dt><dd>These keys</dd></div>
      </dl>
      <div class="buttons"><button class="main">Close</button></div>
    </form>
  </${Dialog}>`;
}

export function Frame({ children }) {
  const who = useStore(session);
  const { path } = useRoute();
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path.join("/")]);
  const at = kParents[path[0]] ?? path[0] ?? "overview";
  const names = Object.fromEntries(kPlaces.map(([, page, name]) => [page, name]));
  const mayAudit = who.administrator !== false;
  return html`<div class="frame">
    <a class="skip" href="#content" onClick=${(event) => {
      event.preventDefault();
      document.querySelector("main").focus();
    }}>Skip to the page</a>
    <header class=${classes("side", open && "open")}>
      <div class="top">
        <a class="brand" href=${to("overview")}><img src="page/icon.svg" alt="" />
          <span>Dunlin<small>asks ${who.node_name}</small></span></a>
        <button class="menu" aria-expanded=${open} onClick=${() => setOpen(!open)}>Menu</button>
      </div>
      <${Finder} />
      <nav aria-label="Pages">${kGroups.map(([title, pages]) => html`
        ${title && html`<h2>${title}</h2>`}
        ${pages.filter((page) => page !== "audit" || mayAudit).map((page) => html`
          <a href=${to(page)} aria-current=${page === at ? "page" : undefined}>${names[page]}
            </a>`)}`)}
      </nav>
      <div class="foot">
        <${Theme} />
        <div>${who.user}${" "}<span class="quiet">${who.read_only ? "(may only read)"
          : who.administrator ? "(administrator)" : ""}</span></div>
        <div class="buttons">
          <button class="small" onClick=${() => logOut().catch(() => {})}>Log out</button>
          <button class="small" onClick=${() => help.set(true)}>Keys <kbd>?</kbd></button>
        </div>
        <div class="quiet">Dunlin ${who.version}</div>
      </div>
    </header>
    <main id="content" tabindex="-1"><${Away} />${children}</main>
    <${Help} />
  </div>`;
}
