import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { projected } from "@keelson/core";
import { Secret } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { WatchLineReader } from "./watch-line.ts";

const wholes: WeakRef<object>[] = [];
const SecretKeys = projected(Secret, {
  name: "keys",
  project: (secret) => {
    if (secret.data?.broken !== undefined) throw new Error("it is broken");
    wholes.push(new WeakRef(secret));
    return { keys: Object.keys(secret.data ?? {}) };
  },
});

const reader = new WatchLineReader({
  resource: SecretKeys,
  operation: "watch secrets",
  keepManagedFields: false,
  parseOnRead: true,
});

function lineOf(data: Readonly<Record<string, string>>): Buffer {
  const metadata = { name: "db", namespace: "shop", uid: "u", resourceVersion: "7" };
  return Buffer.from(
    JSON.stringify({ type: "ADDED", object: { apiVersion: "v1", kind: "Secret", metadata, data } }),
  );
}

function snapshotOf(data: Readonly<Record<string, string>>) {
  const input = reader.read(lineOf(data));
  if (input.type !== "event" || input.event.type === "BOOKMARK") throw new Error(`read ${input.type}`);
  return input.event.snapshot;
}

describe("a line about an object of a projected kind", () => {
  it("[IN26] is reduced at once, and the whole object does not stay in memory", async () => {
    const snapshot = snapshotOf({ password: "c2VjcmV0" });
    expect(wholes).toHaveLength(1);
    setFlagsFromString("--expose-gc");
    const collectGarbage: () => void = runInNewContext("gc");
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(wholes[0]?.deref()).toBeUndefined();
    expect(snapshot.object).toMatchObject({ metadata: { name: "db" }, keys: ["password"] });
    expect(snapshot.object).not.toHaveProperty("data");
    expect(snapshot).toMatchObject({ keyText: "shop/db", resourceVersion: "7" });
  });

  it("[IN22] [IN26] cannot be read if the projection fails, and has its key all the same", () => {
    const snapshot = snapshotOf({ broken: "" });
    expect(snapshot.problem?.message).toBe("it is broken");
    expect(snapshot.keyText).toBe("shop/db");
  });
});
