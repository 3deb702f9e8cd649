import { describe, expect, it } from "vitest";
import { type ChartDisplay, chartBlock, versionsIn } from "./chart-index.ts";

/** As `helm repo index` writes it. */
const helmIndex = `apiVersion: v1
entries:
  jupyter:
  - annotations:
      azimuth.stackhpc.com/label: JupyterHub
      images: |
        version: 9.9.9
    apiVersion: v2
    created: "2026-01-01T00:00:00Z"
    dependencies:
    - name: hub
      version: 3.0.0
    description: Notebooks for all,
      on several lines
    icon: https://example.com/jupyter.svg
    name: jupyter
    urls:
    - https://example.com/jupyter-1.1.0.tgz
    version: 1.1.0
  - apiVersion: v2
    name: jupyter
    version: "1.0.0-rc.1"
  jupyter-lab:
  - name: jupyter-lab
    version: 7.0.0
generated: "2026-01-01T00:00:00Z"
serverInfo:
  jupyter:
  - version: 8.0.0
`;

function versions(index: string, chart: string): readonly string[] | undefined {
  const block = chartBlock(index, chart);
  return block === undefined ? undefined : versionsIn(block).map(({ version }) => version);
}

function displays(index: string, chart: string): readonly ChartDisplay[] {
  return versionsIn(chartBlock(index, chart) ?? "[]").map(({ display }) => display());
}

describe("the index of a repository", () => {
  it("C.10: has the versions of a chart, in their order", () => {
    expect(versions(helmIndex, "jupyter")).toEqual(["1.1.0", "1.0.0-rc.1"]);
    expect(versions(helmIndex, "jupyter-lab")).toEqual(["7.0.0"]);
  });

  it("C.10: has no versions of other charts", () => {
    for (const chart of ["lab", "jupyte", "version", "annotations", "generated", "entries"])
      expect(versions(helmIndex, chart)).toBeUndefined();
  });

  it("C.10: shows how a version is displayed", () => {
    expect(displays(helmIndex, "jupyter")).toEqual([
      {
        label: "JupyterHub",
        logo: "https://example.com/jupyter.svg",
        description: "Notebooks for all, on several lines",
      },
      { label: "jupyter", logo: undefined, description: undefined },
    ]);
  });

  const odd = [
    "# made by hand",
    "entries:   # all of them",
    "# a comment",
    "    'other':",
    "      - version: 9.0.0",
    "",
    '    "app":  # ours',
    "# another comment",
    "      -   name: app",
    "          version: '1.0.0'",
    "",
    "      - version: v2.0.0",
    "        icon: null",
    "        description: ''",
    "      - name: without a version",
    "      -",
    "        version: 3.0.0 # the last one",
    "        annotations: [azimuth.stackhpc.com/label]",
    "      - { version: 4.0.0, name: four }",
    "      - just a text",
    "apiVersion: v1",
  ];

  it.each(["\n", "\r\n"])("C.10: may be written by hand, with lines that end in %j", (end) => {
    const index = odd.join(end);
    expect(versions(index, "app")).toEqual(["1.0.0", "v2.0.0", "3.0.0", "4.0.0"]);
    expect(displays(index, "app").map(({ label }) => label)).toEqual(["app", undefined, undefined, "four"]);
    expect(displays(index, "app")[1]).toEqual({ label: undefined, logo: undefined, description: undefined });
  });

  it.each([
    ["JSON", JSON.stringify({ entries: { app: [{ version: "1.0.0", name: "app" }] } })],
    ["braces of YAML", "{apiVersion: v1, entries: {app: [{version: 1.0.0, name: app}]}}"],
    ["braces for the entries", "entries: {app: [{version: 1.0.0, name: app}]}"],
    ["braces for a chart", "entries:\n  app:\n    [{version: 1.0.0, name: app}]"],
    ["a key in quotes", '"entries":\n  app:\n  - version: 1.0.0\n    name: app\n'],
  ])("C.10: may be written with %s", (_, index) => {
    expect(versions(index, "app")).toEqual(["1.0.0"]);
    expect(displays(index, "app")).toEqual([{ label: "app", logo: undefined, description: undefined }]);
  });

  it.each([
    "entries: {}",
    "entries:\n",
    "entries:\ngenerated: now\n",
    "entries:\n  app: []\n",
    '{"entries": {"other": []}}',
  ])("C.10: may be empty: %j", (index) => {
    expect(versions(index, "app") ?? []).toEqual([]);
  });

  it.each([
    ["", "the index has no entries"],
    ["<html>", "the index has no entries"],
    ["[]", "the index has no entries"],
    ["entries: [app]", "the index has no entries"],
    ["entries: {", "it is not YAML"],
    [`{${" ".repeat(1024 * 1024)}`, "the index is not written as Helm writes it, and too large"],
  ])("is not made of any text", (text, message) => {
    expect(() => chartBlock(text, "app")).toThrow(message);
  });

  it("does not parse what it does not need", () => {
    const others = `  other:\n  - version: [\n    name: "\n${"  # 80 characters\n".repeat(100_000)}`;
    const index = helmIndex.replace("  jupyter-lab:", `${others}  jupyter-lab:`);
    expect(versions(index, "jupyter")).toEqual(["1.1.0", "1.0.0-rc.1"]);
    expect(versions(index, "jupyter-lab")).toEqual(["7.0.0"]);
  });
});
