import { describe, expect, it } from "vitest";
import { Semaphore } from "./semaphore.ts";

const { signal } = new AbortController();

describe("a semaphore", () => {
  it("are had at once while there are some, and then in the order in which they were asked for", async () => {
    const semaphore = new Semaphore(1);
    const order: string[] = [];
    await semaphore.acquire(signal);
    const waiting = ["a", "b", "c"].map(async (name) => {
      await semaphore.acquire(signal);
      order.push(name);
      semaphore.release();
    });
    await Promise.resolve();
    expect(order).toEqual([]);
    semaphore.release();
    await Promise.all(waiting);
    expect(order).toEqual(["a", "b", "c"]);
    await semaphore.acquire(signal);
  });

  it("are not given to those who gave up", async () => {
    const semaphore = new Semaphore(1);
    await semaphore.acquire(signal);
    const leaving = new AbortController();
    const left = expect(semaphore.acquire(leaving.signal)).rejects.toThrow("enough");
    const next = semaphore.acquire(signal);
    leaving.abort(new Error("enough"));
    await left;
    await expect(semaphore.acquire(leaving.signal)).rejects.toThrow("enough");
    semaphore.release();
    await next;
  });

  it("of those who gave up too late are theirs all the same", async () => {
    const semaphore = new Semaphore(1);
    await semaphore.acquire(signal);
    const leaving = new AbortController();
    const late = semaphore.acquire(leaving.signal);
    semaphore.release();
    leaving.abort(new Error("enough"));
    await late;
    semaphore.release();
    await semaphore.acquire(signal);
  });
});
