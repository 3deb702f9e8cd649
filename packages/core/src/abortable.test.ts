import { expect, it } from "vitest";
import { abortable, aborted } from "./abortable.ts";

const never = new Promise<never>(() => undefined);

it("resolves as the promise does, also without a signal", async () => {
  expect(await abortable(Promise.resolve(1), undefined)).toBe(1);
  expect(await abortable(Promise.resolve(1), new AbortController().signal)).toBe(1);
  await expect(abortable(Promise.reject(new Error("leak")), new AbortController().signal)).rejects.toThrow(
    "leak",
  );
});

it("throws the reason of the signal as soon as it aborts", async () => {
  const controller = new AbortController();
  const waiting = abortable(never, controller.signal);
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(abortable(never, controller.signal)).rejects.toThrow("enough");
});

it("resolves when the signal aborts, and at once if it has aborted before", async () => {
  const controller = new AbortController();
  const waiting = aborted(controller.signal);
  controller.abort(new Error("enough"));
  await expect(waiting).resolves.toBeUndefined();
  await expect(aborted(controller.signal)).resolves.toBeUndefined();
});
