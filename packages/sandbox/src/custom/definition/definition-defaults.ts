import { isRecord } from "@keelson/core";
import type { MutableObject } from "../../resource/mutable-object.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fills in the names that follow from the kind, and that objects are not converted. */
export function setDefinitionDefaults(object: MutableObject): void {
  const { spec } = object;
  if (!isRecord(spec)) return;
  const names = isRecord(spec.names) ? { names: withNames(spec.names) } : {};
  const conversion = isRecord(spec.conversion) ? withPort(spec.conversion) : { strategy: "None" };
  object.spec = { ...spec, ...names, conversion };
}

function withNames(names: Fields): Fields {
  const kind = typeof names.kind === "string" ? names.kind : "";
  if (kind === "") return names;
  return {
    ...names,
    singular: isGiven(names.singular) ? names.singular : kind.toLowerCase(),
    listKind: isGiven(names.listKind) ? names.listKind : `${kind}List`,
  };
}

function isGiven(text: unknown): boolean {
  return text !== undefined && text !== "";
}

function withPort(conversion: Fields): Fields {
  const webhook = isRecord(conversion.webhook) ? conversion.webhook : {};
  const client = isRecord(webhook.clientConfig) ? webhook.clientConfig : {};
  if (!isRecord(client.service) || client.service.port !== undefined) return conversion;
  const clientConfig = { ...client, service: { ...client.service, port: 443 } };
  return { ...conversion, webhook: { ...webhook, clientConfig } };
}
