// SPDX-License-Identifier: MIT
// The one door to the libraries: all that makes elements comes from here. A name or an output in
// `${}` becomes a text node or the value of an attribute, whatever it holds.
import { Component, h, render, Fragment } from "preact";
import htm from "htm";

export { Component, render, Fragment };
export { useState, useEffect, useRef, useMemo, useCallback, useReducer,
  useLayoutEffect } from "preact/hooks";
export const html = htm.bind(h);

/** Words of class names, without those that are false. */
export function classes(...words) {
  return words.filter(Boolean).join(" ");
}
