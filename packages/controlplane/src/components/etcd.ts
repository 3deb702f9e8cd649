import { etcdUrl, fileIn, type Layout } from "../layout.ts";

/** One member, alone. What it has written survives its own death; without fsync, not that of the machine. */
export function etcdArgs(layout: Layout): readonly string[] {
  const peers = `http://127.0.0.1:${layout.ports.etcdPeers}`;
  return [
    "--name=keelson",
    `--data-dir=${fileIn(layout, "etcdData")}`,
    `--listen-client-urls=${etcdUrl(layout)}`,
    `--advertise-client-urls=${etcdUrl(layout)}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=keelson=${peers}`,
    "--unsafe-no-fsync",
  ];
}
