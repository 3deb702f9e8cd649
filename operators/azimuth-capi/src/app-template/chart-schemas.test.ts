import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSchemas } from "./chart-schemas.ts";
import { InvalidChartError } from "./errors.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "chart-schemas-"));
});
afterEach(() => rm(folder, { recursive: true }));

const valuesFile = "values.schema.json";
const uiFile = "azimuth-ui.schema.yaml";

function write(file: string, text: string): Promise<void> {
  return writeFile(join(folder, file), text);
}

describe("C.10: the schemas of a chart", () => {
  it("are those in its files", async () => {
    await write(valuesFile, '{"type": "object", "maximum": 9007199254740993, "default": null}');
    await write(uiFile, "sortOrder:\n- /a\ncontrols:\n  /a: {type: MachineSizeControl, since: 2026-01-01}\n");
    expect(await readSchemas(folder)).toEqual({
      valuesSchema: { type: "object", maximum: 9007199254740993n, default: null },
      uiSchema: {
        sortOrder: ["/a"],
        controls: { "/a": { type: "MachineSizeControl", since: "2026-01-01T00:00:00.000Z" } },
      },
    });
  });

  it("are absent if there are none, or if they are empty", async () => {
    expect(await readSchemas(folder)).toEqual({});
    await write(valuesFile, "{}");
    await write(uiFile, "# nothing\n");
    expect(await readSchemas(folder)).toEqual({});
  });

  it.each([
    [valuesFile, "{", `${valuesFile} cannot be parsed`],
    [valuesFile, "", `${valuesFile} cannot be parsed`],
    [valuesFile, "[]", `${valuesFile} is not an object`],
    [uiFile, "a: [", `${uiFile} cannot be parsed`],
    [uiFile, "just a text", `${uiFile} is not an object`],
    [uiFile, `a: "${"x".repeat(600 * 1024)}"`, `${uiFile} has more than 512 KB`],
  ])("cannot be read from %s if it is something else, %#", async (file, text, message) => {
    await write(file, text);
    await expect(readSchemas(folder)).rejects.toThrow(new InvalidChartError(message));
  });

  it("are not read through links and from folders", async () => {
    const outside = join(folder, "outside.json");
    await writeFile(outside, '{"secret": true}');
    await symlink(outside, join(folder, valuesFile));
    await expect(readSchemas(folder)).rejects.toThrow(`${valuesFile} is not a file`);
    await rm(join(folder, valuesFile));
    await mkdir(join(folder, uiFile));
    await expect(readSchemas(folder)).rejects.toThrow(`${uiFile} is not a file`);
  });
});
