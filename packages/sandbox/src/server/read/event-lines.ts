import { formatJson } from "@keelson/core";
import { encodeJson } from "../response/encode.ts";

/** Lines of watches, each encoded once for all watches that send it at about the same time. */
export class EventLines {
  readonly #lines = new Map<object, Map<string, Uint8Array>>();
  readonly #limit: number;

  /** `limit`: the number of objects whose lines are kept, those that changed last. */
  constructor(limit = 1024) {
    this.#limit = limit;
  }

  /** `key` names the representation of the source that `make` returns. */
  shared(type: string, source: object, key: string, make: () => object): Uint8Array {
    const lines = this.#of(source);
    const name = `${type} ${key}`;
    const known = lines.get(name);
    if (known !== undefined) return known;
    const line = eventLine(type, make());
    lines.set(name, line);
    return line;
  }

  #of(source: object): Map<string, Uint8Array> {
    const known = this.#lines.get(source);
    if (known !== undefined) return known;
    const lines = new Map<string, Uint8Array>();
    this.#lines.set(source, lines);
    if (this.#lines.size > this.#limit) {
      for (const oldest of this.#lines.keys()) {
        this.#lines.delete(oldest);
        break;
      }
    }
    return lines;
  }
}

export function eventLine(type: string, object: object): Uint8Array {
  return encodeJson(`{"type":"${type}","object":${formatJson(object)}}\n`);
}
