// SPDX-License-Identifier: MIT
import { useLayoutEffect, useRef, useState } from "../base/html.js";

/** The width of an element in pixels, as it changes: drawings must know it. */
export function useWidth(first = 600) {
  const box = useRef(null);
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([entry]) =>
      setWidth(Math.max(Math.floor(entry.contentRect.width), 200)));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return [box, width];
}
