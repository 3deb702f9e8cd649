import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const script = `#!/bin/sh
here=$(dirname "$0")
echo "$1" >> "$here/calls"
case $1 in
  list)
    echo "go: downloading example.com/hull v1.2.3" >&2
    echo example.com/hull
    echo example.com/mast
    ;;
  build)
    while [ "$1" != -o ]; do shift; done
    echo example.com/hull >&2
    if [ -e "$here/fails" ]; then echo "hull.go:7: undefined: plank" >&2; exit 1; fi
    echo half > "$2/kubectl"
    if [ -e "$here/hangs" ]; then sleep 1000 & wait; fi
    echo example.com/mast >&2
    for name in server kube-apiserver kube-controller-manager kube-scheduler kubectl; do
      echo '#!/bin/sh' > "$2/$name" && chmod +x "$2/$name"
    done
    ;;
esac
`;

/** Stands in for the Go tool: a real build takes minutes and needs Go. */
export interface FakeGo {
  /** A PATH that has this Go first. */
  readonly path: string;
  /** The commands that were called, in order. */
  calls(): Promise<readonly string[]>;
  /** From now on a build hangs half-way, or fails half-way. */
  make(behaviour: "hangs" | "fails"): Promise<void>;
}

export async function fakeGo(folder: string): Promise<FakeGo> {
  const bin = join(folder, "fake-go");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "go"), script);
  await chmod(join(bin, "go"), 0o755);
  return {
    path: `${bin}:${process.env.PATH}`,
    calls: async () =>
      (await readFile(join(bin, "calls"), "utf8").catch(() => "")).split("\n").filter(Boolean),
    make: (behaviour) => writeFile(join(bin, behaviour), ""),
  };
}
