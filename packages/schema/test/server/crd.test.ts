import { KubectlError } from "@keelson/controlplane";
import { isRecord } from "@keelson/core";
import { type Cluster, startCluster } from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Old, Probe, type ProbeSpec } from "../support/probe.ts";

let controlPlane: Cluster;

beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
  await controlPlane.kubectl(["create", "-f", "-"], { input: JSON.stringify(Probe.crd()) });
  await controlPlane.kubectl(["wait", "--for=condition=Established", "--timeout=30s", `crd/${crdName}`]);
  // It is served, and found by kubectl, some time after that.
  await vi.waitFor(() => kubectl("get", "probes"), { timeout: 30_000, interval: 100 });
});
afterAll(() => controlPlane?.stop());

const crdName = "probes.schema.keelson.dev";
const kubectl = (...args: string[]): Promise<string> => controlPlane.kubectl(args);

function probe(name: string, spec: object, version = Probe.version): object {
  return { apiVersion: `${Probe.group}/${version}`, kind: Probe.kind, metadata: { name }, spec };
}

/** Sends an object through admission without storing it; gives the spec that would have been stored. */
async function admit(spec: object, ...flags: string[]): Promise<unknown> {
  const input = JSON.stringify(probe("probe", spec));
  const args = ["create", "--dry-run=server", "-o", "json", ...flags, "-f", "-"];
  const answer: unknown = JSON.parse(await controlPlane.kubectl(args, { input }));
  return isRecord(answer) ? answer.spec : undefined;
}

async function create(name: string, spec: object): Promise<void> {
  await controlPlane.kubectl(["create", "-f", "-"], { input: JSON.stringify(probe(name, spec)) });
}

const patch = (name: string, spec: object): Promise<string> =>
  kubectl("patch", "probe", name, "--type=merge", "-p", JSON.stringify({ spec }));

describe("a generated CustomResourceDefinition", () => {
  it("is established, and structural", async () => {
    const conditions: unknown = JSON.parse(
      await kubectl("get", "crd", crdName, "-o", "jsonpath={.status.conditions}"),
    );
    expect(conditions).toContainEqual(expect.objectContaining({ type: "Established", status: "True" }));
    expect(JSON.stringify(conditions)).not.toContain("NonStructuralSchema");
  });

  it("comes back from the server as it was sent", async () => {
    const stored: unknown = JSON.parse(await kubectl("get", "crd", crdName, "-o", "json"));
    const [sent] = Probe.crd().spec.versions;
    expect(stored).toMatchObject({ spec: { names: Probe.crd().spec.names } });
    expect(isRecord(stored) && isRecord(stored.spec) && stored.spec.versions).toContainEqual(sent);
  });
});

