import type { World } from "@keelson/testkit";
import { expect } from "vitest";
import { consumerOf, formatConsumer } from "../../src/api/consumer.ts";
import type { SecretAccess } from "../../src/api/secret-access.ts";
import type { CanisterServer } from "./canister/canister-server.ts";
import { SharedSecretSpace } from "./space.ts";

/** A namespace for one test, in which a canister decides. */
export class CanisterSpace extends SharedSecretSpace {
  readonly server: CanisterServer;

  constructor(world: World, namespace: string, server: CanisterServer) {
    super(world, namespace);
    this.server = server;
  }

  /** The id of a SharedSecret or, with its kind, of a workload of this namespace. */
  idOf(name: string): string {
    return `${this.namespace}/${name}`;
  }

  override async approveShare(name: string): Promise<void> {
    const { canister } = this.server;
    const pending = () => canister.lists.pending_secret_reqs.map(({ kube_id }) => kube_id);
    await expect.poll(pending).toContain(this.idOf(name));
    canister.approveSecret(this.idOf(name));
  }

  override async allow(
    secret: string,
    consumer: NonNullable<SecretAccess["spec"]["consumer"]>,
    permission: "ReadOnly" | "ReadWrite" = "ReadOnly",
  ): Promise<string> {
    const id = formatConsumer(consumerOf(consumer, this.namespace));
    this.server.canister.allowConsumer(id, this.idOf(secret), permission);
    return id;
  }

  /** Approves the request of a consumer, when it exists. */
  async approveConsumer(secret: string, id: string): Promise<void> {
    const { canister } = this.server;
    const pending = () => canister.lists.pending_consumer_reqs.map(({ kube_id }) => kube_id);
    await expect.poll(pending).toContain(id);
    canister.approveConsumer(id, this.idOf(secret));
  }

  /** The calls of the operator that are about this namespace, the first one first, as `add_secret shop/db 60`. */
  get calls(): readonly string[] {
    return this.server.requests
      .filter(({ endpoint, args = [] }) => endpoint === "call" && String(args[0]).startsWith(this.idOf("")))
      .map(({ method, args = [] }) => [method, ...args].join(" "));
  }
}
