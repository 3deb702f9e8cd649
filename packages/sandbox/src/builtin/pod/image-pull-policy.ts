/** `Always` for images that may change under the same name: those without tag and digest, or tagged `latest`. */
export function defaultPullPolicy(image: string): "Always" | "IfNotPresent" {
  return hasMovingTag(image) ? "Always" : "IfNotPresent";
}

function hasMovingTag(image: string): boolean {
  if (image === "" || !imageReference.test(image)) return false;
  const [name = "", digest] = image.split("@");
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  return tag === "latest" || (tag === undefined && digest === undefined);
}

/** What the server can read at all; of other texts it assumes nothing. */
const imageReference =
  /^([a-zA-Z0-9.[\]:-]+(:[0-9]+)?\/)?[a-z0-9]+([._-]+[a-z0-9]+)*(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[\w][\w.-]{0,127})?(@[A-Za-z][A-Za-z0-9+.-]*:[0-9a-fA-F]{32,})?$/;
