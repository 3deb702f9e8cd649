import type { ApplyConfiguration, KubeObject, Resource } from "@keelson/core";
import { isRecord } from "@keelson/core";

/**
 * A Secret with its `stringData` among its `data`, as the server stores it. Applied as it is, `stringData` could not be
 * compared with what is there, and a text that is no longer desired would stay.
 */
export function withEncodedText<T extends KubeObject>(
  resource: Resource<T>,
  desired: ApplyConfiguration<T>,
): ApplyConfiguration<T> {
  if (!isSecret(resource) || !("stringData" in desired)) return desired;
  const { stringData } = desired;
  if (!isRecord(stringData)) return desired;
  const encoded = Object.entries(stringData).map(([name, text]) => [
    name,
    Buffer.from(String(text), "utf8").toString("base64"),
  ]);
  const data = "data" in desired && isRecord(desired.data) ? desired.data : {};
  return Object.assign({}, desired, {
    stringData: undefined,
    data: { ...data, ...Object.fromEntries(encoded) },
  });
}

/** What of an object may be made known by a digest: of a Secret what it has, but no text that could be guessed by it. */
export function withoutSecretText(resource: Resource, object: object): object {
  if (!isSecret(resource) || !("data" in object) || !isRecord(object.data)) return object;
  return { ...object, data: Object.keys(object.data).sort() };
}

function isSecret({ group, kind }: Resource): boolean {
  return group === "" && kind === "Secret";
}
