import type { AccessDecision, AccessRequest } from "../../auth/access.ts";
import type { ServiceAccountName } from "../../auth/user.ts";
import { ExtensionValue } from "../language/cel-values.ts";
import type { Functions } from "../language/function-table.ts";

/** Whether the user of the request, or a service account instead, may do something. */
export type AskAccess = (request: AccessRequest, serviceAccount?: ServiceAccountName) => AccessDecision;

/**
 * What an expression has said so far of what it asks for; steps of
 * `authorizer.group("").resource("pods").check("get")`.
 */
abstract class Question<T> extends ExtensionValue {
  readonly ask: AskAccess;
  readonly about: T;

  constructor(ask: AskAccess, about: T) {
    super();
    this.ask = ask;
    this.about = about;
  }

  override toString(): string {
    return JSON.stringify(this.about ?? {});
  }
}

interface Target {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export class CelAuthorizer extends Question<undefined> {
  readonly typeName = "kubernetes.authorization.Authorizer";
}

class PathCheck extends Question<string> {
  readonly typeName = "kubernetes.authorization.PathCheck";
}

class GroupCheck extends Question<string> {
  readonly typeName = "kubernetes.authorization.GroupCheck";
}

export class ResourceCheck extends Question<Target> {
  readonly typeName = "kubernetes.authorization.ResourceCheck";
}

class CelDecision extends ExtensionValue {
  readonly typeName = "kubernetes.authorization.Decision";
  readonly decision: AccessDecision;

  constructor(decision: AccessDecision) {
    super();
    this.decision = decision;
  }

  override toString(): string {
    return JSON.stringify(this.decision);
  }
}

const prefix = "kubernetes.authorization";
const decision = `${prefix}.Decision`;
const resourceCheck = `${prefix}.ResourceCheck`;

export const authorizers: Functions = [
  [
    `${prefix}.Authorizer.path(string): ${prefix}.PathCheck`,
    ({ ask }: CelAuthorizer, path: string) => new PathCheck(ask, path),
  ],
  [
    `${prefix}.Authorizer.group(string): ${prefix}.GroupCheck`,
    ({ ask }: CelAuthorizer, group: string) => new GroupCheck(ask, group),
  ],
  [
    `${prefix}.Authorizer.serviceAccount(string, string): ${prefix}.Authorizer`,
    ({ ask }: CelAuthorizer, namespace: string, name: string) =>
      new CelAuthorizer((access) => ask(access, { namespace, name }), undefined),
  ],
  // Of the objects that are asked for; no rule of the server's roles looks at them.
  [`${resourceCheck}.fieldSelector(string): ${resourceCheck}`, (check: ResourceCheck) => check],
  [`${resourceCheck}.labelSelector(string): ${resourceCheck}`, (check: ResourceCheck) => check],
  [
    `${prefix}.GroupCheck.resource(string): ${resourceCheck}`,
    ({ ask, about }: GroupCheck, resource: string) => new ResourceCheck(ask, { group: about, resource }),
  ],
  [
    `${resourceCheck}.subresource(string): ${resourceCheck}`,
    (check: ResourceCheck, subresource: string) => narrowed(check, { subresource }),
  ],
  [
    `${resourceCheck}.namespace(string): ${resourceCheck}`,
    (check: ResourceCheck, namespace: string) => narrowed(check, { namespace }),
  ],
  [
    `${resourceCheck}.name(string): ${resourceCheck}`,
    (check: ResourceCheck, name: string) => narrowed(check, { name }),
  ],
  [
    `${resourceCheck}.check(string): ${decision}`,
    ({ ask, about }: ResourceCheck, verb: string) => new CelDecision(ask({ verb, ...about })),
  ],
  [
    `${prefix}.PathCheck.check(string): ${decision}`,
    ({ ask, about }: PathCheck, verb: string) => new CelDecision(ask({ verb, path: about })),
  ],
  [`${decision}.allowed(): bool`, (one: CelDecision) => one.decision.allowed],
  [`${decision}.reason(): string`, (one: CelDecision) => one.decision.reason],
  [`${decision}.errored(): bool`, () => false],
  [`${decision}.error(): string`, () => ""],
];

function narrowed({ ask, about }: ResourceCheck, more: Partial<Target>): ResourceCheck {
  return new ResourceCheck(ask, { ...about, ...more });
}
