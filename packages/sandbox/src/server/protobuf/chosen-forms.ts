type Decoded = Readonly<Record<string, unknown>>;

/** Messages that hold one of several things, which stands alone in JSON: what it is, from the fields of the message. */
export const chosenForms: Readonly<Record<string, (message: Decoded) => unknown>> = {
  "apiextensions.v1.JSONSchemaPropsOrArray": ({ schema, jSONSchemas }) => jSONSchemas ?? schema ?? null,
  "apiextensions.v1.JSONSchemaPropsOrBool": ({ schema, allows = false }) => schema ?? allows,
  "apiextensions.v1.JSONSchemaPropsOrStringArray": ({ schema, property }) => property ?? schema ?? null,
};
