import { expect, it } from "vitest";
import { connect } from "./connect.ts";

it("says what was tried when there is no cluster to connect to", async () => {
  await expect(connect({ env: { HOME: "/nowhere" } })).rejects.toMatchObject({ code: expect.any(String) });
  await expect(connect({ env: { HOME: "/nowhere" } })).rejects.toThrow(/\/nowhere\/\.kube\/config/);
});
