import type { Operator } from "keelson";
import { isRecord, parseApiVersion } from "keelson/low-level";
import type { AnyDefinedResource } from "keelson/schema";
import { sampleKey } from "./apply-samples.ts";
import type { Sample } from "./sample-files.ts";

/** kubectl commands to try with the samples, without the name of the program. */
export function tryLines(operators: readonly Operator[], samples: readonly Sample[]): readonly string[] {
  const plurals = operators.flatMap(({ resources }) => resources.map(({ plural }) => plural));
  const firsts = operators.flatMap(
    ({ resources, samples: own }) => own?.tries ?? linesOf(resources, samples),
  );
  const isScattered = samples.some(({ object }) => (object.metadata.namespace ?? "default") !== "default");
  const everywhere = isScattered ? " -A" : "";
  return [...(plurals.length === 0 ? [] : [`get ${plurals.join(",")}${everywhere}`]), ...firsts];
}

/** A line for each kind of which there is a sample. */
function linesOf(resources: readonly AnyDefinedResource[], samples: readonly Sample[]): readonly string[] {
  return resources.flatMap((resource) => {
    const { definition, scope, kind, group } = resource;
    const sample = samples.find(
      ({ object }) => object.kind === kind && parseApiVersion(object.apiVersion).group === group,
    );
    if (sample === undefined) return [];
    const { name, namespace = "default" } = sampleKey(sample.object, scope);
    const place = namespace === "default" ? "" : ` -n ${namespace}`;
    const target = `${definition.singular ?? kind.toLowerCase()} ${name}${place}`;
    if (definition.scale === undefined) return [`describe ${target}`];
    return [`scale ${target} --replicas=${replicasOf(sample) + 2}`];
  });
}

function replicasOf({ object: { spec } }: Sample): number {
  return isRecord(spec) && typeof spec.replicas === "number" ? spec.replicas : 1;
}
