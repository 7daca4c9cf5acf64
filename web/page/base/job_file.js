// SPDX-License-Identifier: MIT
// A Job of the control protocol as the job file that `dunlin submit -f` reads, and both
// from a form.
import { text } from "./format.js";

const kShell = "/bin/sh";

/** A text of TOML. */
function quoted(value) {
  return JSON.stringify(String(value)).replaceAll("\x7f", "\\u007f");
}
const list = (values) => `[${values.map((value) => quoted(text(value))).join(", ")}]`;
const key = (name) => (/^[\w-]+$/.test(name) ? name : quoted(name));
const table = (of, value) =>
  `{ ${Object.entries(of).map(([name, each]) => `${key(name)} = ${value(each)}`).join(", ")} }`;

/** Nanoseconds as a job file says them: the largest unit that is whole. */
function span(ns) {
  const [unit, size] = [["d", 86400e9], ["h", 3600e9], ["m", 60e9], ["s", 1e9],
    ["ms", 1e6]].find(([, each]) => ns % each === 0) ?? ["ms", 1e6];
  return quoted(`${Math.max(Math.round(ns / size), 1)}${unit}`);
}
const mebi = (value) => quoted(value % 1024 === 0 ? `${value / 1024}G` : `${value}M`);
const rate = (kib) => quoted(kib % 1024 === 0 ? `${kib / 1024}M/s` : `${kib}K/s`);

/**
 * Lines of the members of `of` that are said; one that is written as null is as by default.
 * @param {[string, string, (value: any) => string][]} terms
 */
function said(of, terms) {
  const nothing = (value) => value === undefined || value === null || value === "" || value === 0
    || value === false
    || (typeof value === "object" && !value.base64 && Object.keys(value).length === 0);
  return terms.filter(([member]) => !nothing(of[member])).map(([member, name, write]) =>
    [name, write(of[member])])
    .filter(([, value]) => value !== null).map(([name, value]) => `${name} = ${value}`);
}

const kJob = [["name", "name", quoted], ["class", "class", quoted],
  ["deadline_ns", "deadline", span],
  ["past_deadline", "past_deadline", quoted], ["hold", "hold", String],
    ["replicas", "replicas", String],
  ["replicas_required", "replicas_required", String], ["on_preempt", "on_preempt", quoted],
  ["after_jobs", "after_jobs", (jobs) =>
    list(jobs.map((each) => each.job + ((each.when ?? "ok") === "ok" ? "" : `:${each.when}`)
      + (each.delay_ns ? `+${Math.ceil(each.delay_ns / 1e6)}ms` : "")))],
  ["on_end", "on_end", (command) => list(command.command)],
    ["allow_unsatisfiable", "allow_unsatisfiable", String]];
const path = (value) => quoted(text(value));
const kGroup = [["name", "name", quoted], ["command", "command", command],
  ["script", "script", path],
  ["array", "array", quoted], ["entries", "entries", list],
  ["constraints", "constraints", list],
    ["priority", "priority", (value) => (value === 50 ? null : String(value))],
    ["retries", "retries", String], ["at_once", "at_once", String],
  ["gang", "gang", String], ["after", "after", list], ["time_limit_ns", "time_limit", span],
    ["duration_ns", "duration", span],
  ["environment", "env", (of) => table(of, path)], ["stdin", "stdin", path],
    ["stdout", "stdout", path],
  ["stderr", "stderr", path], ["literal", "literal", String],
    ["umask", "umask", (bits) => quoted(bits.toString(8).padStart(3, "0"))],
  ["limits", "rlimit", (of) => table(of, String)],
  ["inputs", "inputs", list]];

function command(words) {
  const script = words.length === 3 && words[0] === kShell && words[1] === "-c"
    && typeof words[2] === "string";
  return script ? quoted(words[2]) : list(words);
}

function demand(of = {}) {
  const lines = [];
  if ((of.cpu_milli ?? 1000) !== 1000) lines.push(`cpus = ${of.cpu_milli / 1000}`);
  if (of.memory_mib) lines.push(`memory = ${mebi(of.memory_mib)}`);
  for (const [name, kib] of Object.entries(of.rates ?? {})) lines.push(`${name} = ${rate(kib)}`);
  if (Object.keys(of.custom ?? {}).length) lines.push(`resources = ${table(of.custom, String)}`);
  return lines;
}

