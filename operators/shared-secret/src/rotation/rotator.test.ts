import { expect, it } from "vitest";
import type { PostgresSpec } from "../api/spec.ts";
import { type Rotator, rotatorFor } from "./rotator.ts";

const rotators: readonly Rotator[] = ["postgres", "acme.dev/redis"].map((name) => ({
  name,
  rotate: async () => undefined,
}));
const runsIn = "Operator";
const postgres: PostgresSpec = {
  ...{ host: "db", port: 5432, database: "orders", role: "orders", tls: { mode: "VerifyFull" } },
  adminSecret: { name: "admin", usernameKey: "username", passwordKey: "password" },
};

it("chooses the rotator that the spec names", () => {
  expect(rotatorFor({ runsIn, postgres }, rotators)?.name).toBe("postgres");
  expect(rotatorFor({ runsIn, custom: { name: "acme.dev/redis" } }, rotators)?.name).toBe("acme.dev/redis");
});

it("chooses none if it is not known, or has the name of the built-in one", () => {
  expect(rotatorFor({ runsIn, custom: { name: "acme.dev/mongo" } }, rotators)).toBeUndefined();
  expect(rotatorFor({ runsIn, custom: { name: "postgres" } }, rotators)).toBeUndefined();
  expect(rotatorFor({ runsIn, postgres }, [])).toBeUndefined();
});
