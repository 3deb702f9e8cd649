import { fileURLToPath } from "node:url";
import { defineOperator, type Operator } from "keelson";
import { describe, expect, it } from "vitest";
import { usualProgress } from "./row.ts";
import { isSameSample, readSamples } from "./sample-files.ts";

const folderUrl = new URL("../../test/support/samples/", import.meta.url);
const folder = fileURLToPath(folderUrl);

function operatorWith(...files: readonly string[]): Operator {
  const urls = files.map((file) => new URL(file, folderUrl));
  const progress = () => ({ phase: "Ready", isSettled: true });
  return defineOperator({ name: "shed", samples: { files: urls, progress }, setup: () => undefined });
}

describe("samples", () => {
  it("are all objects of all files, in their order", async () => {
    const without = defineOperator({ name: "none", setup: () => undefined });
    const { first } = await readSamples([without, operatorWith("sheds.yaml", "never.yaml")], folder);
    expect(first.map(({ object, file }) => `${file} ${object.kind} ${object.metadata.name}`)).toEqual([
      "sheds.yaml ConfigMap shed-paint",
      "sheds.yaml Shed tools",
      "sheds.yaml Shed bikes",
      "never.yaml Shed castle",
    ]);
  });

  it("may have files for later, and are the same object by kind and key", async () => {
    const shed = operatorWith("sheds.yaml");
    const samples = { ...shed.samples, files: [], later: shed.samples?.files ?? [], progress: usualProgress };
    const { first, later } = await readSamples([{ ...shed, samples }], folder);
    expect([first.length, later.length]).toEqual([0, 3]);
    const [paint, tools, bikes] = later;
    if (paint === undefined || tools === undefined || bikes === undefined) throw new Error("three are read");
    expect(isSameSample(tools, { ...tools, file: "other.yaml" })).toBe(true);
    for (const other of [paint, bikes]) expect(isSameSample(tools, other)).toBe(false);
  });

  it("have the texts of their neighbours in place of their names", async () => {
    const boat = operatorWith("boat.yaml");
    const portWith = async (texts?: ReadonlyMap<string, string>): Promise<unknown> =>
      (await readSamples([boat], folder, texts)).first.map(({ object }) => object.spec);
    const unknown = "\u0024{unknown}";
    expect(await portWith()).toEqual([{ port: `\u0024{port} ${unknown}` }]);
    expect(await portWith(new Map([["port", "Bristol"]]))).toEqual([{ port: `Bristol ${unknown}` }]);
  });

  it("that cannot be read are named in one line, with what to do", async () => {
    await expect(readSamples([operatorWith("missing.yaml")], folder)).rejects.toThrow(
      /^read sample missing\.yaml: ENOENT.*; correct the file, or leave samples out by --no-samples$/,
    );
    await expect(readSamples([operatorWith("broken.yaml")], folder)).rejects.toThrow(
      /^read sample broken\.yaml: .* at line 4, column 1.*; correct the file/,
    );
    await expect(readSamples([operatorWith("../rows.ts")], "/nowhere")).rejects.toThrow(
      /^read sample \/.*\/rows\.ts: /,
    );
  });

  it("have a kind and a name", async () => {
    await expect(readSamples([operatorWith("nameless.yaml")], folder)).rejects.toThrow(
      "read sample nameless.yaml: it holds something without apiVersion, kind or metadata.name; correct",
    );
  });
});
