import { expect, it } from "vitest";
import * as entry from "./index.ts";

it("exports exactly what users may rely on", () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "InvalidNodesError",
      "NoAddressLeftError",
      "NodeTakenError",
      "UnknownNodeError",
      "annotations",
      "nodeLabel",
      "startHollowNodes",
    ]
  `);
});
