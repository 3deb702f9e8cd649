import { type Immutable, parseDurationMs, rule, z } from "keelson";
import { dataKey, objectName } from "./fields.ts";

const rotate = rule(z.union([z.int(), z.string()]), {
  rule: "type(self) == string ? (self.matches('^([0-9]+(s|m|h))+$') && duration(self) >= duration('1s')) : int(self) >= 1",
  message: "must be a number of seconds, such as 3600, or a duration, such as 24h; at least 1s",
});

const host = z.string().min(1).max(253);

const roleName = rule(z.string().min(1).max(61), {
  rule: "self.matches('^[a-z_][a-z0-9_]*$')",
  message: "must be the name of a role: lower-case letters, digits and underscores",
});

const credentials = z.object({
  name: objectName.describe("The name of the Secret, in the namespace of the SharedSecret"),
  usernameKey: dataKey.default("username"),
  passwordKey: dataKey.default("password"),
});

const postgres = z.object({
  host: host.describe("The host of the database, such as orders-db.shop.svc"),
  port: z.int32().min(1).max(65535).default(5432),
  database: z.string().min(1).max(63).describe("The database that consumers connect to"),
  role: roleName.describe(
    "The role that has the rights of the consumers. They log in as <role>_a and <role>_b in turns, which are members of it",
  ),
  adminSecret: credentials.describe("A user that may create roles and grant the role"),
  tls: z
    .object({
      mode: z
        .enum(["VerifyFull", "Require", "Disable"])
        .default("VerifyFull")
        .describe(
          "VerifyFull: the certificate of the server must be valid for its host. Require: the connection is encrypted, the server not verified",
        ),
      caSecret: z
        .object({ name: objectName, key: dataKey.default("ca.crt") })
        .exactOptional()
        .describe(
          "Who issues the certificate of the server; default: the authorities that the operator trusts",
        ),
    })
    .prefault({}),
});

const custom = z.object({
  name: z.string().min(1).max(253).describe("The name of the rotator, such as acme.dev/redis"),
  config: z
    .record(z.string(), z.string().max(4096))
    .exactOptional()
    .describe("What the rotator is given. No secrets: name a Secret instead"),
});

const rotator = rule(
  z.object({
    runsIn: z
      .enum(["Operator", "Sidecar"])
      .default("Operator")
      .describe(
        "Operator: the operator rotates. Sidecar: a container in the pods of read-write consumers does",
      ),
    postgres: postgres.exactOptional().describe("Rotates the password of a PostgreSQL role"),
    custom: custom.exactOptional().describe("A rotator that does not come with the operator"),
  }),
  {
    rule: "has(self.postgres) != has(self.custom)",
    message: "must have one rotator: postgres or custom",
  },
);

export const spec = rule(
  z.object({
    rotate: rotate
      .exactOptional()
      .describe("How often the value is rotated, in seconds or as a duration such as 24h; default: never"),
    rotator: rotator
      .exactOptional()
      .describe("What makes a new value; default: users write it to the Secret"),
    restart: z
      .object({
        allowDeletion: z
          .boolean()
          .default(false)
          .describe(
            "Delete pods that cannot be evicted: pods without a controller, and those whose eviction is refused for an hour",
          ),
      })
      .prefault({}),
  }),
  { rule: "!has(self.rotator) || has(self.rotate)", message: "rotator needs rotate, such as rotate: 24h" },
);

/** The spec of a SharedSecret, as it is stored: with defaults. */
export type SharedSecretSpec = Immutable<z.output<typeof spec>>;

/** The spec of a SharedSecret, as a user writes it: fields with a default are optional. */
export type SharedSecretSpecInput = Immutable<z.input<typeof spec>>;

/** What rotates the value, and where. */
export type RotatorSpec = NonNullable<SharedSecretSpec["rotator"]>;

/** The database and roles of the PostgreSQL rotator. */
export type PostgresSpec = NonNullable<RotatorSpec["postgres"]>;

/** How often a value is rotated, for users: `every 3600 s`, or `never`. */
export function periodText(rotateSeconds: number): string {
  return rotateSeconds === 0 ? "never" : `every ${rotateSeconds} s`;
}

/** The rotation period that a spec asks for, in seconds; 0 for never. */
export function rotateSecondsOf({ rotate }: Pick<SharedSecretSpec, "rotate">): number {
  if (rotate === undefined) return 0;
  if (typeof rotate === "number") return rotate;
  return Math.floor((parseDurationMs(rotate) ?? 0) / 1000);
}