describe("the server defaults and keeps", () => {
  it.each<[string, Partial<ProbeSpec> | object, object]>([
    ["a default", {}, { size: 3 }],
    ["a default of an object and those inside of it", {}, { nested: { deep: "down", list: [1] } }],
    ["defaults inside of a given object", { nested: { list: [2] } }, { nested: { deep: "down", list: [2] } }],
    ["defaults of list elements", { ports: [{ name: "a" }] }, { ports: [{ name: "a", port: 80 }] }],
    ["an integer for int-or-string", { target: 8080 }, { target: 8080 }],
    ["a string for int-or-string", { target: "http" }, { target: "http" }],
    ["an integer within fractional bounds", { bareNumber: 1 }, { bareNumber: 1 }],
    ["either range of a union", { oneOfTwo: 2 ** 41 }, { oneOfTwo: 2 ** 41 }],
    ["a letter that an escape stands for", { javascript: "A:z" }, { javascript: "A:z" }],
    ["white space beyond ASCII", { javascript: "\u00a0\u00a0x" }, { javascript: "\u00a0\u00a0x" }],
    ["a character beyond 16 bits", { javascript: "-😀" }, { javascript: "-😀" }],
    ["letters of any script", { letter: "ж" }, { letter: "ж" }],
    ["quantities", { memory: "1.5Gi" }, { memory: "1.5Gi" }],
    ["whole quantities", { memory: 2 }, { memory: 2 }],
    ["durations", { timeout: "1h30m" }, { timeout: "1h30m" }],
    ["null where it is allowed", { nothing: null }, { nothing: null }],
    ["null for a union that allows it", { check: null }, { check: null }],
    ["null for anything", { anything: null }, { anything: null }],
    ["unknown fields where they are welcome", { loose: { a: { b: [1] } } }, { loose: { a: { b: [1] } } }],
    ["anything", { anything: [1, { a: "x" }] }, { anything: [1, { a: "x" }] }],
    ["maps", { labels: { a: "x" } }, { labels: { a: "x" } }],
    ["dates with a zone", { at: "2026-01-02T03:04:05+01:00" }, { at: "2026-01-02T03:04:05+01:00" }],
    ["one option of a union", { check: { type: "http", path: "/" } }, { check: { type: "http", path: "/" } }],
    ["the other option", { check: { type: "tcp", backlog: 1 } }, { check: { type: "tcp", backlog: 1 } }],
    ["either limit of a union", { word: "" }, { word: "" }],
    [
      "whole objects",
      { template: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { x: 1 } } },
      { template: { spec: { x: 1 } } },
    ],
    ["label selectors", { selector: { matchLabels: { a: "b" } } }, { selector: { matchLabels: { a: "b" } } }],
    ["resources", { resources: { limits: { cpu: "1" } } }, { resources: { limits: { cpu: "1" } } }],
  ])("%s, as zod does", async (_, spec, expected) => {
    expect(await admit(spec)).toMatchObject(expected);
    expect(Probe.schemas.spec.parse(spec)).toMatchObject(expected);
  });

  it("a default in place of a null that is not allowed", async () => {
    expect(await admit({ size: null })).toMatchObject({ size: 3 });
  });

  it("drops unknown fields, and refuses them for who asks it to be strict", async () => {
    expect(await admit({ unknown: 1, nested: { unknown: 1 } }, "--validate=ignore")).toEqual(await admit({}));
    await expect(admit({ unknown: 1 }, "--validate=strict")).rejects.toThrow(/unknown field "spec.unknown"/);
  });
});

