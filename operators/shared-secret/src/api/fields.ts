import { rule, z } from "keelson";

/** The name of an object: a DNS subdomain. */
export const objectName: z.ZodString = rule(z.string().min(1).max(253), {
  rule: "self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",
  message: "must be the name of an object, such as orders-db: lower-case letters, digits, hyphens and dots",
});

/** The name of a namespace: a DNS label. */
export const namespaceName: z.ZodString = rule(z.string().min(1).max(63), {
  rule: "self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
  message: "must be the name of a namespace, such as shop: lower-case letters, digits and hyphens",
});

/** The key of a value in a Secret. */
export const dataKey: z.ZodString = rule(z.string().min(1).max(253), {
  rule: "self.matches('^[-._a-zA-Z0-9]+$')",
  message: "must be a key of a Secret, such as password: letters, digits, hyphens, underscores and dots",
});

export const time: z.ZodISODateTime = z.iso.datetime({ offset: true });
export const count: z.ZodInt = z.int().min(0);
