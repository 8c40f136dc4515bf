// Reading an event stream over fetch: it carries the token in a header, which EventSource cannot.

import { fetched } from "./api.mjs";

/** @typedef {{kind: string, body: any}} Frame `event` or `reset`, and what it carries */

const SILENCE = 40_000; // ms: two heartbeats and a half; then the connection is dead, whatever the browser believes

/**
 * Reads a stream until it ends: after five minutes, or with the process. Throws `Problem` where it is refused.
 * @param {string} path @param {string | undefined} token @param {AbortController} reading ends it
 * @param {(frames: Frame[]) => Promise<void>} heard each sign of life, with the frames it completes
 */
export async function readStream(path, token, reading, heard) {
  const dead = () => reading.abort();
  let silence = setTimeout(dead, SILENCE);
  let text = "";
  try {
    const response = await fetched("GET", path, { token, accept: "text/event-stream", signal: reading.signal, priority: "low" });
    const reader = /** @type {ReadableStream<BufferSource>} */ (response.body).pipeThrough(new TextDecoderStream()).getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(silence);
        silence = setTimeout(dead, SILENCE);
        const parts = (text + value).split("\n\n");
        text = parts.pop() ?? "";
        await heard(parts.flatMap(frame));
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  } finally {
    clearTimeout(silence);
  }
}

/** @param {string} text @returns {Frame[]} none for a heartbeat */
function frame(text) {
  const [, kind, data] = /(?:^|\n)event: (\w+)\ndata: (.*)$/.exec(text) ?? [];
  return kind === undefined ? [] : [{ kind, body: JSON.parse(data) }];
}
