import type { SpecEdits } from "@keelson/testkit";
import { SecretAccess } from "../../src/api/secret-access.ts";
import { SharedSecret } from "../../src/api/shared-secret.ts";

const postgres = {
  host: "orders-db.shop.svc",
  database: "orders",
  role: "orders",
  adminSecret: { name: "admin" },
};
const rotated = (rotator: object): object => ({ rotate: "1h", rotator });
const ofPostgres = (changed: object): object => rotated({ postgres: { ...postgres, ...changed } });

/** Edits of a SharedSecret, which together change every field: the requests of an earlier spec go with it. */
export const specEdits: SpecEdits = {
  resource: SharedSecret,
  owned: [SecretAccess],
  specs: {
    nothing: {},
    "the period in seconds": { rotate: 7200 },
    "the period as a duration": { rotate: "24h" },
    "a rotator": ofPostgres({}),
    "another host": ofPostgres({ host: "other" }),
    "another port": ofPostgres({ port: 5433 }),
    "another database": ofPostgres({ database: "other" }),
    "another role": ofPostgres({ role: "other" }),
    "another administrator": ofPostgres({ adminSecret: { name: "b", usernameKey: "u", passwordKey: "p" } }),
    "another way of TLS": ofPostgres({ tls: { mode: "Require" } }),
    "an authority": ofPostgres({ tls: { caSecret: { name: "ca" } } }),
    "another key of the authority": ofPostgres({ tls: { caSecret: { name: "ca2", key: "tls.crt" } } }),
    "a sidecar": rotated({ runsIn: "Sidecar", postgres }),
    "a custom rotator": rotated({ custom: { name: "acme.dev/redis", config: { url: "redis" } } }),
    "another custom rotator": rotated({ custom: { name: "acme.dev/vault" } }),
    deletion: { restart: { allowDeletion: true } },
  },
};
