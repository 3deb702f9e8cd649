import {
  formatJson,
  freeze,
  hasIdentityOf,
  isRecord,
  type Kind,
  type KubeObject,
  type ObjectKey,
  parseJson,
  reduceTo,
  type Stored,
  toError,
} from "@keelson/core";

/** One state of an object: its key and version, and the object itself, which may be parsed only when it is read. */
export interface Snapshot<T extends KubeObject> extends ObjectKey {
  /** The key in one piece: `shop/web`, or `/node-1` for an object without a namespace. */
  readonly keyText: string;
  /** Empty if the server sent none. */
  readonly resourceVersion: string;
  /** Frozen all the way down, and the same reference every time. Throws `problem` if there is one. */
  readonly object: Stored<T>;
  /** About how many bytes of JSON the first read of the object processes; 0 after it. */
  readonly unreadBytes: number;
  /** Why the object cannot be read; undefined if it can. */
  readonly problem?: Error;
  /**
   * The same state of the same object, transformed by a function; the key stays, whatever the function does to it. The
   * function may change its argument, unless `object` has been read; this snapshot must not be used afterwards.
   */
  transformed(transform: (object: Stored<T>) => Stored<T>): Snapshot<T>;
}

/** An object as a watch or a watch-list reports it. */
export interface ObjectEvent<T extends KubeObject = KubeObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly snapshot: Snapshot<T>;
}

/** The version that a watch has reached. */
export interface Bookmark {
  readonly type: "BOOKMARK";
  readonly resourceVersion: string;
  /** All objects that existed when the watch began have come. */
  readonly endsInitialEvents: boolean;
}

/** The key and version of the object on a line, and the JSON of the object, unparsed. */
export interface ScannedLine {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly namespace: string | undefined;
  readonly name: string;
  /** The key of the object in one piece; see Snapshot. */
  readonly keyText: string;
  readonly resourceVersion: string;
  /** The JSON of the object: each byte of it is one character. */
  readonly bytes: string;
  /** Whether these characters are also those of the text. */
  readonly isAscii: boolean;
}

/** A snapshot of an object that is parsed. No other code may change the object afterwards. */
export function parsedSnapshot<T extends KubeObject>(object: Stored<T>): Snapshot<T> {
  return new ParsedSnapshot(identityIn(object), object);
}

function identityIn({ metadata }: Stored): Identity {
  const { namespace, name, resourceVersion = "" } = metadata;
  return { namespace, name, keyText: `${namespace ?? ""}/${name}`, resourceVersion };
}

/**
 * A snapshot of an object that the server sent, and that no other code uses. Of an object of a projected kind only the
 * projection is kept; if that fails, the snapshot cannot be read.
 */
export function arrivedSnapshot<T extends KubeObject>(kind: Kind<T>, object: Stored): Snapshot<T> {
  try {
    const reduced = reduceTo(kind, object);
    if (hasIdentityOf(kind, reduced)) return parsedSnapshot(reduced);
    throw new Error(`it is a ${reduced.kind} of ${reduced.apiVersion}`);
  } catch (error) {
    return new UnreadableSnapshot(identityIn(object), toError(error), undefined);
  }
}

/** Why an object of the server has no key or version that can be used; undefined if it has [RF23]. */
export function keyProblem({ metadata }: { readonly metadata: object }): string | undefined {
  const { name, namespace, resourceVersion }: Readonly<Record<string, unknown>> = { ...metadata };
  if (typeof name !== "string" || name === "")
    return `its name is ${name === undefined ? "missing" : formatJson(name)}`;
  if (namespace !== undefined && typeof namespace !== "string")
    return `the namespace of ${formatJson(name)} is ${formatJson(namespace)}`;
  if (resourceVersion !== undefined && typeof resourceVersion !== "string")
    return `the resource version of ${formatJson(name)} is ${formatJson(resourceVersion)}`;
  return undefined;
}

/** A snapshot that is parsed when it is read. The line must be about an object of that type. */
export function unparsedSnapshot<T extends KubeObject>(line: ScannedLine): Snapshot<T> {
  return new UnparsedSnapshot<T>(line);
}

