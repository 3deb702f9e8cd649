import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FolderJournal } from "./folder-journal.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keelson-journal-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

function entry(revision: number, isRemoved = false): Parameters<FolderJournal["append"]>[0] {
  const metadata = {
    name: "one",
    uid: "uid-1",
    resourceVersion: String(revision),
    creationTimestamp: "2030-01-01T00:00:00Z",
  };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata };
  return { collection: "configmaps", key: `a/${revision}`, revision, object: isRemoved ? null : object };
}

describe("a journal in a folder", () => {
  test("has nothing at first, and after a restart all that was written", () => {
    const first = new FolderJournal(join(folder, "new", "data"));
    expect(first.snapshot).toBeUndefined();
    first.append(entry(2));
    first.append(entry(3));
    first.append({ ...entry(4, true), key: "a/2" });
    first[Symbol.dispose]();
    using second = new FolderJournal(join(folder, "new", "data"));
    expect(second.snapshot).toMatchObject({ revision: 4, objects: [{ key: "a/3" }] });
  });

  test("keeps what a third process needs, although the second wrote nothing", () => {
    for (const revision of [2, 3]) {
      using journal = new FolderJournal(folder);
      journal.append(entry(revision));
    }
    new FolderJournal(folder)[Symbol.dispose]();
    using last = new FolderJournal(folder);
    expect(last.snapshot?.objects.map(({ key }) => key)).toEqual(["a/2", "a/3"]);
  });

  test("leaves out a last line that a crash cut short", () => {
    new FolderJournal(folder)[Symbol.dispose]();
    appendFileSync(join(folder, "journal.jsonl"), `${JSON.stringify(entry(2))}\n{"collection":"conf`);
    using journal = new FolderJournal(folder);
    expect(journal.snapshot).toMatchObject({ revision: 2 });
  });

  test("loses nothing but the write that a full disk refused", () => {
    const module = JSON.stringify(new URL("./folder-journal.ts", import.meta.url).href);
    const entries = JSON.stringify([entry(2), { ...entry(3), key: "x".repeat(10_000) }, entry(4)]);
    const program = `
      import { FolderJournal } from ${module};
      const journal = new FolderJournal(process.argv[1]);
      for (const entry of ${entries})
        try {
          journal.append(entry);
        } catch (error) {
          console.log(error.code);
        }`;
    // No file may grow beyond a few kilobytes: that is as good as a full disk.
    const limited = `trap '' XFSZ; ulimit -f 4; exec "$0" "$@"`;
    const node = ["--conditions=@keelson/source", "--input-type=module", "--eval", program, folder];
    expect(execFileSync("sh", ["-c", limited, process.execPath, ...node], { encoding: "utf8" })).toBe(
      "EFBIG\n",
    );
    using journal = new FolderJournal(folder);
    expect(journal.snapshot?.objects.map(({ key }) => key)).toEqual(["a/2", "a/4"]);
  });

  test("refuses a folder that a living process has", () => {
    using _ = new FolderJournal(folder);
    expect(() => new FolderJournal(folder)).toThrow(`process ${process.pid} has it`);
  });

  test("reports where its data is damaged, and releases the folder", () => {
    writeFileSync(join(folder, "journal.jsonl"), "{}\n");
    expect(() => new FolderJournal(folder)).toThrow(
      /journal\.jsonl:1: it is not a write; restore the folder/,
    );
    writeFileSync(join(folder, "snapshot.json"), "nonsense");
    expect(() => new FolderJournal(folder)).toThrow(/snapshot\.json: it is not JSON/);
    expect(readdirSync(folder)).not.toContain("lock");
  });
});
