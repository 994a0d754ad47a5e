import { MINUTE, type Millis, SECOND } from '../core/clock.ts'
import { memoizeFor } from '../core/memoize.ts'
import { NoCursor } from '../http/schema/list.ts'
import { Type } from '../http/schema/type.ts'
import type { Server } from '../http/server.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import type { Shared } from '../shared/shared.ts'
import { accountChangeRoutes } from './accounts/account-change.ts'
import { accountImportRoutes } from './accounts/account-import.ts'
import { accountRoutes } from './accounts/account-routes.ts'
import type { OperatorDeps, OperatorParts } from './deps.ts'
import { InstallationSchema, readInstallation } from './installation.ts'
import { createLateWriteSweep } from './late-writes.ts'
import { oauthClientRoutes } from './oauth-client-routes.ts'
import { organizationChangeRoutes } from './organization-change.ts'
import { organizationInviteRoutes } from './organization-invite.ts'
import { organizationRoutes } from './organization-routes.ts'
import { platformKeyRoutes } from './platform-key-routes.ts'

/** The state of the installation, and the checks of settings, are cached for this time. */
const FRESH: Millis = 10 * SECOND
const FRESH_FINDINGS: Millis = 60 * SECOND
/** The checks that read every page of the database are cached for this time. */
const FRESH_DATABASE: Millis = 10 * MINUTE

/** The operator's API over all organizations: `/v1/operator/…`, with `OPERATOR_TOKEN` only. */
interface Operator {
  routes: (server: Server) => void
  /** Called periodically. */
  chore: () => Promise<void>
}

export function createOperator(
  shared: Shared,
  { jobs, ...parts }: OperatorParts & { jobs: Pick<Jobs, 'backlog'> },
): Operator {
  const { config, database } = shared
  const lateWrites = createLateWriteSweep({ ...shared, ...parts, database: database.background })
  const deps: OperatorDeps = { ...shared, ...parts, lateWrites }
  const readFresh = memoizeFor(FRESH, (now) => readInstallation({ config, database, jobs }, now))
  // Loaded with the first request: a start does not need it.
  const doctor = () => import('./findings.ts')
  const examineSettings = memoizeFor(FRESH_FINDINGS, async () => (await doctor()).examineSettings(config))
  const examineDatabase = memoizeFor(FRESH_DATABASE, async () => (await doctor()).examineDatabase(config))

  return {
    routes(server) {
      server.get(
        '/v1/operator/installation',
        {
          config: { access: 'installation' },
          schema: {
            tags: ['Operator'],
            operationId: 'readInstallation',
            summary: 'Read the state of the installation',
            description:
              'The waiting work of all organizations, the workers, mails and the disk; at most 10 s old.',
            response: { 200: InstallationSchema },
          },
        },
        async ({ now }) => readFresh(now),
      )
      server.get(
        '/v1/operator/findings',
        {
          config: { access: 'installation' },
          schema: {
            tags: ['Operator'],
            operationId: 'listFindings',
            summary: "Read the doctor's findings",
            description:
              'The findings of `npx postern doctor`, renewed at most every 60 s; those about the database, which need all of it to be read, at most every 10 minutes.',
            response: {
              200: Type.Object({
                data: Type.Array(
                  Type.Object({
                    level: Type.String({ enum: ['ok', 'warning', 'problem'] }),
                    what: Type.String(),
                    text: Type.String(),
                  }),
                ),
                nextCursor: NoCursor,
              }),
            },
          },
        },
        async ({ now }) => {
          const findings = await Promise.all([examineSettings(now), examineDatabase(now)])
          return { data: (await doctor()).inOrder(findings.flat()), nextCursor: null }
        },
      )
      organizationRoutes(server, deps)
      organizationChangeRoutes(server, deps)
      organizationInviteRoutes(server, deps)
      platformKeyRoutes(server, deps)
      oauthClientRoutes(server, deps)
      accountRoutes(server, deps)
      accountChangeRoutes(server, deps)
      accountImportRoutes(server, deps)
    },
    chore: lateWrites.sweep,
  }
}