/** A state that cannot be read. `last` is the newest state before it that can. */
export class UnreadableSnapshot<T extends KubeObject> implements Snapshot<T> {
  declare readonly namespace?: string;
  readonly name: string;
  readonly keyText: string;
  readonly resourceVersion: string;
  readonly unreadBytes = 0;
  readonly problem: Error;
  readonly last: Snapshot<T> | undefined;

  constructor(identity: Identity, problem: Error, last: Snapshot<T> | undefined) {
    const { namespace, name, keyText, resourceVersion } = identity;
    if (namespace !== undefined) this.namespace = namespace;
    this.name = name;
    this.keyText = keyText;
    this.resourceVersion = resourceVersion;
    this.problem = problem;
    this.last = last;
  }

  get object(): Stored<T> {
    throw this.problem;
  }

  transformed(): Snapshot<T> {
    return this;
  }
}

/** The newest state that can be read: this one, or one before it. */
export function lastReadable<T extends KubeObject>(
  snapshot: Snapshot<T> | undefined,
): Snapshot<T> | undefined {
  return snapshot instanceof UnreadableSnapshot ? snapshot.last : snapshot;
}

/** A key alone, which does not keep an object in memory. */
export function plainKey({
  namespace,
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name: string;
}): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name };
}

/** The name of a key in a store; see Snapshot. */
export function keyTextOf({
  namespace = "",
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name: string;
}): string {
  return `${namespace}/${name}`;
}

interface Identity {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly keyText: string;
  readonly resourceVersion: string;
}

/** What an object that is parsed and not frozen counts as: its size is not known, and freezing takes less than parsing. */
const unfrozenBytes = 1_000;

class ParsedSnapshot<T extends KubeObject> implements Snapshot<T> {
  declare readonly namespace?: string;
  readonly name: string;
  readonly keyText: string;
  readonly resourceVersion: string;
  readonly #object: Stored<T>;
  /** A list is frozen object by object as it is read: freezing all at once would block the event loop. */
  #isFrozen = false;

  constructor({ namespace, name, keyText, resourceVersion }: Identity, object: Stored<T>) {
    if (namespace !== undefined) this.namespace = namespace;
    this.name = name;
    this.keyText = keyText;
    this.resourceVersion = resourceVersion;
    this.#object = object;
  }

  get object(): Stored<T> {
    if (!this.#isFrozen) {
      freeze(this.#object);
      this.#isFrozen = true;
    }
    return this.#object;
  }

  get unreadBytes(): number {
    return this.#isFrozen ? 0 : unfrozenBytes;
  }

  transformed(transform: (object: Stored<T>) => Stored<T>): Snapshot<T> {
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
  #content: string | Stored<T>;

  constructor({ namespace, name, keyText, resourceVersion, bytes, isAscii }: ScannedLine) {
    if (namespace !== undefined) this.namespace = namespace;
    this.name = name;
    this.keyText = keyText;
    this.resourceVersion = resourceVersion;
    this.#content = bytes;
    this.#isAscii = isAscii;
  }

  get object(): Stored<T> {
    if (typeof this.#content === "string") {
      const object = this.#parse(this.#content);
      freeze(object);
      this.#content = object;
    }
    return this.#content;
  }

  get unreadBytes(): number {
    return typeof this.#content === "string" ? this.#content.length : 0;
  }

  transformed(transform: (object: Stored<T>) => Stored<T>): Snapshot<T> {
    const object = typeof this.#content === "string" ? this.#parse(this.#content) : this.#content;
    return new ParsedSnapshot(this, transform(object));
  }

  /** The scanner has checked that the bytes are JSON and an object of the kind [RF20, RF14]. */
  #parse(bytes: string): Stored<T> {
    const object = parseJson(this.#isAscii ? bytes : Buffer.from(bytes, "latin1").toString("utf8"));
    if (isScanned<T>(object)) return object;
    throw new Error(`parse ${this.keyText}: the scanner took a line that holds no object`);
  }
}

/** Of what the scanner has checked, this is all that can be wrong. */
function isScanned<T extends KubeObject>(value: unknown): value is Stored<T> {
  return isRecord(value);
}
