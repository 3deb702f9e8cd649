import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "@keelson/controlplane";
import type { Client } from "keelson";
import { connect } from "keelson/client";
import { ApiCallCounter, subjectUser } from "./api-calls.ts";
import type { Subject, SubjectOptions, SubjectProcess } from "./subject.ts";

/** A control plane for one measurement of a subject, whose process runs beside it. */
export class Measurement implements AsyncDisposable {
  readonly subject: Subject;
  /** The administrator's. */
  readonly client: Client;
  readonly apiCalls: ApiCallCounter;
  /** All processes of the subject, the last of which runs. */
  readonly processes: SubjectProcess[] = [];
  readonly #options: SubjectOptions;
  readonly #endings: AsyncDisposableStack;

  private constructor(subject: Subject, options: SubjectOptions, endings: AsyncDisposableStack) {
    this.subject = subject;
    this.client = options.client;
    this.apiCalls = options.apiCalls;
    this.#options = options;
    this.#endings = endings;
  }

  /** Starts the control plane; the subject follows. */
  static async start(subject: Subject, strategy: SubjectOptions["strategy"]): Promise<Measurement> {
    await using endings = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "keelson-bench-reloader-"));
    endings.defer(() => rm(folder, { recursive: true, force: true }));
    const apiCalls = new ApiCallCounter(folder);
    const controlPlane: ControlPlane = endings.use(
      await startControlPlane({ controllerManager: true, args: { "kube-apiserver": apiCalls.args } }),
    );
    const { client } = endings.use(await connect({ kubeconfigPath: controlPlane.kubeconfigPath }));
    const { kubeconfigPath } = await controlPlane.createUser({
      user: subjectUser,
      groups: ["system:masters"],
    });
    const options = { kubeconfigPath, client, apiCalls, strategy, folder };
    return new Measurement(subject, options, endings.move());
  }

  async startSubject(subject: Subject = this.subject): Promise<SubjectProcess> {
    const started = this.#endings.use(await subject.start(this.#options));
    this.processes.push(started);
    return started;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#endings.disposeAsync();
  }
}
