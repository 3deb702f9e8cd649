type Entries = readonly (readonly [string, unknown])[];

/** An object or array whose copy is empty as yet. */
interface Copy {
  readonly from: object;
  readonly to: unknown[] | Record<string, unknown>;
}

/** Copies a JSON value with the fields that `entriesOf` finds in each object. What is no JSON, such as a Date, is shared. */
export function copyJson(value: unknown, entriesOf: (object: object) => Entries): unknown {
  // Not by recursion: the depth of an object is what its author chose, and the stack is limited.
  const open: Copy[] = [];
  const top = beginCopy(open, value);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { from, to } = next;
    if (Array.isArray(to)) for (const element of Object.values(from)) to.push(beginCopy(open, element));
    else for (const [key, field] of entriesOf(from)) setOwn(to, key, beginCopy(open, field));
  }
  return top;
}

function beginCopy(open: Copy[], from: unknown): unknown {
  if (typeof from !== "object" || from === null || hasOwnFormat(from)) return from;
  const to: Copy["to"] = Array.isArray(from) ? [] : {};
  open.push({ from, to });
  return to;
}

function hasOwnFormat({ toJSON }: { readonly toJSON?: unknown }): boolean {
  return typeof toJSON === "function";
}

/** By assignment, the key `__proto__`, which data may have, would change what the object inherits instead. */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
