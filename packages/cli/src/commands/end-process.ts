/** Ends this process, whatever still runs in it, as soon as all that was written has left it. */
export async function endProcess(code: number): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(written));
  process.exit(code);
}

async function written(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => void stream.write("", () => resolve()));
}
