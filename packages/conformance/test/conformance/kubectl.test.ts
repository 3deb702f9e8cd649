import { kubectlCaseGroups } from "../../src/cases/kubectl/kubectl-groups.ts";
import { compareServers } from "../support/compare-servers.ts";

compareServers(kubectlCaseGroups);
