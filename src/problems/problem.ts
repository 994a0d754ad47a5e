import { DAY, type Millis, toIso, toIsoOrNull } from '../core/clock.ts'
import { type Id, idFloor, type Kind } from '../core/id.ts'
import type { PlanBook } from '../core/plans.ts'
import type { Db } from '../db/database.ts'
import type { Permission, Permissions } from '../http/permissions.ts'
import { type Static, Type } from '../http/schema/type.ts'
import { Moment, Nullable } from '../http/schema/validation.ts'

/** How long a final failure is an open problem: deliveries and mails since they were made, files and documents since their last processing. */
export const OPEN_FOR: Millis = 7 * DAY

/** Most rows of one problem that are counted; of more the answer says `atLeast`. */
export const MOST_COUNTED = 10_000

/** The kinds of problems, in the order of lists and figures. */
const PROBLEM_KINDS = [
  'webhook',
  'run',
  'file',
  'document',
  'connection',
  'mail',
  'credits',
  'api_key',
  'domain',
  'identity_provider',
] as const
export type ProblemKind = (typeof PROBLEM_KINDS)[number]

/** The states of a problem, the worst first: the order of the answer. */
export const PROBLEM_STATES = [
  'disabled',
  'parked',
  'failing',
  'used_up',
  'revoked',
  'expired',
  'error',
  'failed',
  'lost',
  'waiting',
  'expiring',
  'low',
] as const
export type ProblemState = (typeof PROBLEM_STATES)[number]

/** A number of rows; with `atLeast` there may be more. */
export interface Count {
  count: number
  atLeast: boolean
}

/** An open problem of an organization, moments in milliseconds. */
export interface Problem {
  /** The same as long as the problem is open. */
  id: string
  kind: ProblemKind
  state: ProblemState
  /** The row it is about; null where it is about several. */
  subjectId: string | null
  /** That row in words: a URL, a name. */
  subject: string | null
  reason: string | null
  /** What happened, and what to do about it, where the other members do not say so. */
  message?: string
  since: Millis
  /** The time of the next automatic attempt, of the renewal of credits, or of the end of an API key. */
  nextAt: Millis | null
  /** Waiting rows. */
  waiting: Count | null
  /** Rows that failed for good, and the time in which they were made. */
  failed: (Count & { since: Millis; until: Millis }) | null
  /** Of credits: how many can be spent. */
  balance: number | null
  /** One of these rows, to look at first. */
  exampleId: string | null
}

/** The organization whose problems are asked for. */
interface ProblemCaller {
  organizationId: Id<'organization'>
  actorId: string
  permissions: Permissions
}

/** The further arguments of a source. */
export interface ProblemContext {
  now: Millis
  book: PlanBook
}

/** The open problems of one kind; each slice has its own (architecture: the way of a problem). */
export interface ProblemSource {
  kind: ProblemKind
  /** The permission that shows them; an organization without the module of the permission has none of them. */
  permission: Permission
  /**
   * Those of one organization. Its cost is bounded by what one organization may have, in steps of a few milliseconds.
   * @returns problems in any order
   */
  find(db: Db, caller: ProblemCaller, context: ProblemContext): Promise<Problem[]>
  /** How many rows of all organizations they concern: webhooks, runs, files, …; up to `MOST_COUNTED`. */
  count(db: Db, context: ProblemContext): Promise<Count>
}

const CountSchema = {
  count: Type.Integer({ minimum: 0 }),
  atLeast: Type.Boolean({ description: 'Whether there may be more than were counted.' }),
}

export const ProblemSchema = Type.Object({
  id: Type.String({ description: 'The same as long as the problem is open.' }),
  kind: Type.String({ enum: [...PROBLEM_KINDS] }),
  state: Type.String({
    enum: [...PROBLEM_STATES],
    description:
      'Of a webhook: `disabled`, `parked`, `failing`, or `failed` (it takes deliveries, and some of the last 7 days failed for good). Of runs: `waiting` for a person. Of a connection: its status. Of credits: `low` or `used_up`. Of an API key: `expiring` within 7 days, `expired` in the last 7, or `failing` while a directory uses a replaced secret (`former_secret`). Of a domain: `failing` while its record is missing, and `lost` once it counts no longer. Of an identity provider: `expiring` within 30 days of the end of its last certificate, then `expired`; `expiring` within 21 days of the end of the replaced keys of Postern (`own_keys`); `waiting` where a setup link has added it and an administrator has to enable it. Of all others: `failed`.',
  }),
  subjectId: Nullable(
    Type.String({
      description:
        'The webhook, connection, knowledge base, API key, domain or identity provider that it is about.',
    }),
  ),
  subject: Nullable(Type.String({ description: 'The same in words: a URL, a provider, a name.' })),
  reason: Nullable(
    Type.String({
      description: 'The reason, such as `http_503` or `timeout`.',
    }),
  ),
  message: Nullable(
    Type.String({
      description:
        'For files, documents, certificates, replaced keys and replaced secrets: the failure (for files and documents, of the one of `exampleId`), and the remedy.',
    }),
  ),
  since: Moment,
  nextAt: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When it is tried next, credits are renewed, or an API key or a certificate expires.',
    }),
  ),
  waiting: Nullable(
    Type.Object(CountSchema, {
      description: 'The number of waiting deliveries of a webhook, or of runs that wait for a person.',
    }),
  ),
  failed: Nullable(
    Type.Object(
      { ...CountSchema, since: Moment, until: Moment },
      {
        description:
          'The number of permanent failures of the last 7 days that were neither made again nor removed; all were made from `since` to before `until`, so that a replay of that time makes exactly these deliveries again.',
      },
    ),
  ),
  balance: Nullable(Type.Integer({ description: 'For credits: the balance that can be spent.' })),
  exampleId: Nullable(
    Type.String({
      description: 'An example: a delivery, a run, a file, a document or a mail.',
    }),
  ),
})

export function toProblemWire(problem: Problem): Static<typeof ProblemSchema> {
  const { since, nextAt, failed } = problem
  return {
    ...problem,
    message: problem.message ?? null,
    since: toIso(since),
    nextAt: toIsoOrNull(nextAt),
    failed: failed && { ...failed, since: toIso(failed.since), until: toIso(failed.until) },
  }
}

/** The lowest id of a row that may still be an open problem. */
export function openFloor<K extends Kind>(kind: K, now: Millis): Id<K> {
  return idFloor(kind, now - OPEN_FOR)
}

/** @param rows how many the query found; it reads one more than are counted */
export function toCount(rows: number | string | undefined): Count {
  return { count: Math.min(Number(rows ?? 0), MOST_COUNTED), atLeast: Number(rows ?? 0) > MOST_COUNTED }
}
