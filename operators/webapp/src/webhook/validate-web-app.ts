import type { Validation } from "keelson";
import { componentIsImmutable, nameRule, specRules } from "../api/rules.ts";
import type { WebApp } from "../api/web-app.ts";
import { excessiveRequest } from "./excessive-request.ts";
import { warningsOf } from "./warnings.ts";

type Call = Pick<Validation<WebApp>, "object" | "old" | "deny" | "warn">;

/** Refuses a WebApp that cannot work. */
export function validateWebApp({ object, old, deny, warn }: Call): void {
  const { metadata, spec } = object;
  if (metadata.name !== undefined && !nameRule.holds(metadata.name))
    deny(nameRule.message, { field: "metadata.name" });
  for (const { field, message, holds } of specRules)
    if (!holds(spec)) deny(message, { field: `spec.${field}` });
  if (old !== undefined && old.spec.component !== spec.component)
    deny(componentIsImmutable, { field: "spec.component" });
  const excess = excessiveRequest(spec.resources);
  if (excess !== undefined) deny(excess, { field: "spec.resources" });
  for (const warning of warningsOf(object, old)) warn(warning);
}