describe("the server refuses", () => {
  it.each<[string, object, RegExp]>([
    ["a missing spec field", { nested: { list: [1] }, ports: [{}] }, /spec.ports\[0\].name: Required value/],
    ["another type", { size: "3" }, /spec.size: Invalid value: "string"/],
    ["a value below the minimum", { size: 0 }, /spec.size.*greater than or equal to 1/],
    ["a value above the maximum", { size: 11 }, /spec.size.*less than or equal to 10/],
    ["a bound that is excluded", { ratio: 1 }, /spec.ratio.*less than 1/],
    ["a fraction of an integer", { size: 1.5 }, /spec.size/],
    ["more than an int32", { small: 2 ** 31 }, /spec.small/],
    ["more than an int32 beside strings", { intText: 2 ** 31 }, /spec.intText/],
    ["more than an int32 in a union", { oneOfTwo: 2 ** 35 }, /spec.oneOfTwo/],
    ["an integer below a fractional bound", { bareNumber: 0 }, /spec.bareNumber.*greater than or equal to 1/],
    ["an escape that only RE2 knows", { javascript: ":" }, /spec.javascript.*should match/],
    [
      "an email address off the pattern of its author",
      { mailbox: "a@evil.org" },
      /spec.mailbox.*should match/,
    ],
    ["more than a uint32", { unsigned: 2 ** 32 }, /spec.unsigned/],
    ["what is no multiple", { step: 7 }, /spec.step.*multiple of 5/],
    ["a string too short", { name: "" }, /spec.name.*at least 1 char/],
    ["a string too long", { name: "abcdef" }, /spec.name: Too long/],
    ["a string off the pattern", { name: "A" }, /spec.name.*should match/],
    ["a string off one of two patterns", { wrapped: "ax" }, /spec.wrapped.*should match/],
    ["a value off the enum", { color: "green" }, /spec.color: Unsupported value: "green"/],
    ["a number off the literals", { level: 3 }, /spec.level: Unsupported value: 3/],
    ["null", { few: [null] }, /spec.few\[0\]: Invalid value: "null"/],
    ["a bad date-time", { at: "yesterday" }, /spec.at.*date-time/],
    ["a bad date", { day: "2026-13-01" }, /spec.day.*date/],
    ["a bad UUID", { id: "x" }, /spec.id.*uuid/],
    ["a bad IPv4 address", { ip: "1.2.3" }, /spec.ip.*ipv4/],
    ["a bad CIDR block", { net: "10.0.0.0/33" }, /spec.net/],
    ["a CIDR block of the other family", { net: "fd00::/8" }, /spec.net.*should match/],
    ["a bad URL", { url: "not a url" }, /spec.url.*uri/],
    ["a bad email address", { mail: "nobody" }, /spec.mail.*email/],
    ["a bad host name", { host: "a b" }, /spec.host.*hostname/],
    ["bad base64", { bytes: "%%%" }, /spec.bytes.*byte/],
    ["a bad MAC address", { mac: "zz" }, /spec.mac.*mac/],
    ["a duration that is not Go's", { timeout: "P1D" }, /spec.timeout/],
    ["a bad quantity", { memory: "1 GB" }, /spec.memory.*should match/],
    [
      "a boolean for int-or-string",
      { target: true },
      /spec.target.*int-or-string|spec.target.*integer,string/,
    ],
    ["an empty list", { few: [] }, /spec.few.*at least 1 items/],
    ["a list too long", { few: ["a", "b", "c"] }, /spec.few: Too many/],
    ["an element twice in a set", { tags: ["a", "a"] }, /spec.tags\[1\]: Duplicate value: "a"/],
    [
      "a key twice in a list map",
      { ports: [{ name: "a" }, { name: "a" }] },
      /spec.ports\[1\]: Duplicate value/,
    ],
    ["a bad value of a map", { labels: { a: 1 } }, /spec.labels.a/],
    [
      "a whole object without a kind",
      { template: { metadata: {} } },
      /spec.template.(kind|apiVersion): Required value/,
    ],
    ["an option without its field", { check: { type: "http" } }, /spec.check/],
    ["an unknown option", { check: { type: "udp" } }, /spec.check.type: Unsupported value: "udp"/],
    ["what no option allows", { word: "abcd" }, /spec.word/],
    [
      "an unknown operator of a selector",
      { selector: { matchExpressions: [{ key: "a", operator: "Is" }] } },
      /operator: Unsupported value/,
    ],
    [
      "a broken rule, with its message",
      { range: { min: 2, max: 1 } },
      /spec.range: Invalid value.*min must not be greater than max/,
    ],
    [
      "a broken rule, with a reason and a path",
      { range: { min: 0, max: 0 } },
      /spec.range.max: Forbidden: must not be zero/,
    ],
    [
      "a broken rule in a map, with a computed message",
      { labels: { a: "forbidden" } },
      /spec.labels\[a\].*forbidden is not allowed/,
    ],
    ["a map too large", { labels: { a: "1", b: "2", c: "3" } }, /spec.labels: Too many/],
    ["a rule on a duration", { timeout: "25h" }, /spec.timeout.*must be a day at most/],
  ])("%s", async (_, spec, message) => {
    await expect(admit(spec)).rejects.toThrow(message);
  });

  it("an object without a spec", async () => {
    const { spec: _, ...object } = { ...probe("bare", {}), spec: undefined };
    const created = controlPlane.kubectl(["create", "-f", "-"], { input: JSON.stringify(object) });
    await expect(created).rejects.toThrow(/spec: Required value/);
  });

  it("a rule on the object as a whole", async () => {
    const input = JSON.stringify(probe("forbidden-name", {}));
    await expect(controlPlane.kubectl(["create", "-f", "-"], { input })).rejects.toThrow(/the name is taken/);
  });
});