/** @param {object} job a Job of the control protocol @returns {string} a job file */
export function jobFile(job) {
  const groups = job.groups.map((group) => {
    const [first, ...rest] = [said(group, kGroup.slice(0, 2)), said(group, kGroup.slice(2))];
    const count = group.count > 1 && !group.array && !group.entries?.length
      ? [`count = ${group.count}`] : [];
    const directory = text(group.directory ?? "");
    return ["[[group]]", ...first, ...count, ...demand(group.demand), ...rest.flat(),
      `cwd = ${quoted(directory || "none")}`].join("\n");
  });
  return [said(job, kJob).join("\n"), ...groups].filter(Boolean).join("\n\n") + "\n";
}

/** A problem with a field of the form, in words. */
class Mistake extends Error {
  constructor(field, words) {
    super(words);
    this.field = field;
  }
}

const kUnits = { K: 1 / 1024, M: 1, G: 1024, T: 1048576 };
/** "4G" as MiB. */
function readMemory(said_) {
  if (said_.trim() === "") return 0;
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([KMGT])(?:i?B)?\s*$/i.exec(said_) ?? [];
  if (!number) throw new Mistake("memory", "Memory is a number with a unit, such as 4G or 512M.");
  return Math.ceil(Number(number) * kUnits[unit.toUpperCase()]);
}

const kTimes = { d: 86400e9, h: 3600e9, m: 60e9, min: 60e9, s: 1e9 };
/** "1h30m" as nanoseconds. */
function readTime(field, said_) {
  const rest = said_.trim();
  if (rest === "") return 0;
  const parts = [...rest.matchAll(/(\d+(?:\.\d+)?)\s*(d|h|min|m|s)\s*/g)];
  if (parts.length === 0 || parts.map(([all]) => all).join("") !== rest) {
    throw new Mistake(field, "A time is said with units, such as 90s, 30m or 1h30m.");
  }
  return Math.round(parts.reduce((sum, [, number, unit]) => sum + Number(number) * kTimes[unit],
    0));
}

/** Lines `NAME=VALUE` as an object. */
function readPairs(field, lines, value) {
  const pairs = lines.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => {
    const [, name, rest] = /^([^=\s]+)=(.*)$/.exec(line) ?? [];
    if (!name) throw new Mistake(field, `“${line}” is not NAME=VALUE.`);
    return [name, value(rest, line)];
  });
  return Object.fromEntries(pairs);
}

const whole = (field, said_, least) => {
  const value = Number(said_ || 0);
  if (!Number.isInteger(value) || value < least) throw new Mistake(field,
    `${field} must be a whole number from ${least}.`);
  return value;
};

/**
 * @param {Record<string, any>} form as in pages/submit.js
 * @returns {object} a Job of the control protocol, with as few members as say it
 * @throws {Mistake} at the first field that is wrong
 */
export function readForm(form) {
  if (!form.command.trim()) throw new Mistake("command", "Say what shall run.");
  const cpus = Number(form.cpus || 1);
  if (!(cpus > 0)) throw new Mistake("cpus", "CPUs is a number above 0, such as 2 or 0.5.");
  const group = { command: [kShell, "-c", form.command] };
  const entries = form.entries.split("\n").filter((line) => line.trim() !== "");
  if (entries.length) group.entries = entries;
  else if (whole("Tasks", form.count, 1) > 1) group.count = Number(form.count);
  const memory = readMemory(form.memory);
  const custom = readPairs("custom", form.custom.replace(/[\s,]+/g, "\n"), (value) =>
    whole("A resource", value, 1));
  group.demand = { cpu_milli: Math.round(cpus * 1000), ...(memory ? { memory_mib: memory } : {}),
    ...(Object.keys(custom).length ? { custom } : {}) };
  const constraints = form.constraints.split(/\s+/).filter(Boolean);
  if (constraints.length) group.constraints = constraints;
  if (form.priority !== "" && Number(form.priority) !== 50) group.priority = whole("Priority",
    form.priority, 0);
  if (whole("Retries", form.retries, 0)) group.retries = Number(form.retries);
  if (whole("At once", form.at_once, 0)) group.at_once = Number(form.at_once);
  const limit = readTime("time_limit", form.time_limit);
  if (limit) group.time_limit_ns = limit;
  const environment = readPairs("environment", form.environment, (value) => value);
  if (Object.keys(environment).length) group.environment = environment;
  if (form.directory.trim()) group.directory = form.directory.trim();
  const deadline = readTime("deadline", form.deadline);
  return { ...(form.name.trim() ? { name: form.name.trim() } : {}),
    ...(form.class.trim() ? { class: form.class.trim() } : {}),
    ...(deadline ? { deadline_ns: deadline } : {}), ...(form.hold ? { hold: true } : {}),
    ...(Number(form.replicas) ? { replicas: Number(form.replicas) } : {}), groups: [group] };
}
