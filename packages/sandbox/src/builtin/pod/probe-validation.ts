import type { Container, LifecycleHandler, Probe } from "@keelson/core/kinds/core/v1";
import { httpHeaderProblems } from "../../resource/name-problems.ts";
import {
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { nonNegativeFields, portReference, textOf } from "../value-problems.ts";

type GivenContainer = Given<Container>;

/** The probes and hooks of a container that keeps running. */
export function runningContainerProblems(
  container: GivenContainer,
  gracePeriodSeconds: number | undefined,
  field: string,
): readonly FieldProblem[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  const problems: FieldProblem[] = [];
  for (const hook of ["postStart", "preStop"] as const) {
    const handler = lifecycle?.[hook];
    if (handler === undefined) continue;
    problems.push(...handlerProblems(handler, `${field}.lifecycle.${hook}`));
    problems.push(...sleepProblems(handler, gracePeriodSeconds, `${field}.lifecycle.${hook}`));
  }
  problems.push(...probeProblems(livenessProbe, `${field}.livenessProbe`, succeedsOnce));
  problems.push(...probeProblems(readinessProbe, `${field}.readinessProbe`, hasNoGracePeriod));
  problems.push(...probeProblems(startupProbe, `${field}.startupProbe`, succeedsOnce));
  return problems;
}

/** An init container that ends before the containers start cannot have probes. */
export function initContainerProbeProblems(
  container: GivenContainer,
  field: string,
): readonly FieldProblem[] {
  const detail = "may not be set for init containers without restartPolicy=Always";
  return (["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const).flatMap((name) =>
    container[name] === undefined ? [] : [forbiddenField(`${field}.${name}`, detail)],
  );
}

function probeProblems(
  probe: Given<Probe> | undefined,
  field: string,
  more: (probe: Given<Probe>, field: string) => readonly FieldProblem[],
): readonly FieldProblem[] {
  if (probe === undefined) return [];
  const { terminationGracePeriodSeconds: grace } = probe;
  return [
    ...handlerProblems(probe, field),
    ...nonNegativeFields(probe, field, [
      "initialDelaySeconds",
      "timeoutSeconds",
      "periodSeconds",
      "successThreshold",
      "failureThreshold",
    ]),
    ...(grace !== undefined && grace <= 0
      ? [invalidValue(`${field}.terminationGracePeriodSeconds`, grace, "must be greater than 0")]
      : []),
    ...more(probe, field),
  ];
}

function succeedsOnce({ successThreshold = 0 }: Given<Probe>, field: string): readonly FieldProblem[] {
  return successThreshold === 1
    ? []
    : [invalidValue(`${field}.successThreshold`, successThreshold, "must be 1")];
}

function hasNoGracePeriod(
  { terminationGracePeriodSeconds: grace }: Given<Probe>,
  field: string,
): readonly FieldProblem[] {
  return grace === undefined
    ? []
    : [invalidValue(`${field}.terminationGracePeriodSeconds`, grace, "must not be set for readinessProbes")];
}

type GivenHandler = Given<Probe & LifecycleHandler>;

const handlers: readonly (readonly [
  keyof GivenHandler,
  (handler: GivenHandler, field: string) => readonly FieldProblem[],
])[] = [
  ["exec", ({ exec }, field) => ((exec?.command ?? []).length === 0 ? [required(`${field}.command`)] : [])],
  ["httpGet", ({ httpGet = {} }, field) => httpGetProblems(httpGet, field)],
  ["tcpSocket", ({ tcpSocket }, field) => portReference(tcpSocket?.port, `${field}.port`)],
  ["grpc", ({ grpc }, field) => portReference(grpc?.port, `${field}.port`)],
  ["sleep", () => []],
];

function handlerProblems(handler: GivenHandler, field: string): readonly FieldProblem[] {
  const given = handlers.filter(([name]) => handler[name] !== undefined);
  if (given.length === 0) return [required(field, "must specify a handler type")];
  return given.flatMap(([name, problemsOf], index) =>
    index === 0
      ? problemsOf(handler, `${field}.${name}`)
      : [forbiddenField(`${field}.${name}`, "may not specify more than 1 handler type")],
  );
}

function httpGetProblems(
  { path = "", port, scheme = "", httpHeaders = [] }: NonNullable<GivenHandler["httpGet"]>,
  field: string,
): readonly FieldProblem[] {
  return [
    ...(path === "" ? [required(`${field}.path`)] : []),
    ...portReference(port, `${field}.port`),
    ...(scheme === "HTTP" || scheme === "HTTPS"
      ? []
      : [notSupported(`${field}.scheme`, scheme, ["HTTP", "HTTPS"])]),
    ...httpHeaders.flatMap((header) => {
      const name = textOf(header.name);
      return httpHeaderProblems(name).map((detail) => invalidValue(`${field}.httpHeaders`, name, detail));
    }),
  ];
}

function sleepProblems(
  { sleep }: Given<LifecycleHandler>,
  gracePeriodSeconds: number | undefined,
  field: string,
): readonly FieldProblem[] {
  const seconds = sleep?.seconds ?? 0;
  if (sleep === undefined || gracePeriodSeconds === undefined) return [];
  if (seconds >= 0 && seconds <= gracePeriodSeconds) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriodSeconds})`;
  return [invalidValue(`${field}.sleep`, seconds, detail)];
}
