import { splitLines } from "@keelson/client";
import type { TransportResponse } from "@keelson/core";
import type { Reply, StreamReply } from "./world.ts";

/** Reads an answer to its end. */
export async function readReply({ status, headers, body }: TransportResponse): Promise<Reply> {
  return { status, headers, text: await textOf(body) };
}

/** Reads so many lines of an answer and leaves it; a refusal is one line, however it is laid out. */
export async function readStream({ status, body }: TransportResponse, count: number): Promise<StreamReply> {
  if (status !== 200) return { status, lines: [await textOf(body)], ended: true };
  const lines: string[] = [];
  for await (const more of splitLines(body)) {
    lines.push(...more.map((line) => line.toString("utf8")));
    if (lines.length >= count) return { status, lines: lines.slice(0, count), ended: false };
  }
  return { status, lines, ended: true };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