describe("immutable fields", () => {
  it("stay as they were", async () => {
    await create("fixed", { fixed: "a", ports: [{ name: "a", protocol: "TCP" }] });
    await expect(patch("fixed", { fixed: "b" })).rejects.toThrow(/spec.fixed.*must not be changed/);
    await expect(patch("fixed", { fixed: null })).rejects.toThrow(/spec.fixed.*must not be changed/);
    await expect(patch("fixed", { ports: [{ name: "a", protocol: "UDP" }] })).rejects.toThrow(
      /the protocol is final/,
    );
    await patch("fixed", { fixed: "a", size: 4 });
  });

  it("stay null, or not null", async () => {
    const replace = (name: string, value: unknown): Promise<string> =>
      kubectl(
        "patch",
        "probe",
        name,
        "--type=json",
        "-p",
        JSON.stringify([{ op: "replace", path: "/spec/pinned", value }]),
      );
    await create("pinned", { pinned: "a" });
    await create("pinned-null", { pinned: null });
    await expect(replace("pinned", null)).rejects.toThrow(/spec.pinned.*must not be changed/);
    await expect(replace("pinned", "b")).rejects.toThrow(/spec.pinned.*must not be changed/);
    await expect(replace("pinned-null", "a")).rejects.toThrow(/spec.pinned.*must not be changed/);
  });

  it("cannot be added later", async () => {
    await create("unfixed", {});
    await expect(patch("unfixed", { fixed: "a" })).rejects.toThrow(/spec.fixed.*must not be changed/);
  });

  it("leave other transitions to other rules", async () => {
    await create("growing", { count: 2 });
    await patch("growing", { count: 3 });
    await expect(patch("growing", { count: 1 })).rejects.toThrow(/spec.count.*must not shrink/);
    await expect(create("too-great", { count: 11 })).rejects.toThrow(/spec.count.*must start small/);
  });
});

describe("for kubectl there", () => {
  beforeAll(async () => {
    await create("shown", { color: "red" });
    const status = { status: { replicas: 3, phase: "Ready", selector: "app=shown" } };
    await kubectl(
      "patch",
      "probe",
      "shown",
      "--subresource=status",
      "--type=merge",
      "-p",
      JSON.stringify(status),
    );
  });

  it("are printer columns, the less important ones on request", async () => {
    const [head, row] = (await kubectl("get", "probe", "shown")).split("\n");
    expect(head?.split(/\s{2,}/)).toEqual(["NAME", "COLOR", "PHASE"]);
    expect(row?.split(/\s{2,}/)).toEqual(["shown", "red", "Ready"]);
    const wide = await kubectl("get", "probe", "shown", "-o", "wide");
    expect(wide.split("\n")[0]?.split(/\s{2,}/)).toEqual(["NAME", "COLOR", "PHASE", "SIZE"]);
  });

  it("are short names and categories", async () => {
    expect(await kubectl("get", "prb", "shown", "-o", "name")).toBe("probe.schema.keelson.dev/shown\n");
    expect(await kubectl("get", "probing", "-o", "name")).toContain("probe.schema.keelson.dev/shown");
  });

  it("is a scale subresource", async () => {
    await kubectl("scale", "probe/shown", "--replicas=5");
    expect(await kubectl("get", "probe", "shown", "-o", "jsonpath={.spec.size}")).toBe("5");
    const scale: unknown = JSON.parse(
      await kubectl("get", "--raw", `/apis/schema.keelson.dev/v1/namespaces/default/probes/shown/scale`),
    );
    expect(scale).toMatchObject({ spec: { replicas: 5 }, status: { replicas: 3, selector: "app=shown" } });
  });

  it("is a status of its own", async () => {
    await patch("shown", { size: 6 });
    await kubectl(
      "patch",
      "probe",
      "shown",
      "--type=merge",
      "-p",
      JSON.stringify({ status: { phase: "Gone" } }),
    );
    expect(await kubectl("get", "probe", "shown", "-o", "jsonpath={.status.phase}")).toBe("Ready");
  });

  it("are fields to select by", async () => {
    await create("blue", { color: "blue" });
    expect(await kubectl("get", "probes", "--field-selector=spec.color=red", "-o", "name")).toContain(
      "/shown",
    );
    expect(await kubectl("get", "probes", "--field-selector=spec.color=blue", "-o", "name")).not.toContain(
      "/shown",
    );
  });

  it("are descriptions to explain", async () => {
    expect(await kubectl("explain", "probe.spec.color")).toContain("What it looks like.");
  });

  it("is a second version, deprecated", async () => {
    const path = `/apis/${Old.group}/${Old.version}/namespaces/default/probes/shown`;
    expect(JSON.parse(await kubectl("get", "--raw", path))).toMatchObject({
      apiVersion: "schema.keelson.dev/v1beta1",
      spec: { color: "red" },
    });
    await expect(
      kubectl("get", "probes.v1beta1.schema.keelson.dev", "shown", "--warnings-as-errors"),
    ).rejects.toThrow(KubectlError);
  });
});
