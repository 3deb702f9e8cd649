import type { KubeObject } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { stored } from "../../../test/support/stored.ts";
import { OwnWrites, type StoreView } from "./own-writes.ts";

interface Stored {
  readonly version: string;
  readonly uid: string;
}

/** A store of one's own, and the writes to it. Patience is 10 s. */
function world({ areDeletionsFinal = true, at = "1" } = {}) {
  const store = new Map<string, Stored>();
  const facts: StoreView = {
    versionOf: (keyText) => store.get(keyText)?.version,
    uidOf: (keyText) => store.get(keyText)?.uid,
    areDeletionsFinal,
  };
  const writes = new OwnWrites<KubeObject>(facts, 10_000);
  writes.advance({ resourceVersion: at }, 0);
  return { store, writes };
}

const made = (version: string, uid = "u1") =>
  stored({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", uid, resourceVersion: version } });

const written = (version: string, uid = "u1") => ({ version, uid, object: made(version, uid) });

describe("a write that has not come back", () => {
  it("[RW1] is what a reader of its key takes", () => {
    const { writes } = world();
    writes.recordObject("shop/web", written("5"));
    expect(writes.read("shop/web")).toEqual({ type: "written", object: made("5") });
  });

  it("[RW4] does not affect readers of other keys", () => {
    const { writes } = world();
    writes.recordObject("shop/web", written("5"));
    writes.recordVersion("shop/scaled", { version: "6", uid: "u2" }, 0);
    expect(writes.read("shop/other")).toEqual({ type: "stored" });
    expect(writes.isHeld("shop/other")).toBe(false);
  });

  it("[RW5] is forgotten when its event comes", () => {
    const { store, writes } = world();
    writes.recordObject("shop/web", written("5"));
    store.set("shop/web", { version: "5", uid: "u1" });
    writes.advance({ resourceVersion: "5", keyText: "shop/web" }, 0);
    expect(writes.read("shop/web")).toEqual({ type: "stored" });
    expect(writes.size).toBe(0);
  });

  it("[RW5] is forgotten when the informer gets past it by a bookmark or by another object", () => {
    const { writes } = world();
    writes.recordObject("shop/web", written("5"));
    writes.advance({ resourceVersion: "6", keyText: "shop/other" }, 0);
    expect(writes.size).toBe(0);
  });

  it("[RW5] is not held if the informer was faster than the response", () => {
    const { writes } = world({ at: "7" });
    writes.recordObject("shop/web", written("7"));
    writes.recordVersion("shop/web", { version: "6", uid: "u1" }, 0);
    expect(writes.size).toBe(0);
  });

  it("[RW6] is replaced by a later write of another client", () => {
    const { store, writes } = world();
    writes.recordObject("shop/web", written("5"));
    store.set("shop/web", { version: "8", uid: "u1" });
    writes.advance({ resourceVersion: "8", keyText: "shop/web" }, 0);
    expect(writes.read("shop/web")).toEqual({ type: "stored" });
  });

  it("stays when an event of an earlier state comes", () => {
    const { store, writes } = world();
    writes.recordObject("shop/web", written("15"));
    store.set("shop/web", { version: "9", uid: "u1" });
    writes.advance({ resourceVersion: "9", keyText: "shop/web" }, 0);
    expect(writes.read("shop/web")).toEqual({ type: "written", object: made("15") });
  });

  it("is the latest of several, whatever the order of their responses", () => {
    const { writes } = world();
    writes.recordObject("shop/web", written("6"));
    writes.recordObject("shop/web", written("5"));
    expect(writes.read("shop/web")).toEqual({ type: "written", object: made("6") });
    writes.recordObject("shop/web", written("10"));
    expect(writes.read("shop/web")).toEqual({ type: "written", object: made("10") });
    expect(writes.size).toBe(1);
  });
});

describe("a write to something that does not belong to the informer", () => {
  const left = { version: "5", uid: "u1", object: undefined };

  it("[RW3] [RW5] hides what the store has until the informer knows", () => {
    const { store, writes } = world();
    store.set("shop/web", { version: "1", uid: "u1" });
    writes.recordObject("shop/web", left);
    expect(writes.read("shop/web")).toEqual({ type: "absent" });
    store.delete("shop/web");
    writes.advance({ resourceVersion: "5", keyText: "shop/web", deletedUid: "u1" }, 0);
    expect(writes.size).toBe(0);
  });

  it("[RW5] hides an earlier write", () => {
    const { writes } = world();
    writes.recordObject("shop/web", written("4"));
    writes.recordObject("shop/web", left);
    expect(writes.read("shop/web")).toEqual({ type: "absent" });
  });

  it("[RW5] is not held if readers see the same state without it", () => {
    const { writes } = world();
    writes.recordObject("shop/web", left);
    expect(writes.size).toBe(0);
  });
});

describe("a write of which only the version is known", () => {
  it("[RW1] has readers wait until the informer has passed it, or 10 s", () => {
    const { store, writes } = world();
    store.set("shop/web", { version: "1", uid: "u1" });
    writes.recordVersion("shop/web", { version: "5", uid: "u1" }, 1_000);
    expect(writes.read("shop/web")).toEqual({ type: "unknown", deadlineMs: 11_000 });
    expect(writes.unknownUntil((key) => key.startsWith("shop/"))).toBe(11_000);
    expect(writes.unknownUntil((key) => key.startsWith("other/"))).toBeUndefined();
    writes.advance({ resourceVersion: "4" }, 60_000);
    expect(writes.read("shop/web")).toEqual({ type: "unknown", deadlineMs: 11_000 });
    writes.advance({ resourceVersion: "5" }, 60_000);
    expect(writes.read("shop/web")).toEqual({ type: "stored" });
    expect(writes.size).toBe(0);
  });

  it("[RW1] has a reader of several objects wait until the latest deadline", () => {
    const { writes } = world();
    writes.recordVersion("shop/a", { version: "5", uid: "u1" }, 1_000);
    writes.recordVersion("shop/b", { version: "6", uid: "u2" }, 3_000);
    writes.recordVersion("other/c", { version: "7", uid: "u3" }, 9_000);
    expect(writes.unknownUntil((key) => key.startsWith("shop/"))).toBe(13_000);
    writes.requireAtLeast("20", 2_000);
    expect(writes.unknownUntil((key) => key === "shop/a")).toBe(12_000);
    expect(writes.unknownUntil((key) => key.startsWith("shop/"))).toBe(13_000);
    expect(writes.unknownUntil(() => false)).toBe(12_000);
  });

  it("[RW1] without an order is given up at its deadline and not before, and so is one from before the informer", () => {
    const { writes } = world({ at: "a" });
    writes.recordVersion("shop/web", { version: "c", uid: "u1" }, 0);
    writes.recordVersion("shop/later", { version: "d", uid: "u2" }, 1);
    writes.requireAtLeast("c", 5_000);
    writes.advance({ resourceVersion: "b" }, 9_999);
    expect([writes.isHeld("shop/web"), writes.isHeld("shop/later")]).toEqual([true, true]);
    writes.advance({ resourceVersion: "e" }, 10_000);
    expect([...writes.heldKeys()]).toEqual(["shop/later"]);
    writes.advance({ resourceVersion: "f" }, 14_999);
    expect([...writes.heldKeys()]).toEqual([]);
    expect(writes.read("shop/any")).toEqual({ type: "unknown", deadlineMs: 15_000 });
    writes.advance({ resourceVersion: "g" }, 15_000);
    expect(writes.read("shop/any")).toEqual({ type: "stored" });
  });

  it("is known when another response contains the object of that version", () => {
    const { writes } = world();
    writes.recordVersion("shop/web", { version: "5", uid: "u1" }, 0);
    writes.recordObject("shop/web", written("5"));
    expect(writes.read("shop/web")).toEqual({ type: "written", object: made("5") });
  });

  it("[RW1] must match exactly if it is no number, and is given up at the first progress after 10 s", () => {
    const { store, writes } = world({ at: "a" });
    writes.recordVersion("shop/web", { version: "c", uid: "u1" }, 0);
    writes.advance({ resourceVersion: "b" }, 9_999);
    expect(writes.read("shop/web").type).toBe("unknown");
    store.set("shop/web", { version: "c", uid: "u1" });
    writes.advance({ resourceVersion: "c", keyText: "shop/web" }, 9_999);
    expect(writes.size).toBe(0);
    writes.recordVersion("shop/web", { version: "e", uid: "u1" }, 10_000);
    writes.advance({ resourceVersion: "f" }, 20_000);
    expect(writes.size).toBe(0);
  });
});

describe("a deletion", () => {
  it("[RW2] hides the object until the informer delivers it", () => {
    const { store, writes } = world();
    store.set("shop/web", { version: "1", uid: "u1" });
    writes.recordDeletion("shop/web", { uid: "u1" }, 0);
    expect(writes.read("shop/web")).toEqual({ type: "absent" });
    store.delete("shop/web");
    writes.advance({ resourceVersion: "5", keyText: "shop/web", deletedUid: "u1" }, 0);
    expect(writes.size).toBe(0);
  });

  it("[RW2] also hides an object that the informer receives only later", () => {
    const { store, writes } = world();
    writes.recordObject("shop/web", written("4"));
    writes.recordDeletion("shop/web", { uid: "u1" }, 0);
    expect(writes.read("shop/web")).toEqual({ type: "stored" });
    store.set("shop/web", { version: "4", uid: "u1" });
    writes.advance({ resourceVersion: "4", keyText: "shop/web" }, 0);
    expect(writes.read("shop/web")).toEqual({ type: "absent" });
    store.delete("shop/web");
    writes.advance({ resourceVersion: "5", keyText: "shop/web", deletedUid: "u1" }, 0);
    expect(writes.size).toBe(0);
  });

  it("[RW2] lets an object of the same name pass that was made afterwards", () => {
    const { store, writes } = world();
    store.set("shop/web", { version: "1", uid: "u1" });
    writes.recordDeletion("shop/web", { uid: "u1" }, 0);
    writes.recordObject("shop/web", written("6", "u2"));
    expect(writes.read("shop/web")).toEqual({ type: "written", object: made("6", "u2") });
    store.set("shop/web", { version: "6", uid: "u2" });
    writes.advance({ resourceVersion: "6" }, 0);
    expect(writes.read("shop/web")).toEqual({ type: "stored" });
    expect(writes.size).toBe(0);
  });

  it("[RW2] is not undone by the late response of an earlier write", () => {
    const { store, writes } = world();
    store.set("shop/web", { version: "1", uid: "u1" });
    writes.recordDeletion("shop/web", { uid: "u1" }, 0);
    writes.recordObject("shop/web", written("3"));
    writes.recordVersion("shop/web", { version: "4", uid: "u1" }, 0);
    expect(writes.read("shop/web")).toEqual({ type: "absent" });
  });

  it("[RW5] that the informer was faster with is not held", () => {
    const { writes } = world();
    writes.advance({ resourceVersion: "5", keyText: "shop/web", deletedUid: "u1" }, 0);
    writes.recordDeletion("shop/web", { uid: "u1" }, 0);
    expect(writes.size).toBe(0);
  });

  it("[RW2] is held in spite of that if the object may only have left a selection, and come back", () => {
    const { store, writes } = world({ areDeletionsFinal: false });
    writes.advance({ resourceVersion: "5", keyText: "shop/web", deletedUid: "u1" }, 0);
    writes.recordDeletion("shop/web", { uid: "u1" }, 0);
    store.set("shop/web", { version: "6", uid: "u1" });
    writes.advance({ resourceVersion: "6", keyText: "shop/web" }, 0);
    expect(writes.read("shop/web")).toEqual({ type: "absent" });
  });

  it("[RW5] remembers 1024 deletions of the informer, not more", () => {
    const { writes } = world();
    for (let index = 0; index <= 1024; index += 1)
      writes.advance({ resourceVersion: String(index + 2), deletedUid: `u${index}` }, 0);
    writes.recordDeletion("shop/web", { uid: "u1" }, 0);
    expect(writes.size).toBe(0);
    writes.recordDeletion("shop/web", { uid: "u0" }, 0);
    expect(writes.size).toBe(1);
  });

  it("[RW5] that the informer never delivers is forgotten after 10 s", () => {
    const { writes } = world();
    writes.recordDeletion("shop/web", { uid: "u1" }, 500);
    expect(writes.nextExpiryMs).toBe(10_500);
    writes.expire(10_499);
    expect(writes.size).toBe(1);
    writes.expire(10_500);
    expect(writes.size).toBe(0);
    expect(writes.nextExpiryMs).toBeUndefined();
  });

  it("[RW2] stays for longer while the informer still has the object", () => {
    const { store, writes } = world();
    store.set("shop/web", { version: "1", uid: "u1" });
    writes.recordDeletion("shop/web", { uid: "u1" }, 0);
    writes.expire(10_000);
    expect(writes.read("shop/web")).toEqual({ type: "absent" });
    expect(writes.nextExpiryMs).toBe(20_000);
  });

  it("[RW5] is forgotten with a list without the object, also if versions have no order", () => {
    const { store, writes } = world({ at: "a" });
    store.set("shop/web", { version: "b", uid: "u1" });
    writes.recordDeletion("shop/web", { uid: "u1" }, 0);
    store.delete("shop/web");
    writes.advance({ resourceVersion: "c" }, 0);
    expect(writes.size).toBe(0);
  });

  it("[RW2] ends the wait for a version of the object", () => {
    const { writes } = world();
    writes.recordVersion("shop/web", { version: "5", uid: "u1" }, 0);
    writes.recordDeletion("shop/web", { uid: "u1" }, 0);
    expect(writes.read("shop/web")).toEqual({ type: "stored" });
  });
});

describe("a deletion that an informer with a selection may deliver twice", () => {
  it("[RW2] hides an object that has left the selection and comes back", () => {
    const { store, writes } = world({ areDeletionsFinal: false });
    store.set("shop/web", { version: "1", uid: "u1" });
    writes.recordDeletion("shop/web", { uid: "u1" }, 0);
    store.delete("shop/web");
    writes.advance({ resourceVersion: "5", keyText: "shop/web", deletedUid: "u1" }, 8_000);
    writes.advance({ resourceVersion: "5" }, 8_000);
    // It is late with this very object, so that the time begins again.
    writes.expire(10_000);
    store.set("shop/web", { version: "6", uid: "u1" });
    writes.advance({ resourceVersion: "6", keyText: "shop/web" }, 8_000);
    expect(writes.read("shop/web")).toEqual({ type: "absent" });
    store.delete("shop/web");
    writes.advance({ resourceVersion: "7", keyText: "shop/web", deletedUid: "u1" }, 9_000);
    expect(writes.nextExpiryMs).toBe(19_000);
    writes.expire(19_000);
    expect(writes.size).toBe(0);
  });

  it("[RW5] is forgotten once the informer has reached the version at which the object no longer existed", () => {
    const { store, writes } = world({ areDeletionsFinal: false });
    store.set("shop/web", { version: "1", uid: "u1" });
    writes.recordDeletion("shop/web", { uid: "u1", deletedBy: "9" }, 0);
    store.delete("shop/web");
    writes.advance({ resourceVersion: "8", keyText: "shop/web", deletedUid: "u1" }, 0);
    expect(writes.size).toBe(1);
    writes.advance({ resourceVersion: "9", keyText: "shop/other" }, 0);
    expect(writes.size).toBe(0);
    writes.recordDeletion("shop/web", { uid: "u1", deletedBy: "9" }, 0);
    expect(writes.size).toBe(0);
  });
});

describe("a deletion of an object of which a version is known", () => {
  const deliver = ({ store, writes }: ReturnType<typeof world>, version: string) => {
    store.set("shop/web", { version, uid: "u1" });
    writes.advance({ resourceVersion: version, keyText: "shop/web" }, 60_000);
  };

  it.each([true, false])(
    "[RW2] stays until the informer has reached that (final: %s)",
    (areDeletionsFinal) => {
      const late = world({ areDeletionsFinal });
      late.writes.recordObject("shop/web", written("4"));
      late.writes.recordDeletion("shop/web", { uid: "u1" }, 0);
      late.writes.expire(10_000);
      late.writes.expire(60_000);
      deliver(late, "4");
      expect(late.writes.read("shop/web")).toEqual({ type: "absent" });
    },
  );

  it("[RW2] stays for the version in the late response to an earlier write", () => {
    const late = world();
    late.writes.recordDeletion("shop/web", { uid: "u1", version: "4" }, 0);
    late.writes.recordVersion("shop/web", { version: "6", uid: "u1" }, 0);
    late.writes.advance({ resourceVersion: "5" }, 0);
    late.writes.expire(10_000);
    deliver(late, "6");
    expect(late.writes.read("shop/web")).toEqual({ type: "absent" });
  });

  it("[RW5] is not held if the informer has passed it and does not have the object", () => {
    const { writes } = world({ at: "4" });
    for (let index = 0; index < 4_000; index += 1)
      writes.recordDeletion(`shop/${index}`, { uid: `u${index}`, version: "4" }, 0);
    expect(writes.size).toBe(0);
  });
});

it("[RW5] looks only at what an event is about, however much is held", () => {
  let looks = 0;
  const count = (): undefined => {
    looks += 1;
    return undefined;
  };
  const facts: StoreView = { versionOf: count, uidOf: count, areDeletionsFinal: true };
  const writes = new OwnWrites<KubeObject>(facts, 10_000);
  const many = 5_000;
  // As responses come: not quite in order.
  for (let index = 0; index < many; index += 1) {
    const version = String(10 + (index ^ 7));
    writes.recordObject(`shop/${index}`, written(version, `u${index}`));
    writes.recordDeletion(`gone/${index}`, { uid: `d${index}` }, 0);
  }
  expect(writes.size).toBe(2 * many);
  looks = 0;
  for (let index = 0; index < many; index += 1)
    writes.advance({ resourceVersion: String(10 + index), keyText: `shop/${index}` }, 0);
  expect(writes.size).toBe(many);
  expect(looks).toBeLessThan(10 * many);
});

it("[RW5] awaits no more than it holds when one object is written again and again", () => {
  const { writes } = world({ areDeletionsFinal: false });
  writes.recordObject("shop/other", written("20000", "u2"));
  writes.recordDeletion("shop/gone", { uid: "u3", deletedBy: "20001" }, 0);
  for (let index = 0; index < 10_000; index += 1) writes.recordObject("shop/web", written(String(5 + index)));
  expect(writes.versionsAwaited).toBeLessThan(2_000);
  expect(writes.size).toBe(3);
  for (const [version, size] of [
    ["10004", 2],
    ["20000", 1],
    ["20001", 0],
  ] as const) {
    writes.advance({ resourceVersion: version, keyText: "shop/unknown" }, 0);
    expect(writes.size).toBe(size);
  }
});

describe("a write from before the informer", () => {
  it("[RW1] has all readers wait until the informer has reached it", () => {
    const { writes } = world();
    writes.requireAtLeast("5", 0);
    expect(writes.read("shop/any")).toEqual({ type: "unknown", deadlineMs: 10_000 });
    expect(writes.unknownUntil(() => false)).toBe(10_000);
    expect(writes.isHeld("shop/any")).toBe(true);
    writes.advance({ resourceVersion: "5" }, 0);
    expect(writes.read("shop/any")).toEqual({ type: "stored" });
    expect(writes.size).toBe(0);
  });

  it("is nothing to an informer that has begun later than it", () => {
    const { writes } = world({ at: "9" });
    writes.requireAtLeast("5", 0);
    expect(writes.size).toBe(0);
  });
});

it("forgets everything when it is cleared", () => {
  const { writes } = world();
  writes.recordObject("shop/web", written("5"));
  writes.recordDeletion("shop/gone", { uid: "u2" }, 0);
  writes.requireAtLeast("6", 0);
  expect([...writes.heldKeys()]).toEqual(["shop/web", "shop/gone"]);
  writes.clear();
  expect(writes.size).toBe(0);
});
