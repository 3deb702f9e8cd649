import { expect, it } from "vitest";
import { requireKnownKinds } from "./set-up-operators.ts";

const kinds = ["Gadget.cli.example.com", "Pod"];

it("takes a concurrency of kinds that are reconciled, and of all", () => {
  requireKnownKinds({ default: 2, byKind: { Pod: 3, "Gadget.cli.example.com": 4 } }, kinds);
  requireKnownKinds({}, []);
});

it("lists the kinds that exist when an unknown one is named", () => {
  expect(() =>
    requireKnownKinds({ byKind: { Pod: 3, "Gadgets.cli.example.com": 4, Node: 1 } }, kinds),
  ).toThrow(
    "set --concurrency: no controller of these operators reconciles Gadgets.cli.example.com, Node; " +
      "there are Gadget.cli.example.com, Pod; did you mean Gadget.cli.example.com?",
  );
  expect(() => requireKnownKinds({ byKind: { Node: 1 } }, [])).toThrow(
    "set --concurrency: no controller of these operators reconciles Node; they reconcile no kind at all",
  );
});
