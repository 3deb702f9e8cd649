import { execFileSync } from "node:child_process";
import fs, { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatJson, parseJson } from "@keelson/core";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DamagedDataError } from "./errors.ts";
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

  test("cuts off a last line that a crash cut short, and reports it", () => {
    fill(folder, [2, 3]);
    appendFileSync(journalOf(folder), "0a1b2c3d 4 {");
    {
      using journal = new FolderJournal(folder);
      expect(journal.snapshot).toMatchObject({ revision: 3 });
      expect(journal.notices).toEqual([
        expect.stringMatching(/journal\.jsonl:4: cut off a write that was not completed/),
      ]);
      journal.append(entry(4));
    }
    using next = new FolderJournal(folder);
    expect(next.snapshot).toMatchObject({ revision: 4 });
    expect(next.notices).toEqual([]);
  });

  test("has the same content whichever of its two files a crash left old", () => {
    fill(folder, [2, 3]);
    const oldJournal = readFileSync(journalOf(folder));
    new FolderJournal(folder)[Symbol.dispose]();
    // As if the process had ended after it wrote the snapshot.
    writeFileSync(journalOf(folder), oldJournal);
    using journal = new FolderJournal(folder);
    expect(journal.snapshot).toMatchObject({ revision: 3, objects: [{ key: "a/2" }, { key: "a/3" }] });
    expect(journal.notices).toEqual([]);
  });

  test.each([
    [true, 2],
    [false, 0],
  ])("waits for the disk at each write only with fsync (%s)", (fsync, waits) => {
    const wait = vi.spyOn(fs, "fdatasyncSync");
    syncBuiltinESMExports();
    try {
      using journal = new FolderJournal(folder, { fsync });
      journal.append(entry(2));
      journal.append(entry(3));
      expect(wait).toHaveBeenCalledTimes(waits);
      expect(readFileSync(journalOf(folder), "utf8")).toContain("a/3");
    } finally {
      wait.mockRestore();
      syncBuiltinESMExports();
    }
  });

  test("keeps integers that a number would round, and objects of any depth", () => {
    const deep = `${"[".repeat(9_000)}${"]".repeat(9_000)}`;
    const { object } = entry(2);
    const text = `{"large":9007199254740993,"deep":${deep}}`;
    {
      using journal = new FolderJournal(folder);
      journal.append({ ...entry(2), object: object === null ? null : { ...object, spec: parseJson(text) } });
    }
    // Once from the journal, and once from the snapshot.
    for (let restart = 0; restart < 2; restart++) {
      using journal = new FolderJournal(folder);
      expect(formatJson(journal.snapshot?.objects[0]?.object.spec)).toBe(text);
    }
  });

  test("loses nothing but the write that a full disk refused", () => {
    const module = JSON.stringify(new URL("./folder-journal.ts", import.meta.url).href);
    const entries = JSON.stringify([entry(2), { ...entry(3), key: "x".repeat(10_000) }, entry(3)]);
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
    expect(journal.snapshot?.objects.map(({ key }) => key)).toEqual(["a/2", "a/3"]);
  });

  test("refuses a folder that a living process has", () => {
    using _ = new FolderJournal(folder);
    expect(() => new FolderJournal(folder)).toThrow(`process ${process.pid} has it`);
  });

  test("names the place of damaged data and the way out, and releases the folder", () => {
    fill(folder, [2, 3, 4]);
    change(journalOf(folder), (text) => text.replace('"a/3"', '"a/9"'));
    expect(() => new FolderJournal(folder)).toThrow(
      /journal\.jsonl:3: its checksum does not match; restore the folder from a copy, or start once with --repair, which keeps 1 objects of revision 2/,
    );
    expect(readdirSync(folder)).not.toContain("lock");
  });
});

/** Damages to a folder with a snapshot of revisions 2 to 4 and a journal of revisions 5 to 7, and what a repair keeps. */
const damages: readonly (readonly [string, () => void, RegExp, readonly string[]])[] = [
  [
    "a byte inside a value of the journal",
    () => change(journalOf(folder), (text) => text.replace('"a/6"', '"b/6"')),
    /journal\.jsonl:3: its checksum does not match/,
    ["a/2", "a/3", "a/4", "a/5"],
  ],
  [
    "a missing line of the journal",
    () => change(journalOf(folder), (text) => withoutLine(text, 3)),
    /journal\.jsonl:3: record 7 follows record 5/,
    ["a/2", "a/3", "a/4", "a/5"],
  ],
  [
    "a missing start of the journal",
    () => change(journalOf(folder), (text) => withoutLine(text, 1)),
    /journal\.jsonl:1: it is not the start of a journal/,
    ["a/2", "a/3", "a/4"],
  ],
  [
    "an empty journal",
    () => writeFileSync(journalOf(folder), ""),
    /journal\.jsonl:1: it is not the start of a journal/,
    ["a/2", "a/3", "a/4"],
  ],
  ["no journal", () => rmSync(journalOf(folder)), /journal\.jsonl: it is missing/, ["a/2", "a/3", "a/4"]],
  [
    "no snapshot",
    () => rmSync(snapshotOf(folder)),
    /journal\.jsonl: it continues revision 4, but snapshot\.jsonl is missing/,
    ["a/5", "a/6", "a/7"],
  ],
  [
    "a byte inside an object of the snapshot",
    () => change(snapshotOf(folder), (text) => text.replace('"a/3"', '"b/3"')),
    /snapshot\.jsonl:3: its checksum does not match/,
    ["a/2", "a/4", "a/5", "a/6", "a/7"],
  ],
  [
    "a missing line of the snapshot",
    () => change(snapshotOf(folder), (text) => withoutLine(text, 4)),
    /snapshot\.jsonl:3: it ends after 2 of 3 objects/,
    ["a/2", "a/3", "a/5", "a/6", "a/7"],
  ],
  [
    "a journal of text that is no record",
    () => writeFileSync(journalOf(folder), "nonsense\n"),
    /journal\.jsonl:1: it is not a record/,
    ["a/2", "a/3", "a/4"],
  ],
];

