import { deepEqual, draft, formatJson, type JsonPatchOperation } from "@keelson/core";
import { fieldOf, isJsonObject, type JsonObject, setField } from "../schema/json-document.ts";
import { rejectedPatch, tooManyOperations } from "../status/request-errors.ts";

const maxOperations = 10_000;
/** Copies of copies grow exponentially; the server stops at this many characters of JSON. */
const maxCopiedLength = 3 * 1024 * 1024;

/**
 * Applies an RFC 6902 patch to a copy of the object, with the behaviour of the server's library: `replace` also adds a
 * field that is missing, negative indices count from the end, `test` of a missing field passes for null, and the whole
 * document can be replaced but not added. Throws ApiError, always the same, if an operation does not fit.
 */
export function applyJsonPatch(
  object: Readonly<JsonObject>,
  operations: readonly JsonPatchOperation[],
): JsonObject {
  if (operations.length > maxOperations) throw tooManyOperations(maxOperations, operations.length);
  const document: Document = { root: draft(object), copied: 0 };
  for (const operation of operations) applyOperation(document, operation);
  if (!isJsonObject(document.root)) throw rejectedPatch();
  return document.root;
}

interface Document {
  root: JsonObject | unknown[];
  /** Characters of JSON that `copy` has added. */
  copied: number;
}

interface Place {
  readonly container: JsonObject | unknown[];
  readonly key: string;
}

function applyOperation(document: Document, operation: JsonPatchOperation): void {
  if (!isJsonObject(operation) || typeof operation.path !== "string") throw rejectedPatch();
  if (operation.op === "add") add(find(document, operation.path), draft(operation.value ?? null));
  else if (operation.op === "remove") remove(find(document, operation.path));
  else if (operation.op === "replace") replace(document, operation.path, draft(operation.value ?? null));
  else if (operation.op === "test") test(document, operation.path, operation.value ?? null);
  else if (operation.op === "move") move(document, operation.from, operation.path);
  else if (operation.op === "copy") copy(document, operation.from, operation.path);
  else throw rejectedPatch();
}

function move(document: Document, from: unknown, path: string): void {
  const source = find(document, from);
  const moved = get(source) ?? null;
  remove(source);
  add(find(document, path), moved);
}

function copy(document: Document, from: unknown, path: string): void {
  const copied = draft(get(find(document, from)) ?? null);
  document.copied += formatJson(copied).length;
  if (document.copied > maxCopiedLength) throw rejectedPatch();
  add(find(document, path), copied);
}

function find({ root }: Document, path: unknown): Place {
  if (typeof path !== "string") throw rejectedPatch();
  const keys = path.split("/").slice(1).map(unescaped);
  const last = keys.pop();
  if (last === undefined) throw rejectedPatch();
  let container: JsonObject | unknown[] = root;
  for (const key of keys) {
    const next = get({ container, key });
    if (!isJsonObject(next) && !Array.isArray(next)) throw rejectedPatch();
    container = next;
  }
  return { container, key: last };
}

function unescaped(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Undefined for a missing field; throws ApiError for an index outside of an array. */
function get({ container, key }: Place): unknown {
  return Array.isArray(container) ? container[index(key, container.length)] : fieldOf(container, key);
}

function add({ container, key }: Place, value: unknown): void {
  if (!Array.isArray(container)) setField(container, key, value);
  else if (key === "-") container.push(value);
  else container.splice(index(key, container.length + 1), 0, value);
}

function remove({ container, key }: Place): void {
  if (Array.isArray(container)) container.splice(index(key, container.length), 1);
  else if (!Object.hasOwn(container, key)) throw rejectedPatch();
  else delete container[key];
}

function replace(document: Document, path: string, value: unknown): void {
  if (path === "") {
    if (!isJsonObject(value) && !Array.isArray(value)) throw rejectedPatch();
    document.root = value;
    return;
  }
  const { container, key } = find(document, path);
  if (Array.isArray(container)) container[index(key, container.length)] = value;
  else setField(container, key, value);
}

function test(document: Document, path: string, expected: unknown): void {
  const actual = path === "" ? document.root : get(find(document, path));
  if (!deepEqual(actual ?? null, expected)) throw rejectedPatch();
}

/** The index of a key in an array of this length; negative keys count from its end. */
function index(key: string, length: number): number {
  if (!/^[+-]?\d+$/.test(key)) throw rejectedPatch();
  const number = Number(key);
  const position = number < 0 ? number + length : number;
  if (position < 0 || position >= length) throw rejectedPatch();
  return position;
}
