import type { ServedResource } from "../../resource/served-resource.ts";
import type { ReadDependencies } from "./read-dependencies.ts";

/** How long watches of a custom kind still see what happens after its definition changed. */
const lastEventsMs = 1_000;

/** Ends a watch a moment after the definition of its kind changed or went. Gives a function that lets go of all this. */
export function endWithDefinition(
  { registry, clock }: Pick<ReadDependencies, "registry" | "clock">,
  { group, version, plural, definedBy }: ServedResource,
  end: () => void,
): () => void {
  let cancel: (() => void) | undefined;
  const stopListening = registry.onChange(() => {
    const served = registry.find(group, version, plural);
    const isSame = served !== undefined && served.definedBy === definedBy;
    if (!isSame) cancel ??= clock.schedule(lastEventsMs, end);
  });
  return () => {
    stopListening();
    cancel?.();
  };
}
