// SPDX-License-Identifier: MIT
// Numbers and times as people read them.
import { now } from "./api.js";

const kNarrow = "\u202f";  // A narrow space that does not break: between thousands.

/** 1234567 -> "1 234 567" */
export function count(value) {
  if (value === null || value === undefined) return "–";
  return String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, kNarrow);
}

/** "1 task", "2 tasks" */
export function many(value, one, more = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : more}`;
}

/** A number of at most three digits that count. */
function short(value) {
  if (value >= 100 || Number.isInteger(value)) return count(value);
  return value.toFixed(value >= 10 ? 1 : 2).replace(/\.?0+$/, "");
}

function scaled(value, base, units) {
  let at = 0;
  while (Math.abs(value) >= base * 0.9995 && at < units.length - 1) {
    value /= base;
    ++at;
  }
  return `${short(value)} ${units[at]}`;
}

export const bytes = (value) => value === null || value === undefined ? "–"
  : scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]);
export const mebibytes = (value) =>
  bytes(value === null || value === undefined ? value : value * 1048576);
/** Thousandths of a CPU as CPUs. */
export const cpus = (milli) => milli === null || milli === undefined ? "–" : short(milli / 1000);
/** 12345678 -> "12.3 M", for tiles and axes. */
export const compact = (value) => value === null || value === undefined ? "–"
  : value < 100000 ? count(value) : scaled(value, 1000, ["", "k", "M", "G", "T"]).trim();

/** Nanoseconds: "3.2 s", "4 min 10 s", "2 h 5 min", "3 d 4 h". */
export function duration(ns) {
  if (ns === null || ns === undefined) return "–";
  const s = ns / 1e9;
  if (s === 0) return "0 s";
  if (s < 0) return `-${duration(-ns)}`;
  if (s < 1) return s < 0.001 ? `${short(ns / 1000)} µs` : `${short(s * 1000)} ms`;
  if (s < 60) return `${s < 10 ? short(Math.round(s * 10) / 10) : Math.round(s)} s`;
  const pairs = [[86400, "d", 3600, "h"], [3600, "h", 60, "min"], [60, "min", 1, "s"]];
  const [large, one, small, two] = pairs.find(([unit]) => s >= unit);
  const rest = Math.floor((s % large) / small);
  return `${Math.floor(s / large)} ${one}${rest ? ` ${rest} ${two}` : ""}`;
}

const kDay = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const kTime = new Intl.DateTimeFormat(undefined,
  { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const kWhole = new Intl.DateTimeFormat(undefined,
  { dateStyle: "medium", timeStyle: "long", hour12: false });

/** The time of day, and the day unless it is today's. */
export function time(atNs) {
  if (!atNs) return "–";
  const at = new Date(atNs / 1e6);
  const today = new Date(now()).toDateString() === at.toDateString();
  return today ? kTime.format(at) : `${kDay.format(at)} ${kTime.format(at)}`;
}

/** The whole of it, for a tooltip. */
export const wholeTime = (atNs) => (atNs ? kWhole.format(new Date(atNs / 1e6)) : "");
/** How long ago, in ns. */
export const since = (atNs) => now() * 1e6 - atNs;
export const ago = (atNs) => (atNs ? `${duration(Math.max(since(atNs), 0))} ago` : "–");

export const percent = (part, whole) => (whole ? `${Math.round((part / whole) * 100)} %` : "–");

/** Resources in a line: "2 CPU · 4 GiB · 1 gpu". */
export function resources(of) {
  if (!of) return "–";
  const words = [`${cpus(of.cpu_milli)} CPU`];
  if (of.memory_mib) words.push(mebibytes(of.memory_mib));
  for (const [name, value] of Object.entries(of.custom
    ?? {})) words.push(`${count(value)} ${name}`);
  for (const [name, value] of Object.entries(of.rates ?? {})) {
    words.push(`${name.replace("_", " ")} ${bytes(value * 1024)}/s`);
  }
  return words.join(" · ");
}

/** Bytes of the control protocol (a text, or base64 of what is no UTF-8) as a text. */
export function text(value) {
  if (typeof value === "string") return value;
  if (!value?.base64) return "";
  return new TextDecoder().decode(Uint8Array.from(atob(value.base64), (each) =>
    each.charCodeAt(0)));
}

/** A command as one would type it. */
export function command(words) {
  const plain = /^[\w@%+=:,./{}-]+$/;
  return (words ?? []).map(text)
    .map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

/** Characters that would move or hide text become pictures of themselves. */
export function visibleText(value) {
  return value.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g,
    (each) => (each === "\u007f" ? "\u2421" : String.fromCharCode(0x2400 + each.charCodeAt(0))))
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}
