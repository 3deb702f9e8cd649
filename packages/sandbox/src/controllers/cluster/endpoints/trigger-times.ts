import type { Pod, Service } from "@keelson/core/kinds/core/v1";

/** Remembers when Services and their pods changed, to tell the time of the change that a write answers to. */
export interface TriggerTimes {
  /** The earliest of the changes since the last call for this Service; undefined if there was none. */
  since(key: string, service: Service, pods: readonly Pod[]): string | undefined;
  forget(key: string): void;
}

export function createTriggerTimes(): TriggerTimes {
  const known = new Map<string, ReadonlyMap<string, string>>();
  return {
    since(key, { metadata }, pods) {
      const before = known.get(key);
      const times = new Map<string, string>();
      if (metadata.creationTimestamp !== undefined) times.set("", metadata.creationTimestamp);
      for (const { metadata: pod, status } of pods) {
        const time = status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
        if (time !== undefined) times.set(pod.name ?? "", time);
      }
      known.set(key, times);
      const changed = [...times].flatMap(([name, time]) => (time > (before?.get(name) ?? "") ? [time] : []));
      return changed.sort()[0];
    },
    forget: (key) => void known.delete(key),
  };
}
