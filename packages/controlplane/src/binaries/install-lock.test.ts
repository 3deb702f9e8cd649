import { existsSync } from "node:fs";
import { utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { withInstallLock } from "./install-lock.ts";

const nobodyWaits = (): never => {
  throw new Error("no process holds the lock");
};

it("gives the result of the work and frees the lock", async () => {
  const lock = join(await tempFolder(), "deep", "lock");
  const result = await withInstallLock(lock, nobodyWaits, undefined, async () => existsSync(lock));
  expect(result).toBe(true);
  expect(existsSync(lock)).toBe(false);
});

it("frees the lock when the work fails", async () => {
  const lock = join(await tempFolder(), "lock");
  const failing = withInstallLock(lock, nobodyWaits, undefined, () => Promise.reject(new Error("disk full")));
  await expect(failing).rejects.toThrow("disk full");
  expect(existsSync(lock)).toBe(false);
});

it("lets one work at a time", async () => {
  const lock = join(await tempFolder(), "lock");
  const { promise: firstMayEnd, resolve: endFirst } = Promise.withResolvers<void>();
  const order: string[] = [];
  const first = withInstallLock(lock, nobodyWaits, undefined, async () => {
    order.push("first begins");
    await firstMayEnd;
    order.push("first ends");
  });
  await expect.poll(() => order).toEqual(["first begins"]);
  // Only once the second is waiting does the first go on.
  const second = withInstallLock(lock, endFirst, undefined, async () => {
    order.push("second begins");
  });
  await Promise.all([first, second]);
  expect(order).toEqual(["first begins", "first ends", "second begins"]);
});

it("takes over from a holder that shows no sign of life", async () => {
  const lock = join(await tempFolder(), "lock");
  await writeFile(lock, "");
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(lock, longAgo, longAgo);
  await expect(withInstallLock(lock, nobodyWaits, undefined, async () => "done")).resolves.toBe("done");
});

it("stops waiting when it is aborted", async () => {
  const lock = join(await tempFolder(), "lock");
  await writeFile(lock, "");
  const controller = new AbortController();
  const abort = (): void => controller.abort(new Error("enough"));
  const waiting = withInstallLock(lock, abort, controller.signal, async () => "done");
  await expect(waiting).rejects.toThrow("enough");
  expect(existsSync(lock)).toBe(true);
});