describe("a folder with damaged data", () => {
  beforeEach(() => {
    fill(folder, [2, 3, 4]);
    fill(folder, [5, 6, 7]);
  });

  test.each(damages)("is refused with the place: %s", (_, damage, problem) => {
    damage();
    expect(() => new FolderJournal(folder)).toThrow(problem);
    expect(() => new FolderJournal(folder)).toThrow(problem);
  });

  test.each(damages)("is repaired, and nothing is destroyed: %s", (_, damage, problem, kept) => {
    damage();
    const before = new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))]));
    const journal = new FolderJournal(folder, { repair: true });
    expect(journal.notices.join("\n")).toMatch(problem);
    expect(journal.notices.at(-1)).toMatch(`repaired, with ${kept.length} objects`);
    expect(journal.snapshot?.objects.map(({ key }) => key)).toEqual(kept);
    // No client that saw a revision which is left out may take a later write for it.
    expect(journal.snapshot?.revision).toBeGreaterThan(1_000_000);
    journal.append(entry((journal.snapshot?.revision ?? 0) + 1));
    journal[Symbol.dispose]();
    const files = readdirSync(folder);
    for (const file of files.filter((name) => name.includes(".damaged-"))) {
      expect(readFileSync(join(folder, file))).toEqual(before.get(file.replace(/\.damaged-\d+$/, "")));
    }
    using next = new FolderJournal(folder);
    expect(next.notices).toEqual([]);
    expect(next.snapshot?.objects).toHaveLength(kept.length + 1);
  });

  test("reports that there is nothing to repair", () => {
    using journal = new FolderJournal(folder, { repair: true });
    expect(journal.notices).toEqual([`${folder}: nothing to repair`]);
    expect(journal.snapshot?.revision).toBe(7);
  });

  test("is never read with another content, whichever byte is changed", () => {
    const files = filesOf(folder);
    const anyByte = fc.record({
      file: fc.constantFrom(...files),
      at: fc.nat(),
      mask: fc.integer({ min: 1, max: 255 }),
    });
    fc.assert(
      fc.property(anyByte, ({ file, at, mask }) => {
        restore(files);
        const changed = Buffer.from(file.content);
        const place = at % changed.length;
        changed[place] = (changed[place] ?? 0) ^ mask;
        writeFileSync(file.path, changed);
        expectRefusedOrTrue();
      }),
    );
  });

  test("is never read with another content, whichever line is removed, moved or doubled", () => {
    const files = filesOf(folder);
    const anyLine = fc.record({
      file: fc.constantFrom(...files),
      from: fc.nat(),
      to: fc.nat(),
      copies: fc.nat(2),
    });
    fc.assert(
      fc.property(anyLine, ({ file, from, to, copies }) => {
        restore(files);
        const lines = file.content.toString().match(/.*\n/g) ?? [];
        const moved = lines.splice(from % lines.length, 1);
        for (let copy = 0; copy < copies; copy++) lines.splice(to % (lines.length + 1), 0, ...moved);
        writeFileSync(file.path, lines.join(""));
        expectRefusedOrTrue();
      }),
    );
  });
});

/** Either the folder is refused, or it has the state of a revision. A lost last line looks like a write that never came. */
function expectRefusedOrTrue(): void {
  let opened: FolderJournal;
  try {
    opened = new FolderJournal(folder);
  } catch (error) {
    expect(error).toBeInstanceOf(DamagedDataError);
    return;
  }
  using journal = opened;
  const { revision = 0, objects } = journal.snapshot ?? {};
  expect(revision).toBeGreaterThanOrEqual(4);
  const expected = Array.from({ length: revision - 1 }, (_, index) => entry(index + 2));
  expect(objects).toEqual(expected.map(({ collection, key, object }) => ({ collection, key, object })));
}

interface SavedFile {
  readonly path: string;
  readonly content: Buffer;
}

function filesOf(path: string): readonly SavedFile[] {
  return [journalOf(path), snapshotOf(path)].map((file) => ({ path: file, content: readFileSync(file) }));
}

function restore(files: readonly SavedFile[]): void {
  for (const { path, content } of files) writeFileSync(path, content);
}

/** Opens the folder as a process of its own would, and makes these writes. */
function fill(path: string, revisions: readonly number[]): void {
  using journal = new FolderJournal(path);
  for (const revision of revisions) journal.append(entry(revision));
}

function journalOf(path: string): string {
  return join(path, "journal.jsonl");
}

function snapshotOf(path: string): string {
  return join(path, "snapshot.jsonl");
}

function change(path: string, edit: (text: string) => string): void {
  const text = readFileSync(path, "utf8");
  expect(edit(text)).not.toBe(text);
  writeFileSync(path, edit(text));
}

/** Lines count from 1. */
function withoutLine(text: string, line: number): string {
  return text
    .split("\n")
    .filter((_, index) => index !== line - 1)
    .join("\n");
}
