import { type Client, InvalidError, mergePatch } from "@keelson/client";
import { type KubeObject, keyOf } from "@keelson/core";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { defineResource, z } from "@keelson/schema";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { StaleObjectError } from "../../src/object/errors.ts";
import { writeStatus } from "../../src/object/write-status.ts";
import { type CacheLab, startCacheLab } from "../support/cache-world.ts";

const Widget = defineResource({
  group: "status.example.com",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  spec: z.object({ size: z.int().optional() }),
  status: z.object({
    phase: z.enum(["Pending", "Ready"]).optional(),
    zones: z.record(z.string(), z.int()).optional(),
    history: z.array(z.string()).optional(),
  }),
});

const fieldOwner = "status-tests";
let lab: CacheLab;
let namespace: string;
let client: Client;

beforeAll(async () => {
  lab = await startCacheLab();
  await lab.admin.create(CustomResourceDefinition, Widget.crd());
  await vi.waitFor(() => lab.admin.list(Widget, { namespace: "default" }), {
    timeout: 30_000,
    interval: 100,
  });
});
afterAll(async () => {
  await lab?.stop();
});
beforeEach(async () => {
  ({ namespace, live: client } = await lab.world());
});

const create = (name = "web") => lab.admin.create(Widget, { metadata: { namespace, name }, spec: {} });
const read = (object: KubeObject) => lab.admin.get(Widget, keyOf(object));

it("writes what differs, removes what is no longer set, and returns whether it wrote", async () => {
  const first = { phase: "Pending" as const, zones: { a: 1, b: 2 }, history: ["x", "y"] };
  const created = await create();
  expect(await writeStatus(client, Widget, created, first, { fieldOwner })).toBe(true);
  const written = await read(created);
  expect(written.status).toEqual(first);
  expect(await writeStatus(client, Widget, written, { ...first }, { fieldOwner })).toBe(false);
  const second = { zones: { b: 3 }, history: ["y"] };
  expect(await writeStatus(client, Widget, written, second, { fieldOwner })).toBe(true);
  const again = await read(created);
  expect(again.status).toEqual(second);
  expect(
    again.metadata.managedFields?.map(({ manager, subresource }) => [manager, subresource]),
  ).toContainEqual([fieldOwner, "status"]);
  expect(await writeStatus(client, Widget, again, {}, { fieldOwner })).toBe(true);
  expect((await read(created)).status).toEqual({});
});

it("makes no request if nothing differs", async () => {
  const { live, requestsSince } = await lab.world();
  const created = await create();
  expect(await writeStatus(live, Widget, created, {}, { fieldOwner })).toBe(false);
  expect(requestsSince()).toEqual([]);
});

it("keeps what another writer added to the status since it was read", async () => {
  const created = await create();
  await writeStatus(client, Widget, created, { zones: { a: 1 } }, { fieldOwner });
  const seen = await read(created);
  await lab.admin.status(Widget).patch(keyOf(created), mergePatch({ status: { zones: { theirs: 1 } } }));
  expect(await writeStatus(client, Widget, seen, { phase: "Ready", zones: { a: 2 } }, { fieldOwner })).toBe(
    true,
  );
  expect((await read(created)).status).toEqual({ phase: "Ready", zones: { a: 2, theirs: 1 } });
});

it("succeeds after a change of the spec since it was read", async () => {
  const created = await create();
  await lab.admin.patch(Widget, keyOf(created), mergePatch({ spec: { size: 2 } }));
  expect(await writeStatus(client, Widget, created, { phase: "Ready" }, { fieldOwner })).toBe(true);
});

it("writes nothing to an object that no longer exists", async () => {
  const created = await create();
  await lab.admin.delete(Widget, keyOf(created));
  expect(await writeStatus(client, Widget, created, { phase: "Ready" }, { fieldOwner })).toBe(false);
});

it("throws, and writes nothing, if another object has the name by now", async () => {
  const created = await create();
  await lab.admin.delete(Widget, keyOf(created));
  const other = await create();
  const error = await writeStatus(client, Widget, created, { phase: "Ready" }, { fieldOwner }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StaleObjectError);
  expect(error).toMatchObject({
    message:
      `write the status of widgets.status.example.com ${namespace}/web: ` +
      "it has changed since it was read; read it again",
    cause: expect.any(InvalidError),
  });
  expect(await read(other)).toEqual(other);
});

it("throws what the server reports about an invalid status", async () => {
  const created = await create();
  const status = { zones: { a: 1.5 } };
  await expect(writeStatus(client, Widget, created, status, { fieldOwner })).rejects.toThrow(
    /status\.zones\.a/,
  );
});

it("writes the status of built-in kinds as well", async () => {
  const labels = { app: "web" };
  const created = await lab.admin.create(Deployment, {
    metadata: { namespace, name: "web" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
    },
  });
  expect(await writeStatus(client, Deployment, created, { observedGeneration: 1 }, { fieldOwner })).toBe(
    true,
  );
  const { status } = await lab.admin.get(Deployment, keyOf(created));
  expect(status).toEqual({ observedGeneration: 1 });
  await lab.admin.delete(Deployment, keyOf(created));
});
