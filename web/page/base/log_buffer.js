// SPDX-License-Identifier: MIT
// A stretch of what a task wrote, as lines. Bytes come in any pieces, twice or with a gap; the
// oldest go when there are too many.
import { visibleText } from "./format.js";

const kBytesMax = 8 << 20;
/** Characters of a line that are shown: a line of a megabyte would stop the browser. */
const kLineMax = 4000;

/** Colours and cursor movements of terminals say nothing here. */
const kEscapes = /\x1b(?:\[[0-9;?:]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[()][A-Z0-9]|[=>78DEHM])/g;

/** A line as it is shown: what a carriage return overwrote is left out. */
export function shownLine(line) {
  const clean = line.replace(kEscapes, "").replace(/\r+$/, "");
  const last = clean.slice(clean.lastIndexOf("\r") + 1);
  const text = last.length > kLineMax
    ? `${last.slice(0, kLineMax)} … and ${last.length - kLineMax} more characters` : last;
  return visibleText(text);
}

export class LogBuffer {
  constructor() {
    this.clear();
  }

  clear() {
    this.begin = 0;   // The offset of the first byte that is here ...
    this.end = 0;     // ... and of the one behind the last.
    this.pieces = [];
    this.lines = [];
    this.open = false;  // The last line has no end yet.
    this.decoder = new TextDecoder();
  }

  get empty() {
    return this.pieces.length === 0;
  }

  /**
   * Adds `bytes` that begin at `offset`. False: there is a gap before them, and nothing was done.
   */
  append(offset, bytes) {
    if (this.empty) this.begin = this.end = offset;
    if (offset > this.end) return false;
    const fresh = bytes.subarray(Math.min(this.end - offset, bytes.length));
    if (fresh.length === 0) return true;
    this.pieces.push(fresh);
    this.end += fresh.length;
    this.split(fresh);
    if (this.end - this.begin > kBytesMax) this.forget();
    return true;
  }

  /** Adds bytes before the first. */
  prepend(bytes) {
    this.pieces.unshift(bytes);
    this.begin -= bytes.length;
    this.again();
  }

  split(bytes) {
    const parts = this.decoder.decode(bytes, { stream: true }).split("\n");
    if (this.open) parts[0] = this.lines.pop() + parts[0];
    this.open = parts[parts.length - 1] !== "";
    if (!this.open) parts.pop();
    for (const part of parts) this.lines.push(part);
  }

  again() {
    this.lines = [];
    this.open = false;
    this.decoder = new TextDecoder();
    for (const piece of this.pieces) this.split(piece);
  }

  /** Keeps three quarters of what may be here. */
  forget() {
    while (this.pieces.length > 1
      && this.end - this.begin > kBytesMax * 0.75) this.begin += this.pieces.shift().length;
    this.again();
  }
}
