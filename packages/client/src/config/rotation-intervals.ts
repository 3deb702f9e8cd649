/** As in client-go: the kubelet renews a token minutes before the old one expires. */
export const tokenIntervalMs = 60_000;

/** Certificates are small files, and whoever replaces one wants to see it used. */
export const certificateIntervalMs = 5_000;
