/** The status of an informer under a label that no other one has. */
export interface Labelled<Status> {
  readonly label: string;
  readonly status: Status;
}

/**
 * Tells informers of one name apart, such as `webapps.example.com` and `webapps.example.com #2`: two of one kind may differ
 * in what their names do not say, such as the version. A cache lists them in the order in which they began.
 */
export function labelled<Status extends { readonly name: string }>(
  statuses: readonly Status[],
): readonly Labelled<Status>[] {
  const uses = new Map<string, number>();
  return statuses.map((status) => {
    const use = (uses.get(status.name) ?? 0) + 1;
    uses.set(status.name, use);
    return { label: use === 1 ? status.name : `${status.name} #${use}`, status };
  });
}
