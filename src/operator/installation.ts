import { statfs } from 'node:fs/promises'
import { type Millis, toIso, toIsoOrNull } from '../core/clock.ts'
import { VERSION } from '../core/version.ts'
import { findWorkers, SCHEMA_VERSION } from '../db/database.ts'
import { readBacklog } from '../delivery/queue/backlog.ts'
import { Type } from '../http/schema/type.ts'
import { Moment, Nullable } from '../http/schema/validation.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import { countMails } from '../mail/outbox.ts'
import type { Shared } from '../shared/shared.ts'

const Waiting = {
  due: Type.Integer(),
  scheduled: Type.Integer({ description: 'Due later: retries.' }),
  claimed: Type.Integer({ description: 'In the hands of a worker.' }),
  oldestDueAt: Nullable(Moment),
}

export const InstallationSchema = Type.Object({
  version: Type.String(),
  engine: Type.String({ enum: ['sqlite', 'postgres'] }),
  schemaVersion: Type.Integer(),
  role: Type.String({ description: 'Of the process that answers.' }),
  organizations: Type.Integer(),
  deliveries: Type.Object(
    {
      ...Waiting,
      held: Type.Integer({ description: 'Of webhooks that are not active.' }),
      unwritten: Type.Integer({ description: 'Of events that are accepted, and not in the table yet.' }),
    },
    {
      description:
        'Deliveries that have not ended. Exact up to a million deliveries that no worker has claimed, and up to 2,000 publications that are not completely written; above that it is a lower bound.',
    },
  ),
  jobs: Type.Array(
    Type.Object(
      { kind: Type.String(), ...Waiting },
      {
        description:
          'Jobs of one kind that have not ended. Exact up to 10,000 jobs that no worker has claimed; above that it is a lower bound.',
      },
    ),
  ),
  workers: Type.Array(
    Type.Object({
      aliveUntil: Moment,
    }),
  ),
  mails: Type.Object(
    { queued: Type.Integer(), failed: Type.Integer(), isConfigured: Type.Boolean() },
    { description: 'Each counted exactly up to 10,000.' },
  ),
  disk: Type.Object({
    freeBytes: Type.Integer({ description: 'Free bytes of the disk that holds `DATA_DIR`.' }),
  }),
  measuredAt: Moment,
})

type InstallationDeps = Pick<Shared, 'config' | 'database'> & { jobs: Pick<Jobs, 'backlog'> }

/** The state of the installation. Waiting work is counted in steps that yield to other work. */
export async function readInstallation({ config, database, jobs }: InstallationDeps, now: Millis) {
  const { db } = database.background
  const { oldestDueAt, ...deliveries } = await readBacklog(database.background, now)
  const organizations = await db
    .selectFrom('organization')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  const { bavail, bsize } = await statfs(config.store.dataDir).catch(() => ({ bavail: 0, bsize: 0 }))
  return {
    version: VERSION,
    engine: config.store.databaseUrl === undefined ? 'sqlite' : 'postgres',
    schemaVersion: SCHEMA_VERSION,
    role: config.role,
    organizations: Number(organizations.count),
    deliveries: { ...deliveries, oldestDueAt: toIsoOrNull(oldestDueAt ?? null) },
    jobs: [...(await jobs.backlog(now))].map(([kind, { oldestDueAt: oldest, ...counts }]) => ({
      ...{ kind, ...counts },
      oldestDueAt: toIsoOrNull(oldest ?? null),
    })),
    workers: (await findWorkers(db)).map(({ aliveUntil }) => ({ aliveUntil: toIso(aliveUntil) })),
    mails: {
      queued: await countMails(db, 'queued'),
      failed: await countMails(db, 'failed'),
      isConfigured: config.mail.smtpUrl !== undefined,
    },
    disk: { freeBytes: bavail * bsize },
    measuredAt: toIso(now),
  }
}
