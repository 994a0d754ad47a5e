import { domainProblems } from '../access/domains/domain-problems.ts'
import { identityProviderProblems } from '../access/identity-providers/provider-problems.ts'
import { keyProblems } from '../access/keys/key-problems.ts'
import { mailProblems } from '../access/members/mail-problems.ts'
import { runProblems } from '../agents/runs/run-problems.ts'
import { creditProblems } from '../billing/credits/credit-problems.ts'
import { connectionProblems } from '../connections/connection-problems.ts'
import { fileProblems } from '../files/file-problems.ts'
import { documentProblems } from '../knowledge/documents/document-problems.ts'
import type { ProblemSource } from '../problems/problem.ts'
import { webhookProblems } from '../webhooks/endpoints/webhook-problems.ts'

/** The problem sources of all slices, for the route, the metrics and the doctor. */
export const PROBLEM_SOURCES: readonly ProblemSource[] = [
  webhookProblems,
  runProblems,
  fileProblems,
  documentProblems,
  connectionProblems,
  mailProblems,
  creditProblems,
  keyProblems,
  domainProblems,
  identityProviderProblems,
]
