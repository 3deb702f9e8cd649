import { isRecord } from "@keelson/core";
import { field, type Stage } from "../../stage.ts";

type Settling = (stage: Stage) => Promise<unknown>;

/** The elements of a list in a response. */
export function itemsOf(response: unknown): readonly unknown[] {
  const items = field(response, "items");
  return Array.isArray(items) ? items : [];
}

/** The Deployment controller has done all it had to, and pods of former templates no longer exist. */
export function rolledOut(name: string, replicas: number): Settling {
  return async (stage) => {
    await stage.until(stage.path(`apps/v1:deployments/${name}`), (deployment) => {
      const status = field(deployment, "status");
      const counts = ["replicas", "updatedReplicas", "availableReplicas"];
      return isObserved(deployment) && counts.every((count) => (field(status, count) ?? 0) === replicas);
    });
    await podsAre(replicas)(stage);
  };
}

/** A controller has seen the newest spec. */
export function observed(path: string): Settling {
  return (stage) => stage.until(stage.path(path), isObserved);
}

/** There are so many pods, and none of them is on its way out. */
export function podsAre(count: number, selector = ""): Settling {
  const query = selector === "" ? "" : `?labelSelector=${encodeURIComponent(selector)}`;
  return (stage) =>
    stage.until(stage.path(`pods${query}`), (response) => {
      const pods = itemsOf(response);
      return (
        pods.length === count && pods.every((pod) => field(pod, "metadata.deletionTimestamp") === undefined)
      );
    });
}

/** There are so many pods, and all of them are ready. */
export function podsAreReady(count: number): Settling {
  return (stage) =>
    stage.until(stage.path("pods"), (response) => {
      const pods = itemsOf(response);
      return pods.length === count && pods.every((pod) => hasStatus(pod, "Ready", "True"));
    });
}

/** What is at a path of the case's namespace has a field with a value. */
export function hasField(path: string, name: string, value: unknown): Settling {
  return (stage) => stage.until(stage.path(path), (object) => field(object, name) === value);
}

/** What is at a path of the case's namespace has a condition of a type and status. */
export function hasCondition(path: string, type: string, status = "True"): Settling {
  return (stage) => stage.until(stage.path(path), (object) => hasStatus(object, type, status));
}

/** The server acts on a grant to a user: its authorizer learns of it some time after it was written. */
export function mayDo(user: string, verb: string, resource: string, group = ""): Settling {
  return (stage) => {
    const { namespace } = stage;
    const spec = {
      user: user.replaceAll("$ns", namespace),
      resourceAttributes: { namespace, verb, group, resource },
    };
    return stage.untilAnswer(
      {
        method: "POST",
        path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        body: JSON.stringify({ spec }),
      },
      (response) => field(response, "status.allowed") === true,
    );
  };
}

/** There are so many objects at a path of the case's namespace. */
export function countIs(path: string, count: number): Settling {
  return (stage) => stage.until(stage.path(path), (response) => itemsOf(response).length === count);
}

/** There are `count` Events about objects of a kind; they come some time after what they report. */
export function hasEvents(kind: string, count: number): Settling {
  return (stage) =>
    stage.until(stage.path("events"), (response) => {
      const events = itemsOf(response).filter((event) => field(event, "involvedObject.kind") === kind);
      return events.length >= count;
    });
}

export function isGone(path: string): Settling {
  return (stage) => stage.until(stage.path(path), (response) => field(response, "code") === 404);
}

/** Makes an object that the case needs, in its namespace. */
export function prepared(path: string, object: unknown): Settling {
  return (stage) => stage.prepare(stage.path(path), object);
}

function hasStatus(object: unknown, type: string, status: string): boolean {
  const conditions = field(object, "status.conditions");
  return (
    Array.isArray(conditions) &&
    conditions.some((one) => isRecord(one) && one.type === type && one.status === status)
  );
}

function isObserved(object: unknown): boolean {
  return field(object, "status.observedGeneration") === field(object, "metadata.generation");
}
