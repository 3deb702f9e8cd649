import { seededRandom } from "@keelson/core";
import { ResourceQuota, Secret } from "@keelson/core/kinds/core/v1";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { createSandbox } from "../../create-sandbox.ts";
import type { Sandbox } from "../../sandbox.ts";
import { ApiError } from "../../status/api-error.ts";

const namespace = "default";
const options = { manager: "tester" };
const most = 5;

async function sandboxWithQuota(clock: VirtualClock): Promise<Sandbox> {
  const sandbox = await createSandbox({ clock, random: seededRandom(1) });
  const metadata = { name: "few", namespace };
  const spec = { hard: { secrets: String(most) } };
  await sandbox.objects.create(
    ResourceQuota,
    { apiVersion: "v1", kind: "ResourceQuota", metadata, spec },
    options,
  );
  await clock.advance(100);
  return sandbox;
}

async function createSecret({ objects }: Sandbox, name: string): Promise<boolean> {
  const secret: Secret = { apiVersion: "v1", kind: "Secret", metadata: { name, namespace } };
  try {
    await objects.create(Secret, secret, options);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect(String(error)).toMatch(/exceeded quota/);
    return false;
  }
}

const secretsIn = ({ objects }: Sandbox): number => objects.list(Secret, namespace).length;
const usedOf = ({ objects }: Sandbox): string | undefined =>
  objects.get(ResourceQuota, { name: "few", namespace })?.status?.used?.secrets;

describe("a quota", () => {
  it("is never exceeded by objects that are created while others are deleted", async () => {
    const clock = new VirtualClock();
    await using sandbox = await sandboxWithQuota(clock);
    const random = seededRandom(3);
    let peak = 0;
    for (let round = 0; round < 60; round += 1) {
      const names = Array.from({ length: 4 }, (_, index) => `s${round}-${index}`);
      const creates = names.map((name) => createSecret(sandbox, name));
      const stored = sandbox.objects.list(Secret, namespace).filter(() => random.next() < 0.4);
      const deletes = stored.map(({ metadata }) =>
        sandbox.objects.delete(Secret, { name: metadata.name, namespace }, options),
      );
      const advance = random.next() < 0.7 ? clock.advance(1) : undefined;
      await Promise.all([...creates, ...deletes, advance]);
      peak = Math.max(peak, secretsIn(sandbox));
    }
    expect(peak).toBe(most);
    await clock.advance(100);
    expect(usedOf(sandbox)).toBe(String(secretsIn(sandbox)));
  });

  it("forgets a write that was counted and failed later", async () => {
    const clock = new VirtualClock();
    await using sandbox = await sandboxWithQuota(clock);
    await createSecret(sandbox, "a");
    const secret: Secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "a", namespace } };
    await expect(sandbox.objects.create(Secret, secret, options)).rejects.toThrow(/already exists/);
    expect(usedOf(sandbox)).toBe("2");
    await clock.advance(5 * 60 * 1000);
    expect(usedOf(sandbox)).toBe("1");
  });
});
