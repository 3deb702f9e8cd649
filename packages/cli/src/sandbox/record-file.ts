import { crc32 } from "node:zlib";
import { formatJson, parseJson } from "@keelson/core";

/**
 * A file of records, each a line of checksum, sequence number and JSON. The checksum covers the rest of the line, and the
 * numbers are consecutive: a changed byte, a missing line and a line from elsewhere are found.
 */
export type ReadRecord = IntactRecord | DamagedRecord | TornRecord;

interface IntactRecord {
  readonly state: "intact";
  readonly line: number;
  readonly sequence: number;
  readonly value: unknown;
}

/** A line that was changed after it was written, or that does not follow the line before it. */
interface DamagedRecord {
  readonly state: "damaged";
  readonly line: number;
  readonly problem: string;
}

/** The end of the file without a line break: the process ended while it wrote the record. */
interface TornRecord {
  readonly state: "torn";
  readonly line: number;
}

const lineBreak = 0x0a;
const form = /^([0-9a-f]{8}) (\d{1,16}) (.*)$/s;

export function formatRecord(sequence: number, value: unknown): string {
  const content = `${sequence} ${formatJson(value)}`;
  return `${checksum(content)} ${content}\n`;
}

/** The records in the order of the file. What comes after a damaged record is read as well. */
export function* readRecords(content: Buffer): Generator<ReadRecord> {
  let start = 0;
  let previous: number | undefined;
  for (let line = 1; start < content.length; line++) {
    const end = content.indexOf(lineBreak, start);
    if (end === -1) {
      yield { state: "torn", line };
      return;
    }
    const record = readLine(content.subarray(start, end), line);
    const expected: number | undefined = previous === undefined ? undefined : previous + 1;
    const sequence = record.state === "intact" ? record.sequence : expected;
    const follows = expected === undefined || sequence === expected;
    const problem = `record ${sequence} follows record ${previous}`;
    yield follows ? record : { state: "damaged", line, problem };
    start = end + 1;
    previous = sequence;
  }
}

function readLine(bytes: Buffer, line: number): IntactRecord | DamagedRecord {
  const [, sum, sequence, json] = form.exec(bytes.toString("utf8")) ?? [];
  if (sum === undefined || sequence === undefined || json === undefined)
    return { state: "damaged", line, problem: "it is not a record" };
  // Of the bytes, not of the text: decoding replaces what is not UTF-8.
  if (checksum(bytes.subarray(sum.length + 1)) !== sum)
    return { state: "damaged", line, problem: "its checksum does not match" };
  return { state: "intact", line, sequence: Number(sequence), value: parseJson(json) };
}

function checksum(content: string | Buffer): string {
  return crc32(content).toString(16).padStart(8, "0");
}
