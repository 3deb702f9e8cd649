// A program that stands for election and writes for as long as it leads. What it does and sees it says in lines of JSON.
import { connect, createClient, httpTransport } from "@keelson/client";
import { sleep, systemClock } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { NotLeaderError } from "../../../src/leader/errors.ts";
import { LeaderElector } from "../../../src/leader/leader-elector.ts";
import { guardTransport, guardWrites } from "../../../src/leader/write-guard.ts";
import { type Logger, silentLogger } from "../../../src/logger.ts";
import type { ReplicaLine, ReplicaSettings } from "./replica-lines.ts";

const settings: ReplicaSettings = JSON.parse(process.argv[2] ?? "");
const { kubeconfigPath, namespace, lease, identity, blocksForMs } = settings;
const say = (line: ReplicaLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** What goes wrong is for whoever reads the output of a test that failed. */
const complain = (message: string): void => void process.stderr.write(`${identity}: ${message}\n`);
const complaining: Logger = {
  ...silentLogger,
  warn: complain,
  error: complain,
  with: () => complaining,
};

const { access } = await connect({ kubeconfigPath });
const stop = new AbortController();
const elector = new LeaderElector({
  renewIn: "worker",
  connect: { kubeconfigPath, userAgent: identity },
  lease: { namespace, name: lease },
  identity,
  logger: complaining,
  onNewLeader: (leader) => say({ type: "newLeader", leader }),
  onStarted: () => {
    say({ type: "started" });
    writing = write();
  },
  onStopped: () => say({ type: "stopped" }),
});
const transport = guardTransport(httpTransport(access), elector.leadership);
const client = createClient({ transport, userAgent: identity });
let writing: Promise<void> = Promise.resolve();
// Whoever started it holds the other end; when that is gone, so is this.
process.stdin.on("end", () => process.exit(1)).resume();
process.once("SIGTERM", () => stop.abort(new Error("SIGTERM")));

/** Only the guards keep this from writing: it does not care whether the election is lost. */
async function write(): Promise<void> {
  if (blocksForMs !== undefined) block(blocksForMs);
  const guarded = guardWrites(client, elector.leadership);
  for (let count = 0; !stop.signal.aborted; count++) {
    try {
      await guarded.apply(
        ConfigMap,
        { metadata: { namespace, name: lease }, data: { count: String(count) } },
        { fieldOwner: "replica", force: true },
      );
      if (count === 0) say({ type: "wrote" });
    } catch (error) {
      if (!(error instanceof NotLeaderError)) throw error;
      say({ type: "refused", message: error.message });
    }
    await sleep(systemClock, 200);
  }
}

/** Nothing else of this thread runs meanwhile: no timer, no message. */
function block(ms: number): void {
  const before = elector.leadership.renewedAgoMs ?? 0;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  const { renewedAgoMs = Number.POSITIVE_INFINITY, isCertain } = elector.leadership;
  say({ type: "blocked", wasRenewed: renewedAgoMs < before + ms, isCertain });
}

try {
  await elector.run(stop.signal);
  await writing;
  await elector.release();
  await transport.close();
  say({ type: "ended" });
  process.stdin.destroy();
} catch (error) {
  say({ type: "lost", message: String(error) });
}
