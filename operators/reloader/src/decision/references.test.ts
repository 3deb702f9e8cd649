import { describe, expect, it } from "vitest";
import { podOf } from "../../test/support/decision-objects.ts";
import { referenceRows, unusedRows } from "../../test/support/decision-tables.ts";
import { referencesOf } from "./references.ts";

describe("the references of a pod template", () => {
  it.each(referenceRows)("include %s", (_, pod, name, containerIndex, containers) => {
    const references = referencesOf({ spec: pod });
    const [kind, resource = ""] = name.split("/");
    expect(references.names).toEqual([name]);
    expect(
      references.useOf(kind === "Secret" || kind === "ConfigMap" ? kind : "SecretProviderClass", resource),
    ).toEqual({
      containers,
      containerIndex,
    });
  });

  it.each(unusedRows)("leave out %s", (_, pod) => {
    expect(referencesOf({ spec: pod }).names).toEqual([]);
  });

  it("distinguish a Secret from a ConfigMap of the same name", () => {
    const references = referencesOf({ spec: podOf({ envFrom: [{ secretRef: { name: "db" } }] }) });
    expect(references.useOf("Secret", "db")).toBeDefined();
    expect(references.useOf("ConfigMap", "db")).toBeUndefined();
    expect(references.useOf("SecretProviderClass", "db")).toBeUndefined();
  });

  it("are none without a template", () => {
    expect(referencesOf(undefined).names).toEqual([]);
  });
});
