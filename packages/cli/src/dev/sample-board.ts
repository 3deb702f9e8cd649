import { formatKey, type GenericObject, type ObjectKey, type Operator, type SampleProgress } from "keelson";
import type { Cache, InformerLease } from "keelson/cache";
import { Event } from "keelson/kinds/core/v1";
import { genericResource, groupResourceOf, parseApiVersion } from "keelson/low-level";
import type { SampleStage } from "keelson/manager";
import type { AnyDefinedResource } from "keelson/schema";
import { sampleKey } from "./apply-samples.ts";
import { LastEvents } from "./last-events.ts";
import { awaitedRow, type Row, type RowIdentity, rowOf, usualProgress } from "./row.ts";
import type { Sample, SampleObject } from "./sample-files.ts";

interface ShownKind {
  readonly resource: AnyDefinedResource;
  /** The operator's own function, if it has one. */
  readonly progressOf: (object: GenericObject, stage: SampleStage) => SampleProgress;
  readonly informer: InformerLease<GenericObject>;
}

export interface BoardOptions {
  readonly operators: readonly Operator[];
  readonly samples: readonly Sample[];
  /** What is watched ends with it. */
  readonly cache: Cache;
  /** Called after each change; it had better not look at once, as many come together. */
  readonly onChange: () => void;
}

export interface BoardRows {
  /** First the samples, in their order, then the objects that users made. */
  readonly all: readonly Row[];
  /** Those included that are to come. */
  readonly samples: readonly Row[];
}

/** The objects of the operators' kinds as they are now. */
export class SampleBoard {
  readonly #onChange: () => void;
  readonly #kinds: readonly ShownKind[];
  readonly #samples: readonly RowIdentity[];
  readonly #events: InformerLease<Event>;
  readonly #lastEvents = new LastEvents();
  /** Samples that have existed: one that was deleted is not awaited any more. */
  readonly #seen = new Set<string>();
  #isLater = false;

  constructor({ operators, samples, cache, onChange }: BoardOptions) {
    this.#onChange = onChange;
    this.#kinds = operators.flatMap(({ resources, samples: own }) =>
      resources.map((resource) => ({
        resource,
        progressOf: (object, stage) => own?.progress(object, stage) ?? usualProgress(object),
        informer: cache.acquire(genericResource(resource)),
      })),
    );
    this.#samples = samples.flatMap(({ object }) => this.#identityOfSample(object) ?? []);
    this.#events = cache.acquire(Event);
    this.#subscribe();
  }

  /** From now on samples are settled when what the later files change has been dealt with. */
  expectLater(): void {
    this.#isLater = true;
    this.#onChange();
  }

  look(): BoardRows {
    const ids = new Set(this.#samples.map(({ id }) => id));
    const rows = this.#kinds.flatMap(({ resource, progressOf, informer }) =>
      informer.list().map((object) => {
        const identity = identityOf(resource, object.metadata);
        const isLater = this.#isLater && ids.has(identity.id);
        const event = this.#lastEvents.of(object.metadata.uid);
        return rowOf(identity, object, (each) => progressOf(each, { isLater }), event);
      }),
    );
    const present = new Map(rows.map((row) => [row.id, row]));
    for (const { id } of this.#samples) if (present.has(id)) this.#seen.add(id);
    const samples = this.#samples.flatMap((identity) => {
      const row = present.get(identity.id);
      if (row !== undefined) return [row];
      return this.#seen.has(identity.id) ? [] : [awaitedRow(identity)];
    });
    const isSample = new Set(samples.map(({ id }) => id));
    const rest = rows.filter(({ id }) => !isSample.has(id));
    return {
      all: [...samples, ...rest.toSorted((left, right) => left.id.localeCompare(right.id))],
      samples,
    };
  }

  #subscribe(): void {
    for (const { informer } of this.#kinds)
      informer.subscribe((event) => {
        if (event.type === "delete") this.#lastEvents.forget(event.object.metadata.uid ?? "");
        this.#onChange();
      });
    const shown = new Set(this.#kinds.map(({ resource: { group, kind } }) => `${group}/${kind}`));
    this.#events.subscribe((change) => {
      if (change.type === "delete") return;
      const { apiVersion = "", kind = "" } = change.object.involvedObject;
      const isShown = shown.has(`${parseApiVersion(apiVersion).group}/${kind}`);
      if (isShown && this.#lastEvents.note(change.object)) this.#onChange();
    });
  }

  /** Undefined if it is not of a kind that is shown, such as a ConfigMap that a sample needs. */
  #identityOfSample(object: SampleObject): RowIdentity | undefined {
    const { group } = parseApiVersion(object.apiVersion);
    const shown = this.#kinds.find(
      ({ resource }) => resource.group === group && resource.kind === object.kind,
    );
    return shown && identityOf(shown.resource, sampleKey(object, shown.resource.scope));
  }
}

function identityOf(resource: AnyDefinedResource, { name, namespace }: ObjectKey): RowIdentity {
  const key = namespace === undefined ? { name } : { namespace, name };
  return {
    id: `${groupResourceOf(resource)} ${formatKey(key)}`,
    title: `${resource.definition.singular ?? resource.kind.toLowerCase()}/${name}`,
    namespace,
  };
}
