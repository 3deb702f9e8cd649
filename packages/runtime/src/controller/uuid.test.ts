import { seededRandom } from "@keelson/core";
import { expect, it } from "vitest";
import { lazyUuid, randomUuid } from "./uuid.ts";

it("makes UUIDs of version 4, another one each time", () => {
  const random = seededRandom(7);
  const made = Array.from({ length: 200 }, () => randomUuid(random));
  for (const uuid of made)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(made).size).toBe(made.length);
});

it("makes a lazy one when it is first asked for, once", () => {
  let asked = 0;
  const seeded = seededRandom(7);
  const uuid = lazyUuid({
    next: () => {
      asked += 1;
      return seeded.next();
    },
  });
  expect(asked).toBe(0);
  const first = uuid();
  const askedOnce = asked;
  expect(uuid()).toBe(first);
  expect(asked).toBe(askedOnce);
});
