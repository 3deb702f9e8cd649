import { defineOperator, type Operator } from "keelson";

/** Never gets ready. */
export const hanging: Operator = defineOperator({
  name: "hanging",
  setup: async () => {
    process.stderr.write("hangs in its setup\n");
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  },
});
