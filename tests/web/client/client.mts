// SPDX-License-Identifier: MIT
// A client as a user would write it, by the types that a stock generator made.
import type { paths } from "./schema.mjs";

type Get = paths["/v1/jobs"]["get"];
type Jobs = Get["responses"]["200"]["content"]["application/json"];
const query: NonNullable<Get["parameters"]["query"]> = { all: true, limit: 5 };
declare const process: { argv: string[] };
const [, , address, token] = process.argv;
const words = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, `${value}`]));
const answer = await fetch(`${address}/v1/jobs?${words}`,
  { headers: { Authorization: `Bearer ${token}` } });
const jobs = await answer.json() as Jobs;
console.log(answer.status, jobs.total);
