import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { isRecord } from "keelson/low-level";
import { formatJson, parseJson } from "keelson/object";
import { digestOf } from "./chart-values.ts";
import { HelmFormatError } from "./errors.ts";

/** What matters of a revision of a release. */
export interface ReleaseRevision {
  readonly revision: number;
  /** Such as `deployed` or `pending-upgrade`. */
  readonly status: string;
  readonly chartName: string;
  readonly chartVersion: string;
  /** Of the values that were given to Helm: those of the chart are not among them. */
  readonly valuesDigest: string;
  /** Whether its objects were written by server-side apply, as Helm 4 does unless the release was installed otherwise. */
  readonly isServerSide: boolean;
}

/** A Secret holds a megabyte at most; this is what a record of that size may come to. */
const maxRecordBytes = 64 * 1024 * 1024;
const gunzipped = promisify(gunzip);
const gzipped = promisify(gzip);

/** Reads the field `release` of the Secret of a revision: JSON, mostly compressed, in base64, in base64. */
export async function parseRelease(data: string | undefined, where: string): Promise<ReleaseRevision> {
  const record = await recordIn(data, where);
  const { version, info, chart, config, apply_method: applyMethod } = record;
  const metadata = isRecord(chart) ? chart.metadata : undefined;
  if (
    typeof version !== "number" ||
    !isRecord(info) ||
    typeof info.status !== "string" ||
    !isRecord(metadata) ||
    typeof metadata.name !== "string" ||
    typeof metadata.version !== "string"
  )
    throw new HelmFormatError(`read ${where}: it is not the record of a release`);
  return {
    revision: version,
    status: info.status,
    chartName: metadata.name,
    chartVersion: metadata.version,
    valuesDigest: digestOf(config ?? {}),
    isServerSide: applyMethod === "ssa",
  };
}

/** The field of the Secret for the same revision with another status. Everything else stays as Helm wrote it. */
export async function withStatus(
  data: string | undefined,
  where: string,
  { status, description }: { readonly status: string; readonly description: string },
): Promise<string> {
  const record = await recordIn(data, where);
  const info = isRecord(record.info) ? record.info : {};
  const text = formatJson({ ...record, info: { ...info, status, description } });
  const compressed = await gzipped(Buffer.from(text));
  return Buffer.from(compressed.toString("base64")).toString("base64");
}

const gzipMagic = Buffer.from([0x1f, 0x8b, 0x08]);

async function recordIn(data: string | undefined, where: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const inner = Buffer.from(Buffer.from(data ?? "", "base64").toString("latin1"), "base64");
    const isCompressed = inner.subarray(0, gzipMagic.length).equals(gzipMagic);
    const bytes = isCompressed ? await gunzipped(inner, { maxOutputLength: maxRecordBytes }) : inner;
    const record = parseJson(bytes.toString("utf8"));
    if (isRecord(record)) return record;
  } catch {
    // biome-ignore lint/style/useErrorCause: the message of a parser quotes the record, which holds secrets
    throw new HelmFormatError(`read ${where}: it is not JSON as Helm stores it`);
  }
  throw new HelmFormatError(`read ${where}: it is not the record of a release`);
}
