import { describe, expect, it } from "vitest";
import { parseChartMetadata, parseManifests } from "./chart-yaml.ts";
import { HelmFormatError } from "./errors.ts";

describe("the manifests of a chart", () => {
  it("are read as Helm reads them", () => {
    const text = `---
# Source: probe/templates/empty.yaml
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {date: 2026-11-18, mode: 0644, on: "on", time: 10:30, switch: on}
---
apiVersion: v1
kind: Secret
metadata: {name: b}
`;
    expect(parseManifests(text, "render chart probe")).toEqual([
      {
        ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
        data: { date: "2026-11-18", mode: 420, true: "on", time: "10:30", switch: true },
      },
      { apiVersion: "v1", kind: "Secret", metadata: { name: "b" } },
    ]);
  });

  it("are objects", () => {
    expect(() => parseManifests("kind: ConfigMap", "render chart probe")).toThrow(
      "read render chart probe: a document has no apiVersion and kind",
    );
  });

  it("are not quoted by an error", () => {
    const broken = (): unknown => parseManifests('a: 1\npassword: "hunter2\nb: 2', "render chart probe");
    expect(broken).toThrow(HelmFormatError);
    expect(broken).toThrow(/^read render chart probe: line \d is not YAML \(missing_char\)$/);
  });
});

describe("the metadata of a chart", () => {
  it("is its name and version", () => {
    expect(parseChartMetadata("apiVersion: v2\nname: probe\nversion: 0.1.0\n", "Chart.yaml")).toEqual({
      name: "probe",
      version: "0.1.0",
    });
  });

  it.each(["", "name: probe", "- a", "name: probe\nversion: 1.5"])("is missing in: %j", (text) => {
    expect(() => parseChartMetadata(text, "Chart.yaml")).toThrow(HelmFormatError);
  });
});
