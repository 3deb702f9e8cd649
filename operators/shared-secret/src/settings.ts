import { parseDurationMs, z } from "keelson";

const rotatorImage = z.string().regex(/^[^=\s]+=[^=\s]+$/, {
  error: "write the name of a rotator and its image, such as postgres=registry.example.com/rotator:1.0",
});

const pollInterval = z
  .string()
  .prefault("30s")
  .transform((text, context): number => {
    const ms = parseDurationMs(text);
    if (ms !== undefined && ms >= 1_000) return ms;
    context.addIssue({ code: "custom", message: "write a time of at least 1s, such as 30s", input: text });
    return z.NEVER;
  });

/** The settings of the operator, by flag, variable and file; see the README. */
export const settings = z
  .object({
    policy: z
      .enum(["cluster", "canister"])
      .default("cluster")
      .describe(
        "where decisions are made: by SecretAccesses in the cluster, or by a canister of the Internet Computer",
      ),
    canisterId: z
      .string()
      .meta({ placeholder: "ID" })
      .optional()
      .describe("with --policy canister: the canister"),
    canisterHost: z
      .url()
      .default("https://icp-api.io")
      .describe("a host of the network; it need not be trusted, as its responses are verified"),
    canisterIdentity: z
      .string()
      .meta({ placeholder: "PEM", sensitive: true })
      .optional()
      .describe(
        "the private key that requests are signed with, in PEM; set it by the variable, from a Secret",
      ),
    canisterRootKey: z
      .string()
      .regex(/^([0-9a-f]{2})+$/i, { error: "write the DER bytes of the key in hexadecimal digits" })
      .meta({ placeholder: "HEX" })
      .optional()
      .describe("the public key of another network than that of the Internet Computer"),
    canisterPollInterval: pollInterval
      .meta({ placeholder: "TIME" })
      .describe("how often decisions of the canister are read"),
    rotatorImages: z
      .array(rotatorImage)
      .default([])
      .meta({ placeholder: "NAME=IMAGE" })
      .describe("the image of the sidecar for a rotator, such as postgres=registry.example.com/rotator:1.0"),
  })
  .superRefine(({ policy, canisterId, canisterIdentity }, context) => {
    if (policy !== "canister") return;
    const needed = { canisterId, canisterIdentity };
    for (const [name, value] of Object.entries(needed))
      if (value === undefined)
        context.addIssue({
          code: "custom",
          path: [name],
          message: "must be set with --policy canister",
          input: value,
        });
  });

/** The settings as the operator uses them. */
export type SharedSecretSettings = z.output<typeof settings>;
