import type { ObjectToWrite } from "@keelson/client";
import type { KubeObject, Resource } from "@keelson/core";
import type { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";

/** A kind with two versions, of which `v1` is stored. */
export interface Gadget extends KubeObject {
  readonly spec: { readonly size: number };
}

/** The same kind in `v1alpha1`. */
export interface OldGadget extends KubeObject {
  readonly spec: { readonly width: string };
}

const names = { group: "example.com", kind: "Gadget", plural: "gadgets", scope: "Namespaced" } as const;
export const Gadget: Resource<Gadget> = { ...names, version: "v1" };
export const OldGadget: Resource<OldGadget> = { ...names, version: "v1alpha1" };

/** The CustomResourceDefinition of both versions, without a conversion webhook. */
export const gadgetDefinition: ObjectToWrite<CustomResourceDefinition> = {
  metadata: { name: "gadgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Gadget", plural: "gadgets", singular: "gadget", listKind: "GadgetList" },
    versions: [versionOf("v1", "size", "integer", true), versionOf("v1alpha1", "width", "string", false)],
  },
};

function versionOf(name: string, field: string, type: string, storage: boolean) {
  return {
    name,
    served: true,
    storage,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", properties: { [field]: { type } } } },
      },
    },
  };
}
