import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { digestOf } from "./chart-values.ts";
import { HelmFormatError } from "./errors.ts";
import { parseRelease, withStatus } from "./release-record.ts";

const where = "Secret team-a/sh.helm.release.v1.demo.v3";
const json = `{"name":"demo","info":{"status":"pending-upgrade","description":"Preparing upgrade"},
"chart":{"metadata":{"name":"probe","version":"0.1.0"},"values":{"big":9007199254740993}},
"config":{"greeting":"one","none":null},"version":3,"namespace":"team-a","apply_method":"ssa"}`;

function stored(text: string, compress: (text: string) => Buffer = gzipSync): string {
  return Buffer.from(compress(text).toString("base64")).toString("base64");
}

function textOf(data: string): string {
  return gunzipSync(Buffer.from(Buffer.from(data, "base64").toString(), "base64")).toString();
}

describe("the record of a release", () => {
  it("is read as Helm stores it, compressed or not", async () => {
    const revision = {
      ...{ revision: 3, status: "pending-upgrade", chartName: "probe", chartVersion: "0.1.0" },
      valuesDigest: digestOf({ none: null, greeting: "one" }),
      isServerSide: true,
    };
    expect(await parseRelease(stored(json), where)).toEqual(revision);
    expect(await parseRelease(stored(json, Buffer.from), where)).toEqual(revision);
  });

  it("has no values if none were given", async () => {
    const { valuesDigest, isServerSide } = await parseRelease(
      stored(
        '{"info":{"status":"deployed"},"chart":{"metadata":{"name":"a","version":"1.0.0"}},"version":1}',
      ),
      where,
    );
    expect(valuesDigest).toBe(digestOf({}));
    expect(isServerSide).toBe(false);
  });

  it("gets another status, and keeps everything else", async () => {
    const changed = textOf(await withStatus(stored(json), where, { status: "failed", description: "freed" }));
    const info = { status: "failed", description: "freed" };
    expect(JSON.parse(changed)).toEqual({ ...JSON.parse(json), info });
    expect(changed).toContain("9007199254740993");
  });

  it.each([undefined, "", "e30=", stored("{}"), stored("[1]"), stored('{"password": "hunter2"'), "!!"])(
    "is refused if it is not one: %j",
    async (data) => {
      const error = await parseRelease(data, where).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(HelmFormatError);
      expect(String(error)).toContain(`read ${where}: `);
      expect(String(error)).not.toContain("hunter2");
    },
  );
});
