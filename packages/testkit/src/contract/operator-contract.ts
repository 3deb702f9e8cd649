import type { Transport } from "@keelson/core";
import { Event } from "@keelson/core/kinds/events/v1";
import type { Operator } from "keelson";
import { faults } from "../fault.ts";
import { type FaultyTransport, faultyTransport } from "../faulty-transport.ts";
import { type CrashReport, crashAtEveryWrite } from "../operator/crash-at-every-write.ts";
import { describeWrite } from "../operator/recorded-write.ts";
import {
  type RunningOperator,
  type RunOperatorOptions,
  runOperator,
  secondPass,
} from "../operator/run-operator.ts";
import { type Scenario, type ScenarioWorld, settleScenario } from "../operator/scenario.ts";
import { until } from "../operator/until.ts";
import type { RecordedRequest } from "../recorded-request.ts";
import { RecordingLogger } from "../recording-logger.ts";
import type { World } from "../world/start-world.ts";
import { ContractError } from "./errors.ts";
import { runWithDeclaredPermissions } from "./least-privilege.ts";
import { checkSpecEdits, type SpecEdits } from "./spec-edits.ts";

/** A scenario of an operator's contract. */
export interface ContractScenario extends Scenario {
  /** The reasons of Events that the operator records in the scenario. Default: they are not checked. */
  readonly eventReasons?: readonly string[];
  /** Further checks of the writes that were crashed at. Default: there must be one. */
  checkReport?(report: CrashReport): void;
}

export interface OperatorContractOptions {
  readonly operator: Operator;
  /** Gives the world that the test file has started. */
  readonly world: () => World;
  /** The steps of users that together exercise all that the operator does, by title. The first one is the simplest. */
  readonly scenarios: Readonly<Record<string, ContractScenario>>;
  /** The plural of objects that the operator writes in the first scenario, such as `deployments`: their writes are made to fail. */
  readonly failingWrites: string;
  /** Specs that an object is taken through, by title: none may leave anything in the owned objects. Default: none. */
  readonly specEdits?: Readonly<Record<string, SpecEdits>>;
  /** How long each stage of a scenario may take to settle. Default 60 s. */
  readonly settleTimeoutMs?: number;
  /** How the operator is run, such as with which settings. Is called after the world was started. Default: as `runOperator` does. */
  readonly operatorOptions?: () => ContractRunOptions;
}

/** What the contract does not decide itself. */
export type ContractRunOptions = Omit<
  RunOperatorOptions,
  "access" | "adminAccess" | "namespaces" | "wrap" | "log" | "events" | "webhooks"
>;

/** One promise that every operator keeps, as a test. */
export interface ContractCase {
  readonly title: string;
  readonly timeoutMs: number;
  /** Throws a ContractError, or a NotConvergedError, if the operator breaks the promise. */
  check(): Promise<void>;
}

/**
 * The promises that every operator keeps, as cases for the runner of the tests:
 *
 *     for (const { title, timeoutMs, check } of operatorContract(options)) it(title, { timeout: timeoutMs }, check);
 *
 * A second reconcile of a settled world writes nothing; the first error of a reconcile is reported, also if the status
 * cannot be written; a crash at any write does not change the outcome; the declared permissions suffice; nothing of an
 * earlier spec remains.
 */
export function operatorContract(options: OperatorContractOptions): readonly ContractCase[] {
  return [
    {
      title: "writes nothing when it reconciles a settled world again",
      timeoutMs: 180_000,
      check: () => checkSecondPass(options),
    },
    {
      title: "reports the first error of a reconcile, also if the status cannot be written",
      timeoutMs: 60_000,
      check: () => checkFirstError(options),
    },
    {
      title: "needs no permission beyond those that it declares",
      timeoutMs: 180_000,
      check: () => checkPermissions(options),
    },
    ...Object.entries(options.specEdits ?? {}).map(([title, edits]) => ({
      title: `leaves nothing of an earlier spec: ${title}`,
      timeoutMs: 180_000,
      check: () =>
        checkSpecEdits(options.operator, options.world(), edits, {
          all: Object.values(options.specEdits ?? {}),
          operatorOptions: runOptions(options),
        }),
    })),
    ...Object.entries(options.scenarios).map(([title, scenario]) => ({
      title: `reaches the same outcome after a crash at any write: ${title}`,
      timeoutMs: 400_000,
      check: () => checkCrashes(options, scenario),
    })),
  ];
}

async function checkSecondPass(options: OperatorContractOptions): Promise<void> {
  const { operator, scenarios } = options;
  const world = options.world();
  const writes = await Promise.all(
    Object.values(scenarios).map(async (scenario) => {
      const place = await newPlace(world);
      const run = { ...runOptions(options), access: world.cluster, namespaces: [place.namespace] };
      await using first = await runOperator(operator, run);
      await settle(options, scenario, place, first);
      await first.stop();
      return secondPass(operator, run);
    }),
  );
  if (writes.flat().length > 0)
    throw new ContractError({
      operator: operator.name,
      problem: "a second reconcile of a settled world wrote",
      details: writes.flat().map(describeWrite),
    });
}

