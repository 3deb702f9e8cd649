import { describe, expect, it } from "vitest";
import { Slots } from "./slots.ts";

const never = new AbortController().signal;

/** Work that ends when the test says so. */
class Work {
  readonly started: string[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<void>>();

  run(name: string): () => Promise<string> {
    const end = Promise.withResolvers<void>();
    this.#ends.set(name, end);
    return async () => {
      this.started.push(name);
      await end.promise;
      return name;
    };
  }

  end(name: string): void {
    this.#ends.get(name)?.resolve();
  }
}

describe("command slots", () => {
  it("let only so many run, and the others in order", async () => {
    const slots = new Slots(2);
    const work = new Work();
    const all = ["a", "b", "c", "d"].map((name) => slots.run(never, work.run(name)));
    await Promise.resolve();
    expect(work.started).toEqual(["a", "b"]);
    work.end("b");
    await expect.poll(() => work.started).toEqual(["a", "b", "c"]);
    for (const name of ["a", "c", "d"]) work.end(name);
    expect(await Promise.all(all)).toEqual(["a", "b", "c", "d"]);
  });

  it("are free again after a failure", async () => {
    const slots = new Slots(1);
    await expect(slots.run(never, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await slots.run(never, async () => "done")).toBe("done");
  });

  it("are not taken by one that was aborted while it waited", async () => {
    const slots = new Slots(1);
    const work = new Work();
    const abort = new AbortController();
    const first = slots.run(never, work.run("first"));
    const aborted = slots.run(abort.signal, work.run("aborted"));
    const last = slots.run(never, work.run("last"));
    abort.abort(new Error("stopped"));
    await expect(aborted).rejects.toThrow("stopped");
    work.end("first");
    work.end("last");
    expect(await Promise.all([first, last])).toEqual(["first", "last"]);
    expect(work.started).toEqual(["first", "last"]);
  });

  it("are handed on by one whose turn comes in the moment in which it is aborted", async () => {
    const slots = new Slots(1);
    const work = new Work();
    const abort = new AbortController();
    const first = slots.run(never, async () => {
      await Promise.resolve();
      queueMicrotask(() => abort.abort(new Error("stopped")));
    });
    const aborted = slots.run(abort.signal, work.run("aborted")).catch(() => "aborted");
    const last = slots.run(never, async () => "last");
    work.end("aborted");
    await first;
    await aborted;
    expect(await last).toBe("last");
  });
});
