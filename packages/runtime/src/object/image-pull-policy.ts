/**
 * The pull policy that the server gives a new container with this image: Always if the tag is `latest`, or if there is
 * neither a tag nor a digest; otherwise IfNotPresent. The server does not derive it again when the image changes, so an
 * object whose image may change should state it.
 */
export function imagePullPolicyOf(image: string): "Always" | "IfNotPresent" {
  const [named = "", digest] = image.split("@");
  const [, tag] = named.slice(named.lastIndexOf("/") + 1).split(":");
  const isLatest = tag === undefined ? digest === undefined : tag === "latest";
  return isLatest ? "Always" : "IfNotPresent";
}
