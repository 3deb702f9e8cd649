import { describe, expect, it } from "vitest";
import { asksOf } from "./asks.ts";

const ours = (name: string) => `vault.keelson.dev/${name}`;
const original = (name: string) => `tororu.zondax.io/${name}`;

/** What is asked for, as in the annotation of an injected pod. */
function asked(annotations: Readonly<Record<string, string>>): readonly string[] {
  const { asks, problems } = asksOf(annotations, "shop");
  expect(problems).toEqual([]);
  return asks.map(({ secret: { namespace, name }, permission }) => `${namespace}/${name}:${permission}`);
}

describe("the annotations of a pod", () => {
  it.each<[string, Record<string, string>, readonly string[]]>([
    ["ask for nothing if there are none", {}, []],
    ["ask with our prefix", { [ours("secret-ro")]: "shop/db" }, ["shop/db:ReadOnly"]],
    ["ask with the prefix of the original", { [original("secret-rw")]: "shop/db" }, ["shop/db:ReadWrite"]],
    ["may leave out the namespace", { [ours("secret-ro")]: "db" }, ["shop/db:ReadOnly"]],
    [
      "name several, with blanks, and are sorted",
      { [ours("secret-ro")]: " web/z ,db,a/b" },
      ["a/b:ReadOnly", "shop/db:ReadOnly", "web/z:ReadOnly"],
    ],
    [
      "count under both prefixes",
      { [ours("secret-ro")]: "a", [original("secret-ro")]: "b,a", [original("secret-rw")]: "c" },
      ["shop/a:ReadOnly", "shop/b:ReadOnly", "shop/c:ReadWrite"],
    ],
    [
      "ask for the greater permission of one secret",
      { [ours("secret-ro")]: "a,b", [original("secret-rw")]: "shop/a", [ours("secret-rw")]: "b" },
      ["shop/a:ReadWrite", "shop/b:ReadWrite"],
    ],
    [
      "ask for nothing if they are switched off with our prefix",
      { [ours("secret-ro")]: "a", [ours("managed")]: "false" },
      [],
    ],
    [
      "ask for nothing if they are switched off with the other prefix",
      { [ours("secret-ro")]: "a", [original("managed")]: "false", [ours("managed")]: "true" },
      [],
    ],
    [
      "count if managed is anything but false",
      { [ours("secret-ro")]: "a", [original("managed")]: "no" },
      ["shop/a:ReadOnly"],
    ],
    ["may have unknown names of the original", { [original("secret-xx")]: "a" }, []],
    ["may have others of ours", { [ours("restarted-at")]: "2026" }, []],
  ])("%s", (_title, annotations, expected) => {
    expect(asked(annotations)).toEqual(expected);
  });

  it.each<[string, string, string]>([
    ["an empty text", "", "a name is empty"],
    ["a comma too many", "a,", "a name is empty"],
    ["an empty namespace", "/db", '"/db" names no SharedSecret'],
    ["an empty name", "shop/", '"shop/" names no SharedSecret'],
    ["three parts", "shop/db/value", '"shop/db/value" names no SharedSecret'],
    ["capital letters", "shop/Db", '"shop/Db" names no SharedSecret'],
    ["dots", "shop/db.prod", '"shop/db.prod" names no SharedSecret'],
    ["a name that is too long", "a".repeat(64), "names no SharedSecret"],
  ])("are refused for %s, with what to write", (_title, value, problem) => {
    const { problems } = asksOf({ [original("secret-ro")]: value }, "shop");
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`annotation tororu.zondax.io/secret-ro: `);
    expect(problems[0]).toContain(problem);
    expect(problems[0]).toContain("write namespace/name, such as shop/orders-db");
  });

  it("are refused for an unknown name that begins as one of ours", () => {
    expect(asksOf({ [ours("secret-xx")]: "a" }, "shop").problems).toEqual([
      "annotation vault.keelson.dev/secret-xx: it is not known; write vault.keelson.dev/secret-ro or vault.keelson.dev/secret-rw",
    ]);
  });

  it("are not even read if they are switched off", () => {
    const annotations = { [ours("secret-xx")]: "/", [ours("mount-path")]: "x", [ours("managed")]: "false" };
    expect(asksOf(annotations, "shop")).toEqual({ asks: [], mountPath: undefined, problems: [] });
  });

  it("show no more than the beginning of what is wrong", () => {
    const { problems } = asksOf({ [ours("secret-ro")]: "?".repeat(10_000) }, "shop");
    expect(problems.join().length).toBeLessThan(400);
  });
});

describe("the mount path", () => {
  it.each<[string, string]>([
    ["/etc/secrets", "/etc/secrets"],
    ["/etc//secrets/", "/etc/secrets"],
    ["/etc/./secrets", "/etc/secrets"],
  ])("may be %s", (value, mountPath) => {
    expect(asksOf({ [ours("mount-path")]: value }, "shop")).toEqual({ asks: [], mountPath, problems: [] });
  });

  it.each(["", "/", "etc/secrets", "./secrets", "/etc/../secrets", "/a:b"])("must not be %j", (value) => {
    const { mountPath, problems } = asksOf({ [ours("mount-path")]: value }, "shop");
    expect(mountPath).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining("write an absolute path")]);
  });

  it("is ours only", () => {
    expect(asksOf({ [original("mount-path")]: "/etc" }, "shop").mountPath).toBeUndefined();
  });
});
