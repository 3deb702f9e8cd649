import { RecordingLogger, Space, type World } from "@keelson/testkit";
import { type Client, type Clock, mergePatch, type Stored, systemClock } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { systemRandomBytes } from "keelson/low-level";
import { ownerReferenceTo } from "keelson/object";
import { saltAnnotation, secretLabel, secretNameOf } from "../../src/api/names.ts";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import type { SharedSecretSpecInput } from "../../src/api/spec.ts";
import { connectPostgres } from "../../src/rotation/postgres/pg-connection.ts";
import { postgresRotator } from "../../src/rotation/postgres/postgres-rotator.ts";
import { type RotationOutcome, rotateSecret } from "../../src/rotation/rotate-secret.ts";
import type { Rotator, SecretData } from "../../src/rotation/rotator.ts";
import { superuser, type TestPostgres } from "./postgres.ts";

let roles = 0;

/** A clock of which the date can be moved, so that a period passes at once. */
export class MovedClock implements Clock {
  #movedMs = 0;

  now(): number {
    return systemClock.now() + this.#movedMs;
  }

  monotonicNow(): number {
    return systemClock.monotonicNow();
  }

  schedule(delayMs: number, callback: () => void): () => void {
    return systemClock.schedule(delayMs, callback);
  }

  move(ms: number): void {
    this.#movedMs += ms;
  }
}

/** A namespace with what rotations of a SharedSecret need, and what the other controllers of the operator would do there. */
export class RotationSpace extends Space {
  readonly clock: MovedClock = new MovedClock();
  readonly log: RecordingLogger = new RecordingLogger();

  /** The Secrets of an administrator, and with the authority of the server. */
  async prepare(server: TestPostgres): Promise<void> {
    await this.writeSecret("admin", superuser);
    await this.writeSecret("authority", { "ca.crt": server.ca });
  }

  async writeSecret(name: string, content: SecretData): Promise<void> {
    const { namespace, world } = this;
    await world.client.apply(
      Secret,
      { metadata: { namespace, name }, stringData: content },
      { fieldOwner: "test", force: true },
    );
  }

  /** An approved SharedSecret with its Secret. */
  async create(
    name: string,
    rotator: SharedSecretSpecInput["rotator"],
    status: object = { approved: true, rotateSeconds: 3600 },
  ): Promise<Stored<SharedSecret>> {
    const { namespace, world } = this;
    const metadata = { namespace, name };
    const object = await world.client.create(SharedSecret, {
      metadata,
      spec: { rotate: "1h", ...(rotator !== undefined && { rotator }) },
    });
    await this.patchStatus(name, status);
    await world.client.create(Secret, {
      metadata: {
        ...{ namespace, name: secretNameOf(name), labels: { [secretLabel]: name } },
        annotations: { [saltAnnotation]: "salt" },
        ownerReferences: [ownerReferenceTo({ resource: SharedSecret, object }, { controller: true })],
      },
      data: { value: "" },
    });
    return this.get(SharedSecret, name);
  }

  patchStatus(name: string, status: object): Promise<Stored<SharedSecret>> {
    const { namespace, world } = this;
    return world.client.status(SharedSecret).patch({ namespace, name }, mergePatch({ status }));
  }

  /** What the operator writes when all consumers were restarted. */
  async consumersRestarted(name: string): Promise<void> {
    await this.patchStatus(name, { podsRestartRequired: false });
  }

  /** The content of the Secret of a SharedSecret. */
  async content(name: string): Promise<SecretData> {
    const { data = {} } = await this.get(Secret, secretNameOf(name));
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, atob(value)]));
  }

  /** One call as the operator or the rotator program makes it. */
  async rotate(
    name: string,
    {
      client = this.world.client,
      rotator = postgresRotator(connectPostgres),
      ...options
    }: RotateOptions = {},
  ): Promise<RotationOutcome> {
    const { clock, log } = this;
    const sharedSecret = options.sharedSecret ?? (await this.get(SharedSecret, name));
    const { signal } = new AbortController();
    const dependencies = { clock, log, signal, randomBytes: systemRandomBytes };
    return rotateSecret(client, sharedSecret, rotator, dependencies);
  }
}

/** Who rotates, and with which connection. */
export interface RotateOptions {
  readonly client?: Client;
  readonly rotator?: Rotator;
  /** As the caller knows it. Default: as the server has it. */
  readonly sharedSecret?: Stored<SharedSecret>;
}

/** A namespace whose SharedSecrets can be rotated. */
export async function rotationSpace(world: World, server: TestPostgres): Promise<RotationSpace> {
  const space = await RotationSpace.create(world);
  await space.prepare(server);
  return space;
}

/** The rotator of a SharedSecret, with a role of its own that exists. */
export async function postgresOn(
  server: TestPostgres,
  runsIn: "Operator" | "Sidecar" = "Operator",
): Promise<NonNullable<SharedSecretSpecInput["rotator"]>> {
  const role = `orders_${roles++}`;
  await server.query(`create role ${role} nologin`);
  const { host, port, database } = server;
  const tls = { mode: "VerifyFull" as const, caSecret: { name: "authority" } };
  return { runsIn, postgres: { host, port, database, role, adminSecret: { name: "admin" }, tls } };
}
