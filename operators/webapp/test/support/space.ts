import { Space } from "@keelson/testkit";
import { expect } from "vitest";
import { WebApp } from "../../src/api/web-app.ts";

/** A namespace of its own for one test, and what tests do there with WebApps. */
export class WebAppSpace extends Space {
  /** As a user does it; gives what kubectl printed. */
  apply(name: string, spec: object, metadata: object = {}): Promise<string> {
    return this.applyManifest(manifestOf(name, spec, metadata));
  }

  /** Resolves when the operator has seen the last spec and tells this phase. */
  async reaches(name: string, phase: string): Promise<WebApp> {
    await expect.poll(() => this.phaseOf(WebApp, name)).toBe(phase);
    return this.get(WebApp, name);
  }

  /** Resolves when the condition is so, and for this reason; gives its message. */
  async shows(name: string, type: string, status: string, reason: string): Promise<string> {
    await expect.poll(() => this.conditionOf(WebApp, name, type)).toMatchObject({ status, reason });
    return (await this.conditionOf(WebApp, name, type))?.message ?? "";
  }

  /**
   * Resolves when no child is left. The real garbage collector looks for new kinds twice a minute: until it knows of
   * WebApps, it takes its time.
   */
  async isEmptied(): Promise<void> {
    await expect
      .poll(() => this.kubectl("get", "deployments,services,ingresses,hpa,pods", "-o", "name"), {
        timeout: 100_000,
      })
      .toBe("");
  }

  /** The reasons of the events about a WebApp, each once. */
  async eventReasons(name: string): Promise<readonly string[]> {
    const events = await this.eventsAbout(WebApp, name);
    return [...new Set(events.map((event) => event.split(" ")[1] ?? ""))].sort();
  }
}

export function manifestOf(name: string, spec: object, metadata: object = {}): object {
  return { apiVersion: "example.com/v1", kind: "WebApp", metadata: { ...metadata, name }, spec };
}
