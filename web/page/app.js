// SPDX-License-Identifier: MIT
// Who is there, and which page that is to see.
import { html, render, useEffect, useState } from "./base/html.js";
import { get, session } from "./base/api.js";
import { useRoute } from "./base/route.js";
import { store, useStore } from "./base/store.js";
import "./base/theme.js";
import "./base/keys.js";
import { Frame } from "./parts/frame.js";
import { Empty, Trouble } from "./parts/words.js";
import { Login, takeCode } from "./pages/login.js";

/** Each page comes when it is first wanted. Its module has a `Page` and may have a `title`. */
const kPages = {
  overview: () => import("./pages/overview.js"),
  jobs: () => import("./pages/jobs.js"),
  job: () => import("./pages/job.js"),
  task: () => import("./pages/task.js"),
  nodes: () => import("./pages/nodes.js"),
  node: () => import("./pages/node.js"),
  submit: () => import("./pages/submit.js"),
  usage: () => import("./pages/usage.js"),
  cells: () => import("./pages/cells.js"),
  plan: () => import("./pages/plan.js"),
  events: () => import("./pages/events.js"),
  audit: () => import("./pages/audit.js"),
};

/** `#/job/NAME/task/3` is the page `task`. */
function pageOf([first = "overview", , third]) {
  return first === "job" && third === "task" ? "task" : first;
}

function Page() {
  const { path } = useRoute();
  const name = pageOf(path);
  const [loaded, setLoaded] = useState({});
  useEffect(() => {
    let left = false;  // A slow page shall not take the place of one that was wanted after it.
    const show = (what) => !left && setLoaded({ name, ...what });
    kPages[name]?.().then((module) => show({ module }), (problem) => {
      console.error(problem);
      show({ problem });
    });
    return () => {
      left = true;
    };
  }, [name]);
  useEffect(() => {
    const subject = path.length > 1 ? `${path[path.length - 1]} · ` : "";
    document.title = `${subject}${name[0].toUpperCase()}${name.slice(1)} · Dunlin`;
    scrollTo(0, 0);
  }, [path.join("/")]);
  if (!kPages[name]) {
    return html`<h1>No such page</h1><${Empty} title=${`There is no page “${name}”.`}>
      Choose one at the left.</${Empty}>`;
  }
  if (loaded.name !== name) return html`<p class="quiet" aria-busy="true">Loading …</p>`;
  if (loaded.problem) {
    return html`<div class="notice bad"><p>This page could not be loaded. Load it anew.</p></div>`;
  }
  return html`<${loaded.module.Page} key=${path.join("/")} path=${path} />`;
}

/** A code of a link that was opened here; empty: none. */
const code = store(takeCode());
addEventListener("hashchange", () => code.set(takeCode() || code.get()));

function App() {
  const who = useStore(session);
  const given = useStore(code);
  const [problem, setProblem] = useState(null);
  const ask = () => get(["whoami"]).then(session.set, (error) => error.status !== 401 && setProblem(error));
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
