import { describe, expect, it } from "vitest";
import { type Consumer, formatConsumer, parseConsumer } from "./consumer.ts";

describe("a consumer as text", () => {
  it.each<[Consumer, string]>([
    [{ namespace: "shop", kind: "Deployment", name: "web" }, "shop/Deployment/web"],
    [{ namespace: "shop", kind: "Pod", name: "web-0" }, "shop/web-0"],
    [{ namespace: "shop", selector: { matchLabels: { app: "web" } } }, "shop?app=web"],
  ])("%j is %s, and the same again when it is read", (consumer, text) => {
    expect(formatConsumer(consumer)).toBe(text);
    const read = parseConsumer(text);
    expect(read && formatConsumer(read)).toBe(text);
  });

  it.each(["", "shop", "shop/", "/web", "shop//web", "a/b/c/d", "shop?", "?app=web", "shop?app in"])(
    "%j names none",
    (text) => {
      expect(parseConsumer(text)).toBeUndefined();
    },
  );
});
