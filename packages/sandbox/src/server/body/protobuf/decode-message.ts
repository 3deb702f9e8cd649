import { type FieldForm, formOf } from "./message-form.ts";
import { chosenForms, specialMessages } from "./special-messages.ts";
import { MalformedMessageError, type WireField, wireFields } from "./wire-reader.ts";

/** No kind is nested deeper. */
const deepest = 100;

/** Decodes a protobuf message to JSON; undefined for kinds that have no message. */
export function messageToJson(name: string, message: Uint8Array): object | undefined {
  return formOf(name) === undefined ? undefined : objectOf(name, message, 0);
}

function objectOf(name: string, message: Uint8Array, depth: number): Record<string, unknown> {
  const form = formOf(name);
  if (form === undefined || depth > deepest) throw new MalformedMessageError(`no message ${name}`);
  const object: Record<string, unknown> = {};
  for (const field of wireFields(message)) {
    const known = form.get(field.number);
    if (known !== undefined) setField(object, known, field, depth);
  }
  return object;
}

function setField(object: Record<string, unknown>, form: FieldForm, field: WireField, depth: number): void {
  const { name, type, isList, isMap, isInlined } = form;
  if (isInlined) {
    Object.assign(object, objectOf(type, field.bytes, depth + 1));
  } else if (isList) {
    const items = object[name];
    const item = fieldValue(type, field, depth);
    if (Array.isArray(items)) items.push(item);
    else object[name] = [item];
  } else if (isMap) {
    const [key, value] = entryOf(type, field.bytes, depth);
    object[name] ??= {};
    Object.defineProperty(Object(object[name]), key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  } else object[name] = fieldValue(type, field, depth);
}

function entryOf(type: string, entry: Uint8Array, depth: number): readonly [string, unknown] {
  let key = "";
  let value: unknown = type === "s" ? "" : null;
  for (const field of wireFields(entry)) {
    if (field.number === 1) key = Buffer.from(field.bytes).toString();
    else value = fieldValue(type, field, depth);
  }
  return [key, value];
}

function fieldValue(type: string, { integer, bytes }: WireField, depth: number): unknown {
  switch (type) {
    case "s":
      return Buffer.from(bytes).toString();
    case "b":
      return integer !== 0n;
    case "i":
      return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
    case "y":
      return Buffer.from(bytes).toString("base64");
    case "d":
      return bytes.length === 8 ? Buffer.from(bytes).readDoubleLE() : 0;
    default:
      if (type.startsWith("!")) return specialMessages[type.slice(1)]?.(bytes);
      return messageValue(type, bytes, depth + 1);
  }
}

function messageValue(type: string, message: Uint8Array, depth: number): unknown {
  const object = objectOf(type, message, depth);
  const choose = chosenForms[type];
  return choose === undefined ? object : choose(object);
}
