import { startWorld, type World } from "@keelson/testkit";
import { mergePatch } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { contentHashes, mountHashes } from "../../src/resource/content-hash.ts";
import { hashedKinds } from "../../src/resource/hashed-kinds.ts";
import { resourceReader } from "../../src/resource/resource-reader.ts";
import {
  SecretProviderClass,
  SecretProviderClassPodStatus,
} from "../../src/resource/secret-provider-class.ts";
import type { ResourceReader } from "../../src/resource/watched-resource.ts";
import { installKinds } from "../support/custom-kinds.ts";
import { chosenSettings, keys } from "../support/decision-objects.ts";
import { ReloaderSpace } from "../support/space.ts";

let world: World;
let reader: ResourceReader;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  reader = resourceReader(world.client, hashedKinds(chosenSettings(), keys));
});
afterAll(() => world?.stop());

it("reads Secrets and ConfigMaps as hashes, and leaves out releases of Helm", async () => {
  const space = await ReloaderSpace.create(world);
  const { namespace } = space;
  const metadata = { labels: { team: "shop" }, annotations: { [keys.match]: "true", other: "1" } };
  await space.createSecret("db", { key: "one" }, metadata);
  await space.createConfigMap("app", { key: "one" });
  const release = { namespace, name: "release" };
  await world.client.create(Secret, { metadata: release, type: "helm.sh/release.v1" });
  const secret = await reader.get({ kind: "Secret", namespace, name: "db" });
  expect(secret).toEqual({
    ...{ kind: "Secret", namespace, name: "db", creationTimestamp: expect.any(String) },
    ...{ labels: { team: "shop" }, annotations: { [keys.match]: "true" } },
    ...contentHashes("Secret", { data: { key: Buffer.from("one").toString("base64") } }),
  });
  expect(await reader.list("Secret", namespace)).toEqual([secret]);
  expect(await reader.get({ ...release, kind: "Secret" })).toBeUndefined();
  expect(await reader.get({ kind: "Secret", namespace, name: "app" })).toBeUndefined();
  expect(await reader.get({ kind: "ConfigMap", namespace, name: "app" })).toMatchObject(
    contentHashes("ConfigMap", { data: { key: "one" } }),
  );
});

it("reads of a SecretProviderClass what was reported last of any of its pods", async () => {
  await installKinds(world, SecretProviderClass, SecretProviderClassPodStatus);
  const space = await ReloaderSpace.create(world);
  const { namespace } = space;
  const vault = { kind: "SecretProviderClass", namespace, name: "vault" } as const;
  const statusOf = (version: string) => ({
    ...{ secretProviderClassName: "vault", mounted: true },
    objects: [{ id: "db", version }],
  });
  const report = (pod: string, version: string) =>
    world.client.create(SecretProviderClassPodStatus, {
      metadata: { namespace, name: `${pod}-vault` },
      status: statusOf(version),
    });
  const hashOf = (version: string) => mountHashes("vault", [{ id: "db", version }]);
  expect(await reader.get(vault)).toBeUndefined();
  await report("b", "1");
  await report("a", "1");
  expect(await reader.get(vault)).toMatchObject({ ...hashOf("1"), annotations: {} });
  await world.client.patch(
    SecretProviderClassPodStatus,
    { namespace, name: "b-vault" },
    mergePatch({ status: statusOf("2") }),
  );
  expect(await reader.get(vault)).toMatchObject(hashOf("2"));
  await report("c", "3");
  const annotations = { [keys.ignore]: "true" };
  await world.client.create(SecretProviderClass, { metadata: { namespace, name: "vault", annotations } });
  expect(await reader.list("SecretProviderClass", namespace)).toEqual([
    expect.objectContaining({ ...vault, ...hashOf("3"), annotations }),
  ]);
});
