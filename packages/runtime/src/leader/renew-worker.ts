// The program of the thread that renews a Lease. It starts with the `start` message, and ends when the thread that
// started it calls `terminate`.
import { parentPort, workerData } from "node:worker_threads";
import { connect, createClient, httpTransport } from "@keelson/client";
import { type Clock, systemClock, systemRandom } from "@keelson/core";
import type { MessageFromWorker, MessageToWorker, RenewWorkerData } from "./election-driver.ts";
import { ElectionLoop, type Report } from "./election-loop.ts";
import { RenewWorkerError } from "./errors.ts";
import { singleAttempt } from "./lease-requests.ts";
import { LeaseTerm } from "./lease-term.ts";

const port = parentPort;
if (port === null) throw new RenewWorkerError("this module is the program of a worker; do not import it");
const post = (message: MessageFromWorker): void => port.postMessage(message);
const { rules, connect: connectOptions, termMemory }: RenewWorkerData = workerData;

const onWarning = (message: string): void => post({ type: "warning", message });
const { access } = await connect({ ...connectOptions, onWarning });
const { userAgent } = connectOptions;
// Not the client of the connection, since that one retries on its own [LE9].
const client = createClient({
  transport: singleAttempt(httpTransport(access)),
  onWarning: (text, operation) => onWarning(`${operation}: the API server warns: ${text}`),
  ...(userAgent !== undefined && { userAgent }),
});
const cancelling = new AbortController();
let loop: ElectionLoop | undefined;

async function run(parentNowMs: number): Promise<void> {
  const clock = parentClock(parentNowMs);
  const term = new LeaseTerm({ rules, clock, memory: termMemory });
  const report: Report = (event) => post({ type: "report", report: event });
  loop = new ElectionLoop({ client, clock, random: systemRandom, rules, term, report });
  post({ type: "ended", end: await loop.run(cancelling.signal) });
}

/** The monotonic clocks of threads may start at different times; shared times are those of the parent thread. */
function parentClock(parentNowMs: number): Clock {
  const aheadMs = parentNowMs - systemClock.monotonicNow();
  return { ...systemClock, monotonicNow: () => systemClock.monotonicNow() + aheadMs };
}

port.on("message", (message: MessageToWorker) => {
  switch (message.type) {
    case "start":
      void run(message.nowMs);
      break;
    case "cancel":
      cancelling.abort(new Error("cancelled"));
      break;
    case "release":
      void loop?.release().then((isReleased) => post({ type: "released", isReleased }));
      break;
  }
});
post({ type: "ready" });
