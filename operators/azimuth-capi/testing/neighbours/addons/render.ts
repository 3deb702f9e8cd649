import { type Client, find, type GenericObject, type Stored } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { isRecord } from "keelson/low-level";
import { parse, parseAllDocuments } from "yaml";
import type { Addon } from "./kinds.ts";

export interface ChartRequest {
  readonly repo: string;
  readonly name: string;
  readonly version: string;
  readonly release: string;
  readonly namespace: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Renders a chart; undefined if its repository does not exist in this simulated world. */
export type RenderChart = (request: ChartRequest) => Promise<readonly GenericObject[] | undefined>;

/** What an addon comes to. */
export interface RenderedAddon {
  readonly objects: readonly GenericObject[];
  /** What a chart was given; undefined for manifests. */
  readonly values?: ChartRequest["values"];
}

/** Undefined while a Secret is missing that the addon is made of. */
export async function renderAddon(
  client: Pick<Client, "get">,
  addon: Stored<Addon>,
  renderChart: RenderChart,
): Promise<RenderedAddon | undefined> {
  const { chart } = addon.spec;
  return chart === undefined
    ? renderManifests(client, addon)
    : renderRelease(client, addon, (values) => renderChart({ ...chart, ...releaseOf(addon), values }));
}

/** The release of Helm that an addon is in its tenant cluster. */
export function releaseOf({ metadata, spec }: Stored<Addon>): Pick<ChartRequest, "release" | "namespace"> {
  return { namespace: spec.targetNamespace, release: spec.releaseName ?? metadata.name };
}

async function renderManifests(
  client: Pick<Client, "get">,
  { metadata: { namespace }, spec }: Stored<Addon>,
): Promise<RenderedAddon | undefined> {
  const objects: GenericObject[] = [];
  for (const { secret, template } of spec.manifestSources ?? []) {
    if (template !== undefined) objects.push(...objectsIn(template));
    if (secret === undefined) continue;
    const texts = await textsOf(client, namespace, secret.name);
    if (texts === undefined) return undefined;
    const { keys = [...texts.keys()], excludeKeys = [] } = secret;
    for (const [key, text] of texts)
      if (keys.includes(key) && !excludeKeys.includes(key)) objects.push(...objectsIn(text));
  }
  return { objects };
}

async function renderRelease(
  client: Pick<Client, "get">,
  { metadata: { namespace }, spec }: Stored<Addon>,
  render: (values: ChartRequest["values"]) => ReturnType<RenderChart>,
): Promise<RenderedAddon | undefined> {
  let values: Readonly<Record<string, unknown>> = {};
  for (const { secret, template } of spec.valuesSources ?? []) {
    const texts = secret === undefined ? undefined : await textsOf(client, namespace, secret.name);
    if (secret !== undefined && texts === undefined) return undefined;
    const parsed: unknown = parse(withoutMarkers(template ?? texts?.get(secret?.key ?? "values.yaml") ?? ""));
    if (isRecord(parsed)) values = merged(values, parsed);
  }
  // Of a chart that cannot be downloaded there is nothing to see but its phase.
  return { objects: (await render(values)) ?? [], values };
}

async function textsOf(
  client: Pick<Client, "get">,
  namespace: string | undefined,
  name: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  const secret = await find(client, Secret, { ...(namespace !== undefined && { namespace }), name });
  if (secret === undefined) return undefined;
  return new Map(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
  );
}

/** The addon provider renders texts as Jinja templates, where these markers keep what is between them. */
function withoutMarkers(text: string): string {
  return text.replaceAll(/\{%-?\s*(?:end)?raw\s*-?%\}/g, "");
}

function objectsIn(text: string): readonly GenericObject[] {
  return [parseAllDocuments(withoutMarkers(text))].flat().flatMap((document) => {
    for (const error of document.errors) throw error;
    const object: unknown = document.toJS();
    return isGenericObject(object) ? [object] : [];
  });
}

export function isGenericObject(value: unknown): value is GenericObject {
  return isRecord(value) && typeof value.apiVersion === "string" && typeof value.kind === "string";
}

function merged(
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const both = Object.entries(right).map(([key, value]) => {
    const before = left[key];
    return [key, isRecord(before) && isRecord(value) ? merged(before, value) : value] as const;
  });
  return { ...left, ...Object.fromEntries(both) };
}
