/** Which images cannot be pulled. A pattern is an image in which `*` stands for any text. */
export class PullRules {
  readonly #failing = new Map<string, RegExp>();

  fail(pattern: string): void {
    this.#failing.set(pattern, expressionOf(pattern));
  }

  /** Takes back what was said with the same pattern; without one, all of it. */
  allow(pattern?: string): void {
    if (pattern === undefined) this.#failing.clear();
    else this.#failing.delete(pattern);
  }

  canPull(image: string): boolean {
    return ![...this.#failing.values()].some((expression) => expression.test(image));
  }
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}
