import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { alertMetricNames } from "./alerts/alert-metrics.ts";
import { annotationKeys } from "./api/annotation-keys.ts";
import { EventReason, Reason } from "./api/reasons.ts";
import { ReloaderConfig } from "./api/reloader-config.ts";
import { metricNames } from "./metrics.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

describe("the README", () => {
  it("shows a ReloaderConfig that the schema accepts", () => {
    const [, text = ""] = /```yaml\n(apiVersion: reloader[^`]*)```/.exec(readme) ?? [];
    const { kind, spec } = parse(text);
    expect(kind).toBe("ReloaderConfig");
    expect(ReloaderConfig.schemas.spec.safeParse(spec)).toMatchObject({ success: true });
  });

  it.each([
    ...Object.values(metricNames),
    ...Object.values(alertMetricNames),
    ...Object.values(EventReason),
    ...Object.values(Reason),
  ])("describes %s", (name) => {
    expect(readme).toContain(`\`${name}\``);
  });

  it("describes every annotation", () => {
    const keys = Object.values(annotationKeys("…")).flatMap((key) =>
      typeof key === "string" ? [key] : typeof key === "function" ? [] : Object.values(key),
    );
    expect(keys.filter((key) => !readme.includes(`\`${key}\``))).toEqual([]);
  });
});
