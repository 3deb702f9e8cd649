import { quantity, rule, z } from "keelson";

const sources = ["persistentVolumeClaim", "secret", "configMap", "emptyDir", "nfs", "hostPath"];
const isOptional = z.boolean().exactOptional();
const hostPathType = z.enum(["", "Directory", "DirectoryOrCreate", "File", "FileOrCreate"]);
const name = z.string().min(1).max(253);
const path = z.string().min(1).max(1024);
const relativePath = rule(path, {
  rule: "!self.startsWith('/') && !('..' in self.split('/'))",
  message: "must be a path within the volume",
});
const volumeName = z.string().min(1).max(63).describe("Unique among the volumes of the BackUp");
const absolutePath = path.regex(/^\/[^:]*$/).describe("The path of the volume in the workers");

/** A volume with data to back up, or with backups. It has exactly one source. */
export const volume = rule(
  z.object({
    name: volumeName.regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/),
    mountPath: absolutePath,
    readOnly: z.boolean().exactOptional(),
    subPath: relativePath.exactOptional().describe("The part of the volume that is mounted"),
    persistentVolumeClaim: z.object({ claimName: name, readOnly: isOptional }).exactOptional(),
    secret: z.object({ secretName: name, optional: isOptional }).exactOptional(),
    configMap: z.object({ name, optional: isOptional }).exactOptional(),
    emptyDir: z
      .object({ medium: z.enum(["", "Memory"]).exactOptional(), sizeLimit: quantity().exactOptional() })
      .exactOptional(),
    nfs: z.object({ server: name, path: path.regex(/^\//), readOnly: isOptional }).exactOptional(),
    hostPath: z.object({ path, type: hostPathType.exactOptional() }).exactOptional(),
  }),
  {
    rule: `[${sources.map((source) => `has(self.${source})`).join(", ")}].filter(given, given).size() == 1`,
    message: `must have exactly one source: ${sources.join(", ")}`,
  },
);
