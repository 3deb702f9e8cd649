import type { KubeObject, LabelSelector } from "@keelson/core";
import type {
  MutatingAdmissionPolicy,
  ValidatingAdmissionPolicy,
} from "@keelson/core/kinds/admissionregistration/v1";
import { ageColumn, type KindColumn, nameColumn, selectorText } from "./column.ts";

/** Of both kinds of webhook configurations. */
export const webhookColumns: readonly KindColumn<KubeObject & { readonly webhooks?: readonly unknown[] }>[] =
  [
    nameColumn,
    {
      name: "Webhooks",
      type: "integer",
      description: "How many webhooks it has",
      cell: ({ webhooks = [] }) => webhooks.length,
    },
    ageColumn,
  ];

export const validatingPolicyColumns: readonly KindColumn<ValidatingAdmissionPolicy>[] = [
  nameColumn,
  {
    name: "Validations",
    type: "integer",
    description: "How many rules it has",
    cell: ({ spec }) => spec?.validations?.length ?? 0,
  },
  {
    name: "ParamKind",
    description: "Kind of its parameters",
    cell: ({ spec }) => paramKindText(spec?.paramKind),
  },
  ageColumn,
];

export const mutatingPolicyColumns: readonly KindColumn<MutatingAdmissionPolicy>[] = [
  nameColumn,
  {
    name: "Mutations",
    type: "integer",
    description: "How many changes it makes",
    cell: ({ spec }) => spec?.mutations?.length ?? 0,
  },
  {
    name: "ParamKind",
    description: "Kind of its parameters",
    cell: ({ spec }) => paramKindText(spec?.paramKind),
  },
  ageColumn,
];

interface PolicyBinding extends KubeObject {
  readonly spec?: {
    readonly policyName?: string;
    readonly paramRef?: {
      readonly name?: string;
      readonly namespace?: string;
      readonly selector?: LabelSelector;
    };
  };
}

/** Of bindings of either kind of policy. */
export const policyBindingColumns: readonly KindColumn<PolicyBinding>[] = [
  nameColumn,
  { name: "PolicyName", description: "What is bound", cell: ({ spec }) => spec?.policyName ?? "" },
  {
    name: "ParamRef",
    description: "Its parameters",
    cell: ({ spec }) => {
      const { name, namespace, selector } = spec?.paramRef ?? {};
      if (name) return `${namespace || "*"}/${name}`;
      return selector === undefined ? "<unset>" : selectorText(selector);
    },
  },
  ageColumn,
];

function paramKindText(kind: { readonly apiVersion?: string; readonly kind?: string } | undefined): string {
  return kind === undefined ? "<unset>" : `${kind.apiVersion ?? ""}/${kind.kind ?? ""}`;
}
