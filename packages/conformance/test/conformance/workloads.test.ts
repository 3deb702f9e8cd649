import { workloadCaseGroups } from "../../src/cases/workloads/workload-groups.ts";
import { compareServers } from "../support/compare-servers.ts";

compareServers(workloadCaseGroups);
