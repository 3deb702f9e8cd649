import { rule, sized, z } from "keelson";

const prefix = "([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?";
const word = "[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?";

/** Names that the operator uses, and names that the Job controller sets. With another value of those no pod can be created. */
const reserved = "backup.keelson.dev/ or batch.kubernetes.io/";
const names = [
  {
    rule: `self.all(name, name.matches('^${prefix}${word}$') && size(name.split('/')[size(name.split('/')) - 1]) <= 63)`,
    message: "must have names such as tier or example.com/tier",
  },
  {
    rule: "self.all(name, !name.startsWith('backup.keelson.dev/') && !name.startsWith('batch.kubernetes.io/'))",
    message: `must not begin with ${reserved}, which are reserved for the operator and for Jobs`,
  },
];

const ofLabels = [
  {
    rule: `self.all(name, self[name].matches('^(${word})?$'))`,
    message: "must have values of letters, digits, hyphens, underscores and dots, as labels have",
  },
  {
    rule: "!self.exists(name, name in ['job-name', 'controller-uid', 'app.kubernetes.io/managed-by'])",
    message:
      "must not be job-name, controller-uid or app.kubernetes.io/managed-by, which Jobs and the operator set",
  },
];

const entries = (longest: number) => sized(z.record(z.string(), z.string().max(longest)), { max: 32 });

/** Labels that the pods of a Job can have. */
export const podLabels = [...names, ...ofLabels].reduce((schema, each) => rule(schema, each), entries(63));

/** Annotations that the pods of a Job can have. */
export const podAnnotations = names.reduce((schema, each) => rule(schema, each), entries(4096));
