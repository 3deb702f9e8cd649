import { reference, type Schema, type Schemas } from "./schema.ts";

const jsonSchema = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/** Types that write their own JSON, of which the server's OpenAPI states less, or allows more, than they ever write. */
const wireForms: Readonly<Record<string, Schema>> = {
  // The server takes a bare number too, and always returns a string.
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { type: "string" },
  [`${jsonSchema}OrArray`]: {
    oneOf: [reference(jsonSchema), { type: "array", items: reference(jsonSchema) }],
  },
  [`${jsonSchema}OrBool`]: { oneOf: [reference(jsonSchema), { type: "boolean" }] },
  [`${jsonSchema}OrStringArray`]: {
    oneOf: [reference(jsonSchema), { type: "array", items: { type: "string" } }],
  },
};

/** The schemas with those replaced whose real form is known better. A form of which there is no schema is left out. */
export function withWireForms(schemas: Schemas): Schemas {
  return new Map([...schemas].map(([name, schema]) => [name, wireForms[name] ?? schema]));
}
