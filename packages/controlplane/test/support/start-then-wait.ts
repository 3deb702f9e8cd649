// A program that starts a control plane, says where its folder is, and waits to be killed.
import { startControlPlane } from "../../src/index.ts";

const { folder } = await startControlPlane();
process.stdout.write(folder);
setInterval(() => undefined, 60_000);
