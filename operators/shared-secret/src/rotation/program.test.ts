import { describe, expect, it } from "vitest";
import { parseKeys } from "./program.ts";

describe("SHARED_SECRETS", () => {
  it("is a list of namespaces and names, each of which counts once", () => {
    expect(parseKeys("shop/orders-db, billing/billing-db,shop/orders-db")).toEqual({
      keys: [
        { namespace: "shop", name: "orders-db" },
        { namespace: "billing", name: "billing-db" },
      ],
    });
  });

  for (const text of ["", "orders-db", "shop/", "/orders-db", "shop/a/b", "shop/Orders", "shop/a,,shop/b"])
    it(`is refused if it is ${JSON.stringify(text)}`, () => {
      expect(parseKeys(text)).toEqual({ problem: expect.stringMatching(/not the namespace and name/) });
    });
});
