// A program that starts a control plane, prints the path of its folder, and waits to be killed.
import { startControlPlane } from "../../src/index.ts";

const { folder } = await startControlPlane();
process.stdout.write(folder);
setInterval(() => undefined, 60_000);
