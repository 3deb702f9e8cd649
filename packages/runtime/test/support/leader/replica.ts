// A program that takes part in an election and writes as long as it leads. It prints what happens as lines of JSON.
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
const print = (line: ReplicaLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** Problems go to the output of a failed test. */
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
  onNewLeader: (leader) => print({ type: "newLeader", leader }),
  onStarted: () => {
    print({ type: "started" });
    writing = write();
  },
  onStopped: () => print({ type: "stopped" }),
});
const transport = guardTransport(httpTransport(access), elector.leadership);
const client = createClient({ transport, userAgent: identity });
let writing: Promise<void> = Promise.resolve();
// The test process holds the other end; when that process ends, this one does.
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
      if (count === 0) print({ type: "wrote" });
    } catch (error) {
      if (!(error instanceof NotLeaderError)) throw error;
      print({ type: "refused", message: error.message });
    }
    await sleep(systemClock, 200);
  }
}

/** Nothing else of this thread runs meanwhile: no timer, no message. */
function block(ms: number): void {
  const before = elector.leadership.renewedAgoMs ?? 0;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  const { renewedAgoMs = Number.POSITIVE_INFINITY, isCertain } = elector.leadership;
  print({ type: "blocked", wasRenewed: renewedAgoMs < before + ms, isCertain });
}

try {
  await elector.run(stop.signal);
  await writing;
  await elector.release();
  await transport.close();
  print({ type: "ended" });
  process.stdin.destroy();
} catch (error) {
  print({ type: "lost", message: String(error) });
}
