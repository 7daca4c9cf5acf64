// SPDX-License-Identifier: MIT
// A graph around one node, on a canvas: those that it knows stand on the first ring, those that
// they know on the second, and so on. A canvas, since there are some thousands of links; a table
// beside it says the same to the keyboard.
import { html, useEffect, useMemo, useRef } from "../base/html.js";
import { many } from "../base/format.js";
import { go, to } from "../base/route.js";
import { colour, theme } from "../base/theme.js";
import { useStore } from "../base/store.js";
import { useWidth } from "./width.js";

const kSizeMax = 480;
const kBorder = 26;
const kReach = 14;
/** So few nodes have their names beside them. */
const kNamed = 12;

/** The two views, and what a link of each is. `rank`: the place in the gradient's. */
export const kViews = {
  chance: (link) => link.link_age_ns !== null,
  rank: (link) => link.rank !== null,
};

/** The ids that a node knows by that view and that have answered, too. */
export function known(told, answer, view) {
  return answer.neighbours.filter((link) => kViews[view](link) && told.has(link.node)).map((link) =>
    link.node);
}

/**
 * Where nodes stand. Those that the first one does not reach by that view stand on a ring of their
 * own, outside: they are `beyond`.
 * @returns {{rings: number, places: Map<string, {ring: number, angle: number, beyond: boolean}>}}
 */
export function layout({ first, told }, view) {
  const places = new Map([[first.node, { ring: 0, angle: 0, beyond: false }]]);
  let ring = 0;
  let inner = [first.node];
  const stand = (nodes, beyond) => {
    ring += 1;
    nodes.forEach((node, at) => places.set(node,
      { ring, angle: (at / nodes.length) * 2 * Math.PI - Math.PI / 2, beyond }));
  };
  while (inner.length > 0) {
    // In the order of those through which they are known: links of neighbours cross less so.
    const next = [];
    const met = new Set();
    for (const node of inner) {
      for (const other of known(told, told.get(node), view)) {
        if (places.has(other) || met.has(other)) continue;
        met.add(other);
        next.push(other);
      }
    }
    if (next.length > 0) stand(next, false);
    inner = next;
  }
  const others = [...told.keys()].filter((node) => !places.has(node));
  if (others.length > 0) stand(others, true);
  return { rings: Math.max(ring, 1), places };
}

/** A place as pixels. */
function spot({ ring, angle }, rings, size) {
  const radius = ((size / 2 - kBorder) * ring) / rings;
  return [size / 2 + radius * Math.cos(angle), size / 2 + radius * Math.sin(angle)];
}

function line(pen, from, along) {
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...along);
  pen.stroke();
}

function name(pen, words, [x, y], size) {
  pen.textAlign = x > size / 2 ? "right" : "left";
  pen.lineWidth = 3;
  pen.strokeStyle = colour("sheet");
  const at = x > size / 2 ? x - 9 : x + 9;
  pen.strokeText(words, at, y + 4);
  pen.fillStyle = colour("text");
  pen.fillText(words, at, y + 4);
}

/** All of it anew: it is as quick as finding what has changed. */
function draw(canvas, size, { rings, places }, found, view, pointed) {
  const scale = devicePixelRatio || 1;
  canvas.width = size * scale;
  canvas.height = size * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.font = "12px system-ui, sans-serif";
  const at = new Map([...places].map(([node, place]) => [node, spot(place, rings, size)]));
  pen.lineWidth = 1;
  pen.strokeStyle = colour("line");
  for (let ring = 1; ring <= rings; ++ring) {
    pen.beginPath();
    pen.arc(size / 2, size / 2, ((size / 2 - kBorder) * ring) / rings, 0, 2 * Math.PI);
    pen.stroke();
  }
  // The links of the node that is pointed at come last: they lie above all others.
  const lit = new Map();
  pen.strokeStyle = colour("line-strong");
  pen.globalAlpha = pointed ? 0.08 : Math.min(1, 0.12 + 8 / places.size);
  for (const [node, answer] of found.told) {
    for (const other of known(found.told, answer, view)) {
      if (node === pointed) lit.set(other, lit.has(other) ? "text" : "accent");
      else if (other === pointed) lit.set(node, lit.has(node) ? "text" : "fill-held");
      else line(pen, at.get(node), at.get(other));
    }
  }
  pen.globalAlpha = 1;
  pen.lineWidth = 1.5;
  for (const [other, shade] of lit) {
    pen.strokeStyle = colour(shade);
    line(pen, at.get(pointed), at.get(other));
  }
  const heat = colour("heat");
  for (const [node, answer] of found.told) {
    pen.beginPath();
    pen.arc(...at.get(node), node === found.first.node ? 7 : 4.5, 0, 2 * Math.PI);
    pen.fillStyle = colour("sheet");
    pen.fill();
    pen.fillStyle = `rgb(${heat} / ${0.15 + 0.85 * Math.min(Math.max(answer.utility, 0), 1)})`;
    pen.fill();
    pen.lineWidth = node === pointed ? 2.5 : 1;
    pen.strokeStyle = colour(node === pointed ? "accent" : "line-strong");
    pen.stroke();
  }
  for (const [node, answer] of found.told) {
    const named = node === pointed || node === found.first.node || places.size <= kNamed;
    if (named) name(pen, answer.node_name, at.get(node), size);
  }
}

/** The node nearest to that pixel; null: none is near. */
function nearest({ rings, places }, size, x, y) {
  let best = null;
  let reach = kReach;
  for (const [node, place] of places) {
    const [left, top] = spot(place, rings, size);
    const far = Math.hypot(left - x, top - y);
    if (far < reach) [best, reach] = [node, far];
  }
  return best;
}

/**
 * @param {{label: string, found: import("./overlay_walk.js").Found, view: "chance" | "rank",
 *   pointed: string | null, point: (node: string | null) => void}} props
 */
export function Rings({ label, found, view, pointed, point }) {
  const [box, width] = useWidth();
  const canvas = useRef(null);
  const shade = useStore(theme);
  const drawn = useMemo(() => layout(found, view), [found, view]);
  const size = Math.min(width, kSizeMax);
  useEffect(() => draw(canvas.current, size, drawn, found, view, pointed),
    [size, drawn, pointed, shade]);
  const below = (event) => {
    const { left, top } = canvas.current.getBoundingClientRect();
    return nearest(drawn, size, event.clientX - left, event.clientY - top);
  };
  const open = (event) => {
    const node = below(event);
    if (node) go(to(["overlay", found.told.get(node).node_name]));
  };
  const words = `${label}: ${many(drawn.places.size, "node")} on ${many(drawn.rings, "ring")}`
    + ` around ${found.first.node_name}; the table below says the same`;
  return html`<div ref=${box} class="rings"><canvas ref=${canvas} role="img" aria-label=${words}
    style=${{ width: `${size}px`, height: `${size}px`, cursor: pointed ? "pointer" : "default" }}
    onPointerMove=${(event) => point(below(event))} onPointerLeave=${() => point(null)}
    onClick=${open}></canvas></div>`;
}
