import { isRecord } from "@keelson/core";

/** The value at `.spec.replicas`; undefined if there is none. */
export function valueAt(object: object, path: string): unknown {
  let value: unknown = object;
  for (const name of namesOf(path)) {
    value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/** Sets the value at a path of a private copy; missing objects on the path are created. */
export function setValueAt(object: Record<string, unknown>, path: string, value: unknown): void {
  const names = namesOf(path);
  const last = names.pop();
  let parent: object = object;
  for (const name of names) {
    const child: unknown = Reflect.get(parent, name);
    if (isRecord(child)) parent = child;
    else {
      const made = {};
      Reflect.set(parent, name, made);
      parent = made;
    }
  }
  if (last !== undefined) Reflect.set(parent, last, value);
}

function namesOf(path: string): string[] {
  return path.split(".").filter((name) => name !== "");
}
