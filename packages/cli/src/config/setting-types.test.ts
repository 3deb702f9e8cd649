import type { z } from "keelson";
import { describe, expect, it } from "vitest";
import {
  concurrency,
  dnsLabel,
  durationMs,
  httpsUrl,
  list,
  logLevel,
  port,
  serviceName,
  toggle,
} from "./setting-types.ts";

/** What becomes of each; undefined for what is refused. */
function read(type: z.ZodType, ...given: readonly unknown[]): readonly unknown[] {
  return given.map((value) => type.safeParse(value).data);
}

describe("a setting", () => {
  it("that is a time is written with its units", () => {
    expect(read(durationMs(), "500ms", "30s", "5m", "1h30m", "1.5s", "0", 0)).toEqual([
      ...[500, 30_000, 300_000, 5_400_000, 1_500, 0, 0],
    ]);
    const refused = ["30", 30, "", "s", "-1s", "1d", "1s ", "1 s", null];
    expect(read(durationMs(), ...refused)).toEqual(refused.map(() => undefined));
  });

  it("that is a port is a number in its range, as text or as a number", () => {
    expect(read(port(), "8080", 8080, "0", "-1", 65_535)).toEqual([8080, 8080, 0, -1, 65_535]);
    const refused = ["-2", "65536", "80.5", 80.5, "http", "", true, null, "tcp://10.0.0.1:80"];
    expect(read(port(), ...refused)).toEqual(refused.map(() => undefined));
  });

  it("that is a switch is true or false, and nothing that only looks like it", () => {
    expect(read(toggle(), "true", false, "yes", 1, "")).toEqual([
      true,
      false,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("that is a level is known in any case", () => {
    expect(read(logLevel(), "INFO", "warning", "loud", 3)).toEqual(["info", "warn", undefined, undefined]);
  });

  it("that is a list takes one and many, and is refused as a whole", () => {
    const words = list("words", (word) => word !== "no");
    expect(read(words, "a", ["a", "b"], ["a", "no"], [""], [1])).toEqual([
      ...[["a"], ["a", "b"], undefined, undefined, undefined],
    ]);
  });

  it("that names something is what Kubernetes takes for a name", () => {
    expect(read(dnsLabel("a name"), "web-1", "Web", "-web", "")).toEqual([
      "web-1",
      undefined,
      undefined,
      undefined,
    ]);
    expect(read(serviceName(), "shop/web", "shop/web:8443", "web", "shop/web/1", "shop/Web")).toEqual([
      { namespace: "shop", name: "web" },
      { namespace: "shop", name: "web", port: 8443 },
      ...[undefined, undefined, undefined],
    ]);
    expect(read(httpsUrl(), "https://10.0.0.1:9443", "http://host", "https://host/path", "host")).toEqual([
      ...["https://10.0.0.1:9443", undefined, undefined, undefined],
    ]);
  });

  it("that is a concurrency counts for all kinds or for one", () => {
    const type = concurrency();
    expect(read(type, "4", 4)).toEqual([
      { default: 4, byKind: {} },
      { default: 4, byKind: {} },
    ]);
    const both = { default: 2, byKind: { "WebApp.example.com": 4, Pod: 3 } };
    expect(read(type, ["2", "WebApp.example.com=4", "Pod=3"])).toEqual([both]);
    expect(read(type, { default: 2, "WebApp.example.com": 4, Pod: "3" })).toEqual([both]);
    const refused = ["0", "-1", "x", "WebApp=0", "=4", "WebApp=", "webapp=3", ["1", "x"], {}.constructor];
    expect(read(type, ...refused)).toEqual(refused.map(() => undefined));
  });
});
