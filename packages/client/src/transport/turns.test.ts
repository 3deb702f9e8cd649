import { describe, expect, it } from "vitest";
import { Turns } from "./turns.ts";

const { signal } = new AbortController();

describe("turns", () => {
  it("are had at once while there are some, and then in the order in which they were asked for", async () => {
    const turns = new Turns(1);
    const order: string[] = [];
    await turns.begin(signal);
    const waiting = ["a", "b", "c"].map(async (name) => {
      await turns.begin(signal);
      order.push(name);
      turns.end();
    });
    await Promise.resolve();
    expect(order).toEqual([]);
    turns.end();
    await Promise.all(waiting);
    expect(order).toEqual(["a", "b", "c"]);
    await turns.begin(signal);
  });

  it("are not given to those who gave up", async () => {
    const turns = new Turns(1);
    await turns.begin(signal);
    const leaving = new AbortController();
    const left = expect(turns.begin(leaving.signal)).rejects.toThrow("enough");
    const next = turns.begin(signal);
    leaving.abort(new Error("enough"));
    await left;
    await expect(turns.begin(leaving.signal)).rejects.toThrow("enough");
    turns.end();
    await next;
  });

  it("of those who gave up too late are theirs all the same", async () => {
    const turns = new Turns(1);
    await turns.begin(signal);
    const leaving = new AbortController();
    const late = turns.begin(leaving.signal);
    turns.end();
    leaving.abort(new Error("enough"));
    await late;
    turns.end();
    await turns.begin(signal);
  });
});
