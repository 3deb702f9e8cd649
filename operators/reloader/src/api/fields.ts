import { rule, sized, z } from "keelson";

const subdomainPattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

/** The name of an object: a DNS subdomain. */
export const objectName: z.ZodString = rule(z.string().min(1).max(253), {
  rule: `self.matches('${subdomainPattern}')`,
  message:
    "must be the name of one object, such as db-credentials: lower-case letters, digits, hyphens and dots, no pattern",
});

/** The name of a namespace: a DNS label. */
export const namespaceName: z.ZodString = rule(z.string().min(1).max(63), {
  rule: "self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
  message: "must be the name of a namespace, such as shop: lower-case letters, digits and hyphens",
});

/** The form of a duration without a sign, in RE2's syntax. Go writes microseconds with either of two letters, or with u. */
const durationPattern = "^([0-9]+([.][0-9]*)?(ns|us|µs|μs|ms|s|m|h))+$";

/** A duration as Go writes it, stored as the user wrote it: not negative, and at least as long as `least`. */
export function goDuration(least: string): z.ZodString {
  const form = rule(z.string().min(1).max(64), {
    rule: `self.matches('${durationPattern}')`,
    message: "must be a duration with units, such as 30s, 5m or 1h30m",
  });
  return rule(form, {
    rule: `!self.matches('${durationPattern}') || duration(self) >= duration('${least}')`,
    message: `must be at least ${least}`,
  });
}

const labelNamePattern = "([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]";
const labelKeyPattern = `^([a-z0-9][-a-z0-9.]{0,251}[a-z0-9]/|[a-z0-9]/)?${labelNamePattern}$`;

/** Labels that a resource must have. */
export const requiredLabels: z.ZodRecord<z.ZodString, z.ZodString> = rule(
  rule(sized(z.record(z.string(), z.string().max(63)), { max: 64 }), {
    rule: `self.all(key, size(key) <= 317 && key.matches('${labelKeyPattern}'))`,
    message: "must have keys of labels, such as tier or example.com/tier",
  }),
  {
    rule: `self.all(key, self[key].matches('^(${labelNamePattern})?$'))`,
    message: "must have values of labels: letters, digits, -, _ and ., such as frontend",
  },
);
