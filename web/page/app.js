// SPDX-License-Identifier: MIT
// Who is there, and which page that is to see.
import { html, render, useEffect, useRef, useState } from "./base/html.js";
import { get, session } from "./base/api.js";
import { to, useRoute } from "./base/route.js";
import { store, useStore } from "./base/store.js";
import "./base/theme.js";
import "./base/keys.js";
import { Frame } from "./parts/frame.js";
import { Guard } from "./parts/guard.js";
import { Empty, Trouble } from "./parts/words.js";
import { Login, takeCode } from "./pages/login.js";
import * as overview from "./pages/overview.js";
import * as jobs from "./pages/jobs.js";
import * as job from "./pages/job.js";
import * as task from "./pages/task.js";
import * as nodes from "./pages/nodes.js";
import * as node from "./pages/node.js";
import * as submit from "./pages/submit.js";
import * as usage from "./pages/usage.js";
import * as cells from "./pages/cells.js";
import * as plan from "./pages/plan.js";
import * as overlay from "./pages/overlay.js";
import * as events from "./pages/events.js";
import * as audit from "./pages/audit.js";

/** All of them come at once: a page that is wanted while the gateway is away is here already. */
const kPages = { overview, jobs, job, task, nodes, node, submit, usage, cells, plan, overlay,
  events, audit };

/** `#/job/NAME/task/3` is the page `task`. */
function pageOf([first = "overview", , third]) {
  return first === "job" && third === "task" ? "task" : first;
}

function Page() {
  const { path } = useRoute();
  const name = pageOf(path);
  const opened = useRef(false);
  useEffect(() => {
    const subject = path.length > 1 ? `${path[path.length - 1]} · ` : "";
    document.title = `${subject}${name[0].toUpperCase()}${name.slice(1)} · Dunlin`;
    scrollTo(0, 0);
    // Who goes by the keyboard or by ear goes on in the page, not in the menu; but not who types.
    const typing = document.activeElement?.matches("input, textarea, select");
    if (opened.current && !typing) document.querySelector("main")?.focus({ preventScroll: true });
    opened.current = true;
  }, [path.join("/")]);
  const shown = Object.hasOwn(kPages, name) && kPages[name];
  if (!shown) {
    return html`<h1>No such page</h1><${Empty} title=${`There is no page “${name}”.`}>
      <a href=${to("overview")}>Go to the overview</a>.</${Empty}>`;
  }
  const key = path.join("/");
  return html`<${Guard} key=${key}><${shown.Page} key=${key} path=${path} /></${Guard}>`;
}

/** A code of a link that was opened here; empty: none. */
const code = store(takeCode());
addEventListener("hashchange", () => code.set(takeCode() || code.get()));

function App() {
  const who = useStore(session);
  const given = useStore(code);
  const [problem, setProblem] = useState(null);
  const ask = () => get(["whoami"]).then(session.set, (error) => error.status !== 401
    && setProblem(error));
  useEffect(() => {
    if (given) session.set(null);
    else ask();
  }, [given]);
  if (who) return html`<${Frame}><${Page} /></${Frame}>`;
  if (who === null) return html`<${Login} key=${given} code=${given} />`;
  if (problem) {
    return html`<main class="login"><h1>Dunlin</h1><${Trouble} problem=${problem} again=${() => {
      setProblem(null);
      ask();
    }} /></main>`;
  }
  return html`<p class="plain" aria-busy="true">Loading …</p>`;
}

const root = document.getElementById("app");
root.replaceChildren();
render(html`<${App} />`, root);
