import type { ReconcileContext, ReconcileResult, ReconcileRun, Reconciler } from "./reconciler.ts";

/**
 * Makes views of objects whose properties are getters: each property is read from the target when it is asked for, and
 * `{ ...view }` copies all of them, which the properties of a class prototype do not offer. Accessors on every instance
 * would cost more than most reconciles.
 */
export function contextView(names: readonly string[]): <View extends object>(target: View) => View {
  const known: ReadonlySet<PropertyKey> = new Set(names);
  const keys = [...names];
  const handler: ProxyHandler<object> = {
    get: (target, name): unknown => (known.has(name) ? Reflect.get(target, name) : undefined),
    has: (_target, name) => known.has(name),
    ownKeys: () => keys,
    getOwnPropertyDescriptor: (target, name) =>
      known.has(name)
        ? { value: Reflect.get(target, name), enumerable: true, configurable: true, writable: false }
        : undefined,
    set: () => false,
  };
  return <View extends object>(target: View) => new Proxy<View>(target, handler);
}

/** The properties of every context. */
export const contextNames: readonly (keyof ReconcileContext<unknown>)[] = [
  "key",
  "client",
  "liveClient",
  "clock",
  "settings",
  "log",
  "events",
  "signal",
  "failures",
  "reasons",
  "reasonCount",
  "reconcileId",
];

const viewOfRun = contextView(contextNames);

/** The context of a reconciler that gets the key alone. */
export function reconcileContext<Key, Settings>(
  run: ReconcileContext<Key, Settings>,
): ReconcileContext<Key, Settings> {
  return viewOfRun(run);
}

/** The reconcile function of a definition whose reconciler gets the key alone. */
export function keyReconciler<Key, Settings>(
  reconcile: Reconciler<Key, Settings>,
): (run: ReconcileRun<Key, Settings>) => Promise<ReconcileResult> | ReconcileResult {
  return (run) => reconcile(reconcileContext(run));
}
