import { defineOperator, type Operator, z } from "keelson";

/** Writes its settings to standard error when it starts. */
export const polite: Operator = defineOperator({
  name: "polite",
  settings: z.object({
    greeting: z.string().default("hello").describe("the words to begin with"),
    repeat: z.int().min(1).default(1),
    password: z.string().optional().meta({ sensitive: true }),
  }),
  setup: (_, { greeting, repeat }) => {
    process.stderr.write(`${Array.from({ length: repeat }, () => greeting).join(" ")}\n`);
  },
});
