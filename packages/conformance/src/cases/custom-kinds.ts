import { field, type Stage } from "../stage.ts";
import type { Fields } from "./manifests.ts";

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** What is particular to a definition; `version` adds to its only version. */
export interface Custom {
  /** Properties of the spec. */
  readonly spec?: Fields;
  /** The whole schema instead. */
  readonly schema?: Fields;
  readonly version?: Fields;
  readonly definition?: Fields;
}

/** A group that belongs to the case, so that no two cases meet. */
export function groupOf(stage: Stage): string {
  return `${stage.namespace}.example.com`;
}

/** A definition of Widgets in the case's own group. */
export function definitionOf(stage: Stage, custom: Custom = {}): Fields {
  const { spec = {}, version = {}, definition = {} } = custom;
  const schema = custom.schema ?? {
    type: "object",
    properties: {
      spec: { type: "object", properties: spec },
      status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${groupOf(stage)}` },
    spec: {
      group: groupOf(stage),
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version },
      ],
      ...definition,
    },
  };
}

/** The path of the case's widgets. */
export function widgets(stage: Stage, rest = "", version = "v1"): string {
  return `/apis/${groupOf(stage)}/${version}/namespaces/${stage.namespace}/widgets${rest}`;
}

export function widget(stage: Stage, name: string, fields: Fields = {}, version = "v1"): Fields {
  const { metadata, ...rest } = fields;
  const more = typeof metadata === "object" && metadata !== null ? metadata : {};
  return { apiVersion: `${groupOf(stage)}/${version}`, kind: "Widget", metadata: { name, ...more }, ...rest };
}

/** Defines widgets and waits until they are served. */
export async function defineWidgets(stage: Stage, custom: Custom = {}): Promise<void> {
  await stage.prepare(definitionsPath, definitionOf(stage, custom));
  await untilServed(stage);
}

/** Waits until widgets are served; a definition is in force some time after it was accepted. */
export async function untilServed(stage: Stage, version = "v1"): Promise<void> {
  await stage.until(widgets(stage, "", version), (list) => field(list, "kind") === "WidgetList");
}

export function definitionPath(stage: Stage): string {
  return `${definitionsPath}/widgets.${groupOf(stage)}`;
}

/** Definitions weigh on the whole server; the case is over. */
export async function removeDefinition(stage: Stage): Promise<void> {
  await stage.remove(definitionPath(stage));
}

/** Creates a definition and records the response. */
export async function createDefinition(stage: Stage, definition: Fields): Promise<unknown> {
  return await stage.create(definitionsPath, definition);
}
