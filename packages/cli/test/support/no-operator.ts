/** Looks like an operator and is none. */
export const almost = { name: "almost", resources: [] };
