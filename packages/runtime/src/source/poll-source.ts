import { checkPeriod, runRepeatedly } from "./interval-source.ts";
import { lowPriority, type RunningSource, type Source, type SourceContext } from "./source.ts";

export interface PollSourceOptions<Item, Key> {
  /** What is polled, for logs and the causal log, such as `buckets`. */
  readonly name: string;
  /** From the end of one poll to the start of the next. */
  readonly everyMs: number;
  /** Returns all existing items. If it throws, no item counts as deleted, and it is called again after a back-off. */
  readonly poll: (signal: AbortSignal) => Promise<Iterable<Item>>;
  /** The key of an item. Several items may have the same key. */
  readonly keyOf: (item: Item) => Key;
  /** The version of an item, which changes with the item, such as an ETag. */
  readonly versionOf: (item: Item) => string;
}

interface Seen<Key> {
  readonly key: Key;
  /** The versions of all items of the key. */
  readonly versions: readonly string[];
}

type Items<Key> = ReadonlyMap<string, Seen<Key>>;

/**
 * The changes of a system that has no watch, found by polling: a key is enqueued when an item of it is created, changed or
 * deleted. The keys of the first poll are enqueued at low priority, as those of the initial list of a kind are.
 */
export function pollSource<Item, Key>(options: PollSourceOptions<Item, Key>): Source<Key> {
  checkPeriod(options.name, options.everyMs);
  return { name: options.name, run: (context) => runPoll(options, context) };
}

function runPoll<Item, Key>(
  { name, everyMs, poll, keyOf, versionOf }: PollSourceOptions<Item, Key>,
  context: SourceContext<Key>,
): RunningSource {
  let last: Items<Key> | undefined;
  const task = async (signal: AbortSignal): Promise<void> => {
    const seen = new Map<string, { readonly key: Key; readonly versions: string[] }>();
    for (const item of await poll(signal)) {
      const key = keyOf(item);
      const id = context.formatKey(key);
      const known = seen.get(id);
      if (known === undefined) seen.set(id, { key, versions: [versionOf(item)] });
      else known.versions.push(versionOf(item));
    }
    if (signal.aborted) return;
    for (const { versions } of seen.values()) versions.sort();
    for (const { key, type } of differences(last ?? new Map(), seen)) {
      const isInitial = last === undefined;
      const trigger = { source: name, type, ...(isInitial && { isInitial }) };
      context.enqueue(key, isInitial ? { trigger, priority: lowPriority } : { trigger });
    }
    last = seen;
  };
  return runRepeatedly({ everyMs, action: `poll ${name}`, task }, context);
}

interface Difference<Key> {
  readonly key: Key;
  readonly type: "create" | "update" | "delete";
}

function* differences<Key>(last: Items<Key>, now: Items<Key>): Generator<Difference<Key>> {
  for (const [id, { key }] of last) {
    if (!now.has(id)) yield { key, type: "delete" };
  }
  for (const [id, { key, versions }] of now) {
    const before = last.get(id)?.versions;
    if (before === undefined) yield { key, type: "create" };
    else if (!sameVersions(before, versions)) yield { key, type: "update" };
  }
}

function sameVersions(before: readonly string[], now: readonly string[]): boolean {
  return before.length === now.length && before.every((version, place) => version === now[place]);
}
