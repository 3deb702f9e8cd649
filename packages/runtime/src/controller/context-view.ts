import type { ReconcileContext, ReconcileResult, ReconcileRun, Reconciler } from "./reconciler.ts";

/**
 * Makes views of class instances: each property is read from the target when the view's is, methods come bound to the
 * target, and `{ ...view }` copies all of them, which the members of a class prototype do not offer. Accessors or closures on
 * every instance would cost more than most reconciles.
 */
export function contextView(
  properties: readonly string[],
  methods: readonly string[] = [],
): <View extends object>(target: View) => View {
  const keys = [...properties, ...methods];
  const known: ReadonlySet<PropertyKey> = new Set(keys);
  const bound: ReadonlySet<PropertyKey> = new Set(methods);
  const read = (target: object, name: PropertyKey): unknown => {
    const value: unknown = Reflect.get(target, name);
    return typeof value === "function" && bound.has(name) ? value.bind(target) : value;
  };
  const handler: ProxyHandler<object> = {
    get: (target, name) => (known.has(name) ? read(target, name) : undefined),
    has: (_target, name) => known.has(name),
    ownKeys: () => keys,
    getOwnPropertyDescriptor: (target, name) =>
      known.has(name)
        ? { value: read(target, name), enumerable: true, configurable: true, writable: false }
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
