import { draft } from "@keelson/core";
import { describe, expect, test } from "vitest";
import { type Json, serverWorld } from "../../../test/support/server-world.ts";
import { gadget } from "../../../test/support/writer-world.ts";

const first = "/apis/example.com/v1/namespaces/shop/gadgets";
const second = "/apis/example.com/v2/namespaces/shop/gadgets";

/** A kind of two versions, whose conversion marks what it has seen, and counts its calls. */
function twoVersions(): { readonly kinds: readonly (typeof gadget)[]; readonly calls: number[] } {
  const calls: number[] = [];
  const newer: typeof gadget = {
    ...gadget,
    version: "v2",
    async convert(objects, version) {
      calls.push(objects.length);
      return objects.map((object) => ({
        ...draft(object),
        apiVersion: `example.com/${version}`,
        seen: true,
      }));
    },
  };
  return { kinds: [gadget, newer], calls };
}

function body(name: string): object {
  return { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name } };
}

describe("objects of another version than they are stored in", () => {
  test("are converted for gets and lists, many at a time and each once", async () => {
    const { kinds, calls } = twoVersions();
    const { call } = serverWorld(kinds);
    for (const name of ["a", "b", "c"]) await call("POST", first, { body: body(name) });
    const { json } = await call("GET", second);
    expect(json.items).toHaveLength(3);
    expect(json.items[0]).toMatchObject({ apiVersion: "example.com/v2", seen: true });
    expect((await call("GET", `${second}/a`)).json).toMatchObject({
      apiVersion: "example.com/v2",
      seen: true,
    });
    expect(calls).toEqual([3]);
    expect((await call("GET", `${first}/a`)).json).not.toHaveProperty("seen");
  });

  test("are converted for watches, in their order", async () => {
    const { kinds } = twoVersions();
    const { call, watch } = serverWorld(kinds);
    const events = await watch(`${second}?watch=1`);
    for (const name of ["a", "b"]) await call("POST", first, { body: body(name) });
    const seen: Json[] = [(await events.next()).value, (await events.next()).value];
    expect(seen.map(({ object }) => [object.metadata.name, object.apiVersion, object.seen])).toEqual([
      ["a", "example.com/v2", true],
      ["b", "example.com/v2", true],
    ]);
  });
});