async function checkFirstError(options: OperatorContractOptions): Promise<void> {
  const { operator, scenarios, failingWrites: plural } = options;
  const world = options.world();
  const [scenario] = Object.values(scenarios);
  if (scenario === undefined)
    throw new ContractError({ operator: operator.name, problem: "its contract has no scenario" });
  const place = await newPlace(world);
  const log = new RecordingLogger();
  const connections: FaultyTransport[] = [];
  await using _ = await runOperator(operator, {
    ...{ ...runOptions(options), access: world.cluster, namespaces: [place.namespace], events: false, log },
    wrap: (transport) => {
      const faulty = failWrites(transport, plural);
      connections.push(faulty);
      return faulty;
    },
  });
  await scenario.prepare(place);
  const failures = (): readonly string[] =>
    log.lines
      .filter(({ level }) => level === "warn" || level === "error")
      .map(({ message, fields }) => `${message}: ${fields.error}`);
  const reported = (): string | undefined => failures().find((line) => line.startsWith("reconcile failed"));
  await until(`wait until a reconcile of operator ${operator.name} fails`, () => reported() !== undefined, {
    timeoutMs: options.settleTimeoutMs ?? defaultSettleTimeoutMs,
  });
  if (reported()?.includes(plural) !== true)
    throw new ContractError({
      operator: operator.name,
      problem: `a failed write of ${plural} is not the error that is reported`,
      details: failures(),
    });
  // A status that another reconcile wrote before the first failure was not refused.
  const hasTriedStatus = connections.some(({ requests }) => {
    const first = requests.findIndex((request) => isWriteTo(plural, request));
    return first >= 0 && requests.slice(first).some(isStatusWrite);
  });
  if (hasTriedStatus && !failures().some((line) => line.includes("/status")))
    throw new ContractError({
      operator: operator.name,
      problem: "the failure to write the status is not reported",
      details: failures(),
    });
}

async function checkPermissions(options: OperatorContractOptions): Promise<void> {
  const { operator, scenarios } = options;
  const world = options.world();
  await runWithDeclaredPermissions(operator, world, runOptions(options), async (running) => {
    await Promise.all(
      Object.values(scenarios).map(async (scenario) => {
        const place = await newPlace(world);
        await settle(options, scenario, place, running);
        await waitForEvents(options, scenario, place);
      }),
    );
  });
}

/** Events are recorded in the background, so the permission to record them shows later than the rest. */
async function waitForEvents(
  { operator, settleTimeoutMs: timeoutMs = defaultSettleTimeoutMs }: OperatorContractOptions,
  { eventReasons = [] }: ContractScenario,
  { client, namespace }: ScenarioWorld,
): Promise<void> {
  const goal = `wait until operator ${operator.name} has recorded the Events ${eventReasons.join(", ")}`;
  const areRecorded = async (): Promise<boolean> => {
    const { items } = await client.list(Event, { namespace });
    const recorded = new Set(items.map(({ reason }) => reason));
    return eventReasons.every((reason) => recorded.has(reason));
  };
  await until(goal, areRecorded, { timeoutMs });
}

async function checkCrashes(options: OperatorContractOptions, scenario: ContractScenario): Promise<void> {
  const { operator, settleTimeoutMs = defaultSettleTimeoutMs } = options;
  const { cluster } = options.world();
  const operatorOptions = runOptions(options);
  const report = await crashAtEveryWrite(operator, { cluster, scenario, settleTimeoutMs, operatorOptions });
  if (report.crashes.length === 0)
    throw new ContractError({ operator: operator.name, problem: "it writes nothing in the scenario" });
  scenario.checkReport?.(report);
}

const defaultSettleTimeoutMs = 60_000;

function runOptions({ operatorOptions }: OperatorContractOptions): ContractRunOptions {
  return operatorOptions?.() ?? {};
}

async function newPlace(world: World): Promise<ScenarioWorld> {
  return { namespace: await world.createNamespace(), client: world.client, cluster: world.cluster };
}

function settle(
  { operator, settleTimeoutMs = defaultSettleTimeoutMs }: OperatorContractOptions,
  scenario: Scenario,
  place: ScenarioWorld,
  running: RunningOperator,
): Promise<void> {
  return settleScenario({ operator, scenario, settleTimeoutMs }, place, running);
}

/** Refuses every write to objects of the plural and, from the first of these on, every write to a status. */
function failWrites(transport: Transport, plural: string): FaultyTransport {
  const faulty = faultyTransport(transport);
  const isWrite = (request: RecordedRequest): boolean => isWriteTo(plural, request);
  const isLaterStatus = (request: RecordedRequest): boolean =>
    isStatusWrite(request) && faulty.requests.some(isWrite);
  const always = { times: Number.POSITIVE_INFINITY };
  faulty.fault(isWrite, faults.refuse("Forbidden"), always);
  faulty.fault(isLaterStatus, faults.refuse("Forbidden"), always);
  return faulty;
}

function isWriteTo(plural: string, { method, path }: RecordedRequest): boolean {
  return method !== "GET" && (path.endsWith(`/${plural}`) || path.includes(`/${plural}/`));
}

function isStatusWrite({ method, path }: RecordedRequest): boolean {
  return method !== "GET" && path.endsWith("/status");
}
