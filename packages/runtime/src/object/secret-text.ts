import type { ApplyConfiguration, KubeObject, Resource } from "@keelson/core";
import { isRecord } from "@keelson/core";

/**
 * A Secret with its `stringData` among its `data`, as the server stores it. Applied as it is, `stringData` could not be
 * compared with what is there, and a text that is no longer said would stay.
 */
export function withEncodedText<T extends KubeObject>(
  { group, kind }: Resource<T>,
  wanted: ApplyConfiguration<T>,
): ApplyConfiguration<T> {
  if (group !== "" || kind !== "Secret" || !("stringData" in wanted)) return wanted;
  const { stringData } = wanted;
  if (!isRecord(stringData)) return wanted;
  const encoded = Object.entries(stringData).map(([name, text]) => [
    name,
    Buffer.from(String(text), "utf8").toString("base64"),
  ]);
  const data = "data" in wanted && isRecord(wanted.data) ? wanted.data : {};
  return Object.assign({}, wanted, {
    stringData: undefined,
    data: { ...data, ...Object.fromEntries(encoded) },
  });
}
