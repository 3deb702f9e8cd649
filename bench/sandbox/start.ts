// Prints how long the code of a control plane takes to load, and from call to ready its first and its second one take.
let begin = performance.now();

/** Since it was last asked. */
function passedMs(): number {
  const now = performance.now();
  const passed = now - begin;
  begin = now;
  return passed;
}

const { createSandbox } = await import("@keelson/sandbox");
const importMs = passedMs();
const first = await createSandbox();
const firstMs = passedMs();
const second = await createSandbox();
const secondMs = passedMs();
await Promise.all([first.stop(), second.stop()]);
console.log(JSON.stringify({ importMs, firstMs, secondMs }));
