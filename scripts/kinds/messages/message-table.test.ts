import { describe, expect, it } from "vitest";
import { jsonNamesIn } from "./json-names.ts";
import { type MessageSource, messageLines, messageTableModule } from "./message-table.ts";
import { parseProtoFile } from "./proto-file.ts";

const shop: MessageSource = {
  file: parseProtoFile(`
    /* A licence; optional string nothing = 1; */
    syntax = "proto2";
    package k8s.io.api.shop.v1;
    import "k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto";

// Basket holds goods; optional string nothing = 9;
message Basket {
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1;

  // +optional
  repeated Good goods = 2;

  map<string, .k8s.io.apimachinery.pkg.api.resource.Quantity> amounts = 3;

  optional BasketSource basketSource = 4;

  optional int64 uID = 5;
}

message BasketSource {
}

message Good {
  optional bytes picture = 1;
}
`),
  names: jsonNamesIn(`
type Basket struct {
	metav1.TypeMeta \`json:",inline"\`
	metav1.ObjectMeta \`json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"\`
	BasketSource \`json:",inline" protobuf:"bytes,4,opt,name=basketSource"\`
	UID int64 \`json:"uid,omitempty" protobuf:"varint,5,opt,name=uID,casttype=int64"\`
}`),
};

const meta: MessageSource = {
  file: parseProtoFile(
    "package k8s.io.apimachinery.pkg.apis.meta.v1;\nmessage ObjectMeta {\n}\nmessage Time {\n}\n",
  ),
  names: new Map(),
};

describe("the table of messages", () => {
  it("holds for each field its number, its name in JSON and its type", () => {
    expect(messageLines([shop, meta])).toEqual([
      "meta.v1.ObjectMeta:",
      "shop.v1.Basket:1 metadata meta.v1.ObjectMeta,2 goods *shop.v1.Good,3 amounts %!Quantity,4 ^basketSource shop.v1.BasketSource,5 uid i",
      "shop.v1.BasketSource:",
      "shop.v1.Good:1 picture y",
    ]);
  });

  it("is the same whatever the order of its sources", () => {
    const table = messageTableModule("v1.2.3", [shop, meta]);
    expect(messageTableModule("v1.2.3", [meta, shop])).toBe(table);
    expect(table).toMatch(
      /^\/\/ Generated from Kubernetes v1\.2\.3 by `npm run generate:kinds`; do not edit\.\n/,
    );
  });

  it("is refused where a message is used that is not defined", () => {
    expect(() => messageLines([shop])).toThrow(
      "there is no message .k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta in k8s.io.api.shop.v1",
    );
  });
});

describe("a file of messages", () => {
  it("is refused with fields of a form that is not known", () => {
    const text = "package a.b.v1;\nmessage A {\n  map<int32, string> b = 1;\n}\n";
    expect(() => parseProtoFile(text)).toThrow('read message A: "map<int32, string> b = 1" is no field');
  });

  it("is refused without a package", () => {
    expect(() => parseProtoFile("message A {\n}\n")).toThrow("the file names no package");
  });
});
