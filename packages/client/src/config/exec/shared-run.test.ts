import { describe, expect, it } from "vitest";
import { SharedRun } from "./shared-run.ts";

function setUp() {
  const runs: { signal: AbortSignal; resolve: (value: string) => void; reject: (error: Error) => void }[] =
    [];
  const shared = new SharedRun((signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    runs.push({ signal, resolve, reject });
    return promise;
  });
  return { runs, shared };
}

describe("shared work", () => {
  it("is done once for all who ask while it is under way, and again for who asks later", async () => {
    const { runs, shared } = setUp();
    const both = [shared.join(), shared.join(new AbortController().signal)];
    expect(runs).toHaveLength(1);
    runs[0]?.resolve("one");
    expect(await Promise.all(both)).toEqual(["one", "one"]);
    const later = shared.join();
    runs[1]?.resolve("two");
    expect(await later).toBe("two");
  });

  it("goes on for the remaining callers when one of them leaves", async () => {
    const { runs, shared } = setUp();
    const leaver = new AbortController();
    const leaving = shared.join(leaver.signal);
    const staying = shared.join();
    leaver.abort(new Error("I have to go"));
    await expect(leaving).rejects.toThrow("I have to go");
    expect(runs[0]?.signal.aborted).toBe(false);
    runs[0]?.resolve("one");
    expect(await staying).toBe("one");
  });

  it("is aborted when the last one leaves, and starts anew only when it has ended", async () => {
    const { runs, shared } = setUp();
    const leaver = new AbortController();
    const leaving = shared.join(leaver.signal);
    leaver.abort(new Error("I have to go"));
    await expect(leaving).rejects.toThrow("I have to go");
    expect(runs[0]?.signal.aborted).toBe(true);

    const next = shared.join();
    await Promise.resolve();
    expect(runs).toHaveLength(1);
    runs[0]?.reject(new Error("killed"));
    await expect.poll(() => runs.length).toBe(2);
    runs[1]?.resolve("two");
    expect(await next).toBe("two");
  });

  it("fails for all who wait, and can be tried again", async () => {
    const { runs, shared } = setUp();
    const both = Promise.allSettled([shared.join(), shared.join()]);
    runs[0]?.reject(new Error("no luck"));
    expect(await both).toEqual([
      expect.objectContaining({ status: "rejected" }),
      expect.objectContaining({ status: "rejected" }),
    ]);
    const again = shared.join();
    runs[1]?.resolve("two");
    expect(await again).toBe("two");
  });

  it("is not started for one who has gone already", async () => {
    const { runs, shared } = setUp();
    await expect(shared.join(AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    expect(runs).toHaveLength(0);
  });
});
