import { freeze, type KubeObject, type ObjectKey } from "@keelson/core";
import type { ScannedLine } from "./watch-line-scanner.ts";

/** One state of an object: what is needed to file it, and the object itself, which may be parsed only when read. */
export interface Snapshot<T extends KubeObject> extends ObjectKey {
  /** The key in one piece: `shop/web`, or `/node-1` for an object without a namespace. */
  readonly keyText: string;
  /** Empty if the server gave none. */
  readonly resourceVersion: string;
  /** Frozen all the way down, and the same reference every time. */
  readonly object: T;
  /**
   * The same state of the same object with what a function makes of it, whatever that says of its key. The function may
   * change what it is given, unless somebody has read `object`; this snapshot is not to be used any more.
   */
  transformed(transform: (object: T) => T): Snapshot<T>;
}

/** A snapshot of an object that is parsed. Nobody else may hold the object in order to change it. */
export function parsedSnapshot<T extends KubeObject>(object: T): Snapshot<T> {
  const { namespace, name = "", resourceVersion = "" } = object.metadata;
  return new ParsedSnapshot(
    { namespace, name, keyText: `${namespace ?? ""}/${name}`, resourceVersion },
    object,
  );
}

/** A snapshot that is parsed when it is read. The line must be about an object of that type. */
export function unparsedSnapshot<T extends KubeObject>(line: ScannedLine): Snapshot<T> {
  return new UnparsedSnapshot<T>(line);
}

/** The key alone: whoever keeps it does not keep the object. */
export function plainKey({ namespace, name }: ObjectKey): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name };
}

/** The name of a key in a store; see Snapshot. */
export function keyTextOf({ namespace = "", name }: ObjectKey): string {
  return `${namespace}/${name}`;
}

interface Place {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly keyText: string;
  readonly resourceVersion: string;
}

class ParsedSnapshot<T extends KubeObject> implements Snapshot<T> {
  declare readonly namespace?: string;
  readonly name: string;
  readonly keyText: string;
  readonly resourceVersion: string;
  readonly #object: T;
  /** A list is frozen object by object as it is read: all at once would hold up everything else. */
  #isFrozen = false;

  constructor({ namespace, name, keyText, resourceVersion }: Place, object: T) {
    if (namespace !== undefined) this.namespace = namespace;
    this.name = name;
    this.keyText = keyText;
    this.resourceVersion = resourceVersion;
    this.#object = object;
  }

  get object(): T {
    if (!this.#isFrozen) {
      freeze(this.#object);
      this.#isFrozen = true;
    }
    return this.#object;
  }

  transformed(transform: (object: T) => T): Snapshot<T> {
    return new ParsedSnapshot(this, transform(this.#object));
  }
}

class UnparsedSnapshot<T extends KubeObject> implements Snapshot<T> {
  declare readonly namespace?: string;
  readonly name: string;
  readonly keyText: string;
  readonly resourceVersion: string;
  readonly #isAscii: boolean;
  /** The bytes of the JSON, one per character, until the object takes their place. */
  #content: string | T;

  constructor({ namespace, name, keyText, resourceVersion, bytes, isAscii }: ScannedLine) {
    if (namespace !== undefined) this.namespace = namespace;
    this.name = name;
    this.keyText = keyText;
    this.resourceVersion = resourceVersion;
    this.#content = bytes;
    this.#isAscii = isAscii;
  }

  get object(): T {
    if (typeof this.#content === "string") {
      const object = this.#parse(this.#content);
      freeze(object);
      this.#content = object;
    }
    return this.#content;
  }

  transformed(transform: (object: T) => T): Snapshot<T> {
    const object = typeof this.#content === "string" ? this.#parse(this.#content) : this.#content;
    return new ParsedSnapshot(this, transform(object));
  }

  /** The scanner has found that the bytes are JSON and say of themselves that they are of the kind [RF20, RF14]. */
  #parse(bytes: string): T {
    return JSON.parse(this.#isAscii ? bytes : Buffer.from(bytes, "latin1").toString("utf8"));
  }
}
