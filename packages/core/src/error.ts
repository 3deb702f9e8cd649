const lineage: unique symbol = Symbol.for("@keelson/error-brands");

/**
 * The base of every error that Keelson throws on purpose. Subclasses carry the facts as fields and a `code` that
 * never changes; the message has the form `what was done: what happened; what to do`.
 *
 * An application may hold two copies of a package, and an error of one copy must be recognised by the other. So a class
 * that declares a `brand` of its own is also recognised by that. The name of a class will not do: a bundler may change
 * it, and two classes may share it.
 */
export abstract class KeelsonError extends Error {
  static readonly brand: string = "@keelson/core.KeelsonError";
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    const brands = brandsOfClass(new.target);
    this.name = Object.hasOwn(new.target, "brand") ? nameIn(new.target.brand) : new.target.name;
    Object.defineProperty(this, lineage, { value: brands });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class on the right of `instanceof`, often a subclass
    return isInstance(this, value);
  }
}

function isInstance(asked: { readonly brand: string }, value: unknown): boolean {
  if (Function.prototype[Symbol.hasInstance].call(asked, value)) return true;
  return Object.hasOwn(asked, "brand") && brandsOf(value).includes(asked.brand);
}

function brandsOf(value: unknown): readonly unknown[] {
  const brands: unknown =
    typeof value === "object" && value !== null ? Reflect.get(value, lineage) : undefined;
  return Array.isArray(brands) ? brands : [];
}

/** The brands that a class and the classes above it declare. */
function brandsOfClass(made: object): readonly unknown[] {
  const brands: unknown[] = [];
  for (let link: object | null = made; link !== null && link !== Error; link = Reflect.getPrototypeOf(link)) {
    if (Object.hasOwn(link, "brand")) brands.push(Reflect.get(link, "brand"));
  }
  return brands;
}

function nameIn(brand: string): string {
  return brand.slice(brand.lastIndexOf(".") + 1);
}

/** Turns whatever was caught into an Error, so that `catch` can treat its value as one. */
export function toError(caught: unknown): Error {
  return caught instanceof Error ? caught : new Error(textOf(caught), { cause: caught });
}

/** Anything can be thrown, also an object without a prototype, which has no text. */
function textOf(caught: unknown): string {
  try {
    return String(caught);
  } catch {
    return "a value without a text";
  }
}

/** The code of a system error, such as `ENOENT`; undefined for anything else. */
export function errorCode(caught: unknown): string | undefined {
  if (!(caught instanceof Error && "code" in caught)) return undefined;
  return typeof caught.code === "string" ? caught.code : undefined;
}
