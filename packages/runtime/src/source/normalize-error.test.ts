import { expect, it } from "vitest";
import { isNormalError, normalizeError, textOfAny } from "./normalize-error.ts";

const unreadable = (): never => {
  throw new Error("not to be read");
};

const odd: readonly (readonly [string, unknown])[] = [
  ["an object without a prototype", Object.create(null)],
  ["an object that cannot be turned into text", { toString: unreadable }],
  ["an Error whose message is undefined", Object.assign(new Error("x"), { message: undefined })],
  ["an Error whose message is an object", Object.assign(new Error("x"), { message: Object.create(null) })],
  ["an Error whose message throws", Object.defineProperty(new Error("x"), "message", { get: unreadable })],
  ["an Error whose name is no text", Object.assign(new Error("x"), { name: 5 })],
  ["a proxy that answers nothing", new Proxy({}, { get: unreadable, getPrototypeOf: unreadable })],
  ["a symbol", Symbol("x")],
  ["nothing", undefined],
];

it.each(odd)("%s has a text, and becomes an Error with the value as its cause", (_, thrown) => {
  expect(textOfAny(thrown)).toBeTypeOf("string");
  expect(isNormalError(thrown)).toBe(false);
  const error = normalizeError(thrown);
  expect(error.message).toBeTypeOf("string");
  expect(Object.is(error.cause, thrown)).toBe(true);
});

it("leaves an Error as it is", () => {
  const error = new TypeError("no");
  expect(normalizeError(error)).toBe(error);
});
