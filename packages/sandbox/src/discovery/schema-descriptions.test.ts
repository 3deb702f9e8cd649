import { isRecord } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { builtinServedResources } from "../builtin/builtin-resources.ts";
import { rawSchema } from "../builtin/builtin-schemas.ts";
import { createRegistry } from "../resource/resource-registry.ts";
import { discoveryService } from "./discovery-service.ts";
import { type DescribeSchema, schemaDescriptions } from "./schema-descriptions.ts";
import { shortDescriptions } from "./short-descriptions.ts";

const deploymentSpec = "io.k8s.api.apps.v1.DeploymentSpec";

/** The published description of a field of a DeploymentSpec. */
function published(describeSchema: DescribeSchema | undefined, field: string): unknown {
  const registry = createRegistry();
  registry.replace("builtin", builtinServedResources());
  const options = describeSchema === undefined ? {} : { describe: describeSchema };
  const response = discoveryService(registry, options)("/openapi/v3/apis/apps/v1", {}, new URLSearchParams());
  const document: unknown = JSON.parse(String(response?.body));
  const at = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined);
  return ["components", "schemas", deploymentSpec, "properties", field, "description"].reduce(at, document);
}

describe("descriptions of built-in fields", () => {
  it("are short ones by default", () => {
    expect(published(undefined, "replicas")).toBe("How many pods are desired. Default: 1.");
    expect(published(undefined, "template")).toBe("The pods that are created.");
  });

  it("are those of the document of Kubernetes where there is one", () => {
    const properties = { replicas: { description: "its own words" } };
    const text = JSON.stringify({ definitions: { [deploymentSpec]: { properties } } });
    const describeSchema = schemaDescriptions(() => text);
    expect(published(describeSchema, "replicas")).toBe("its own words");
    expect(describeSchema("io.k8s.api.apps.v1.Deployment")).toBe(
      shortDescriptions["io.k8s.api.apps.v1.Deployment"],
    );
  });

  it("name only types and fields that exist", () => {
    for (const [name, { fields }] of Object.entries(shortDescriptions)) {
      const properties = rawSchema(name)?.properties;
      expect(properties, name).toBeDefined();
      for (const field of Object.keys(fields)) expect(properties, name).toHaveProperty([field]);
    }
  });
});
