/** Orders versions as Kubernetes does: `v1alpha1`, `v1beta1`, `v1`, `v2`; names of another form come first. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  if (left === undefined || right === undefined) {
    if (left !== undefined) return 1;
    if (right !== undefined) return -1;
    return a < b ? 1 : Number(a !== b) * -1;
  }
  for (const [index, value] of left.entries()) {
    const difference = value - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1, "": 2 };

/** The stage, the major and the minor number; undefined for names of another form. */
function rank(version: string): readonly number[] | undefined {
  const [, major, stage = "", minor = "0"] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version) ?? [];
  return major === undefined ? undefined : [stages[stage] ?? 0, Number(major), Number(minor)];
}
