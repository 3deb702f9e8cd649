import type { LabelSelector } from "keelson";
import { InvalidLabelSelectorError, validateLabelSelector } from "keelson/low-level";
import { type AlertUrlPolicy, alertUrlProblem } from "../alerts/alert-url.ts";
import { templateProblem } from "../alerts/body-template.ts";
import { Reason } from "../api/reasons.ts";
import type { Alerts, ReloaderConfigSpec, Target } from "../api/spec.ts";
import { windowProblems } from "../timing/restart-window.ts";

/** A value that the schema accepts and that cannot work. */
export interface SpecProblem {
  readonly reason: Reason;
  /** Such as `spec.windows[0].schedule`. */
  readonly field: string;
  /** Says what to write instead. It does not contain a URL. */
  readonly message: string;
}

/** What decides whether a spec can work, beside itself. */
export interface SpecContext {
  /** That of the ReloaderConfig. */
  readonly namespace: string;
  readonly urls: AlertUrlPolicy;
  /** From then on a window must open. */
  readonly nowMs: number;
}

/** All values of a spec that cannot work. The webhook refuses them; without it, the conditions show them. */
export function specProblems(spec: ReloaderConfigSpec, context: SpecContext): readonly SpecProblem[] {
  const { namespaceSelector, resourceSelector } = spec.watchedResources ?? {};
  return [
    ...selectorProblems("spec.watchedResources.namespaceSelector", namespaceSelector),
    ...selectorProblems("spec.watchedResources.resourceSelector", resourceSelector),
    ...repeatedTargets(spec.targets ?? [], context),
    ...(spec.windows ?? []).flatMap((window, index) =>
      windowProblems(window, context.nowMs).map(({ field, message }) => ({
        ...{ reason: Reason.InvalidWindow, field: `spec.windows[${index}].${field}`, message },
      })),
    ),
    ...channelsOf(spec.alerts).flatMap(([name, channel]) =>
      channelProblems(channel, context).map(({ field, message }) => ({
        ...{ reason: Reason.AlertChannelUnresolved, field: `spec.alerts.${name}.${field}`, message },
      })),
    ),
  ];
}

function selectorProblems(field: string, selector: LabelSelector | undefined): readonly SpecProblem[] {
  try {
    validateLabelSelector(selector ?? {});
    return [];
  } catch (error) {
    if (!(error instanceof InvalidLabelSelectorError)) throw error;
    return [
      { reason: Reason.InvalidSpec, field, message: error.message.replace("use label selector: ", "") },
    ];
  }
}

/** The schema finds equal targets, but does not know the namespace of the ReloaderConfig. */
function repeatedTargets(targets: readonly Target[], { namespace }: SpecContext): readonly SpecProblem[] {
  const firsts = new Map<string, number>();
  return targets.flatMap(({ kind, name, ...target }, index) => {
    const id = `${kind}/${target.namespace ?? namespace}/${name}`;
    const first = firsts.get(id);
    if (first === undefined) {
      firsts.set(id, index);
      return [];
    }
    const message = `names the same workload as targets[${first}]; remove one of the two`;
    return [{ reason: Reason.InvalidSpec, field: `spec.targets[${index}]`, message }];
  });
}

type Channel = NonNullable<Alerts["slack"]> & Pick<NonNullable<Alerts["customWebhook"]>, "template">;

/** The alert channels of a spec by their fields. */
export function channelsOf(alerts: Alerts = {}): readonly (readonly [string, Channel])[] {
  const { slack, teams, googleChat, customWebhook } = alerts;
  return Object.entries({ slack, teams, googleChat, customWebhook }).flatMap(([name, channel]) =>
    channel === undefined ? [] : [[name, channel] as const],
  );
}

function channelProblems(
  { url, secretRef, template }: Channel,
  { namespace, urls }: SpecContext,
): readonly { readonly field: string; readonly message: string }[] {
  const problems: [string, string | undefined][] = [
    ["url", url === undefined ? undefined : alertUrlProblem(url, urls)],
    [
      "secretRef.namespace",
      secretRef?.namespace === undefined || secretRef.namespace === namespace
        ? undefined
        : `only Secrets of ${namespace}, the namespace of the ReloaderConfig, are read; remove it, and create the Secret there`,
    ],
    ["template", template === undefined ? undefined : templateProblem(template)],
  ];
  return problems.flatMap(([field, message]) => (message === undefined ? [] : [{ field, message }]));
}
