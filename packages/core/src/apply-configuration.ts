import type { KeyOf, KubeObject } from "./meta.ts";

/**
 * What server-side apply takes for an object: any part of it, because a field manager states only the fields it wants.
 * Elements of lists that are merged by key must carry that key, since without it the server does not know which element is meant.
 */
export type ApplyConfiguration<T extends KubeObject> = DeepPartial<
  Omit<T, "apiVersion" | "kind" | "metadata">
> &
  Partial<Pick<T, "apiVersion" | "kind">> & {
    readonly metadata: DeepPartial<T["metadata"]> & { readonly name: string };
  };

type DeepPartial<T> = T extends readonly (infer Element)[]
  ? readonly PartialElement<Element>[]
  : T extends object
    ? string extends keyof T
      ? // A map: `?` would allow its entries, which are optional anyway, to be undefined.
        { readonly [Key in keyof T]: DeepPartial<T[Key]> }
      : { readonly [Key in keyof T]?: DeepPartial<T[Key]> }
    : T;

/** The keys are required here even if the type of a whole element lets them be absent. */
type PartialElement<Element> = [KeyOf<Element>] extends [never]
  ? Element
  : DeepPartial<Omit<Element, KeyOf<Element>>> & Required<Pick<Element, KeyOf<Element>>>;
