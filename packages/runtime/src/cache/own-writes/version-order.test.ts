import fc from "fast-check";
import { expect, it } from "vitest";
import { VersionOrderedKeys } from "./version-order.ts";

it("returns each key when its version is reached, the earliest first", () => {
  const version = fc.integer({ min: 1, max: 200 });
  const step = fc.oneof(
    fc.record({ add: version }),
    fc.record({ reach: version }),
    fc.record({ retainAbove: version }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const keys = new VersionOrderedKeys();
      let model: number[] = [];
      for (const next of steps) {
        if ("add" in next) {
          keys.add(String(next.add), `k${next.add}`);
          model = [...model, next.add].sort((a, b) => a - b);
        } else if ("reach" in next) {
          const { reach } = next;
          expect(keys.takeReached(String(reach))).toEqual(
            model.filter((one) => one <= reach).map((one) => `k${one}`),
          );
          model = model.filter((one) => one > reach);
        } else {
          const { retainAbove } = next;
          keys.retain((_, awaited) => Number(awaited) > retainAbove);
          model = model.filter((one) => one > retainAbove);
        }
        expect(keys.size).toBe(model.length);
      }
    }),
  );
});
