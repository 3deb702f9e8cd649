import { quantity, rule, z } from "keelson";

type HostPathType = "" | "Directory" | "DirectoryOrCreate" | "File" | "FileOrCreate";

/** Where something is to be found that is backed up, or where backups are kept. Has exactly one source. */
export interface BackUpVolume {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  readonly subPath?: string;
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean };
  readonly secret?: { readonly secretName: string; readonly optional?: boolean };
  readonly configMap?: { readonly name: string; readonly optional?: boolean };
  readonly emptyDir?: { readonly medium?: "" | "Memory"; readonly sizeLimit?: number | string };
  readonly nfs?: { readonly server: string; readonly path: string; readonly readOnly?: boolean };
  readonly hostPath?: { readonly path: string; readonly type?: HostPathType };
}

const sources = ["persistentVolumeClaim", "secret", "configMap", "emptyDir", "nfs", "hostPath"];
const isOptional = z.boolean().exactOptional();
const hostPathType = z.enum(["", "Directory", "DirectoryOrCreate", "File", "FileOrCreate"]);
const name = z.string().min(1).max(253);
const path = z.string().min(1).max(1024);
const volumeName = z.string().min(1).max(63).describe("Unique among the volumes of the BackUp");
const absolutePath = path.regex(/^\/[^:]*$/).describe("Where the workers find it");

export const volume: z.ZodType<BackUpVolume, BackUpVolume> = rule(
  z.object({
    name: volumeName.regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/),
    mountPath: absolutePath,
    readOnly: z.boolean().exactOptional(),
    subPath: path.exactOptional().describe("The part of the volume that is mounted"),
    persistentVolumeClaim: z.object({ claimName: name, readOnly: isOptional }).exactOptional(),
    secret: z.object({ secretName: name, optional: isOptional }).exactOptional(),
    configMap: z.object({ name, optional: isOptional }).exactOptional(),
    emptyDir: z
      .object({ medium: z.enum(["", "Memory"]).exactOptional(), sizeLimit: quantity().exactOptional() })
      .exactOptional(),
    nfs: z.object({ server: name, path, readOnly: isOptional }).exactOptional(),
    hostPath: z.object({ path, type: hostPathType.exactOptional() }).exactOptional(),
  }),
  {
    rule: `[${sources.map((source) => `has(self.${source})`).join(", ")}].filter(given, given).size() == 1`,
    message: `must have exactly one source: ${sources.join(", ")}`,
  },
);
