import { IDL } from "@icp-sdk/core/candid";
import { expect, it } from "vitest";
import { checkTypes } from "./candid-types.ts";

const entry = IDL.Record({ id: IDL.Text, ttl: IDL.Nat32 });
const refused = "types that no list of the canister has";

function check(type: IDL.Type, value: unknown) {
  const message = IDL.encode(
    [IDL.Record({ entries: IDL.Vec(entry), other: type })],
    [{ entries: [], other: value }],
  );
  return () => checkTypes(message);
}

it("accepts lists of records with a text, plain values, and bytes", () => {
  const value = { entries: [{ id: "a", ttl: 1 }], data: "x", certificate: [new Uint8Array(3)] };
  const type = IDL.Record({
    entries: IDL.Vec(entry),
    data: IDL.Text,
    certificate: IDL.Opt(IDL.Vec(IDL.Nat8)),
  });
  expect(() => checkTypes(IDL.encode([type], [value]))).not.toThrow();
});

it.each([
  ["nulls", IDL.Vec(IDL.Null), [null]],
  ["records without fields", IDL.Vec(IDL.Record({})), [{}]],
  ["records of nulls", IDL.Vec(IDL.Record({ a: IDL.Null })), [{ a: null }]],
  ["lists of nulls", IDL.Vec(IDL.Vec(IDL.Null)), [[null]]],
])("refuses a list of %s, of which a few bytes can announce billions", (_, type, value) => {
  expect(check(type, value)).toThrow(refused);
});

it("refuses records of records, of which a few types can have billions of fields", () => {
  const nested = (depth: number): [IDL.Type, unknown] => {
    if (depth === 0) return [IDL.Null, null];
    const [type, value] = nested(depth - 1);
    return [IDL.Record({ a: type, b: type }), { a: value, b: value }];
  };
  expect(check(...nested(3))).toThrow(refused);
});

it.each([
  ["a variant", IDL.Variant({ a: IDL.Null }), { a: null }],
  ["an optional record", IDL.Opt(IDL.Record({ a: IDL.Null })), []],
])("refuses %s", (_, type, value) => {
  expect(check(type, value)).toThrow(refused);
});

it("refuses more values than one, or none", () => {
  expect(() => checkTypes(IDL.encode([entry, IDL.Null], [{ id: "", ttl: 1 }, null]))).toThrow(refused);
  expect(() => checkTypes(IDL.encode([], []))).toThrow(refused);
});

it("refuses a hundred fields and more", () => {
  const names = Array.from({ length: 101 }, (_, index) => `field-${index}`);
  const type = IDL.Record(Object.fromEntries(names.map((name) => [name, IDL.Null])));
  expect(check(type, Object.fromEntries(names.map((name) => [name, null])))).toThrow("101 types or fields");
});

it("refuses a message that ends in its types", () => {
  const message = IDL.encode([IDL.Vec(entry)], [[]]);
  expect(() => checkTypes(message.slice(0, 8))).toThrow();
});
