import { Space } from "@keelson/testkit";
import { expect } from "vitest";
import { WebApp } from "../../src/api/web-app.ts";

/** A namespace for one test, with operations on WebApps. */
export class WebAppSpace extends Space {
  /** Applies a WebApp by kubectl, and returns the output. */
  apply(name: string, spec: object, metadata: object = {}): Promise<string> {
    return this.applyManifest(manifestOf(name, spec, metadata));
  }

  /** Resolves when the status describes the last spec and has this phase. */
  async reaches(name: string, phase: string): Promise<WebApp> {
    await expect.poll(() => this.phaseOf(WebApp, name)).toBe(phase);
    return this.get(WebApp, name);
  }

  /** Resolves with the message of a condition when it has this status and reason. */
  async shows(name: string, type: string, status: string, reason: string): Promise<string> {
    await expect.poll(() => this.conditionOf(WebApp, name, type)).toMatchObject({ status, reason });
    return (await this.conditionOf(WebApp, name, type))?.message ?? "";
  }

  /**
   * Resolves when no owned object is left. The real garbage collector discovers new kinds only twice a minute, so this may
   * take long.
   */
  async isEmptied(): Promise<void> {
    await expect
      .poll(() => this.kubectl("get", "deployments,services,ingresses,hpa,pods", "-o", "name"), {
        timeout: 100_000,
      })
      .toBe("");
  }

  /** The reasons of the Events about a WebApp, each once. */
  async eventReasons(name: string): Promise<readonly string[]> {
    const events = await this.eventsAbout(WebApp, name);
    return [...new Set(events.map((event) => event.split(" ")[1] ?? ""))].sort();
  }
}

export function manifestOf(name: string, spec: object, metadata: object = {}): object {
  return { apiVersion: "example.com/v1", kind: "WebApp", metadata: { ...metadata, name }, spec };
}
