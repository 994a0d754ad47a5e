import { type Millis, SECOND } from '../core/clock.ts'
import { Type } from '../http/schema/type.ts'
import type { Server } from '../http/server.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import type { Shared } from '../shared/shared.ts'
import { InstallationSchema, readInstallation } from './installation.ts'
import { organizationRoutes } from './organization-routes.ts'

/** However often it is asked for, the installation is looked at once in this time, and the doctor asked once in that. */
const FRESH: Millis = 10 * SECOND
const FRESH_FINDINGS: Millis = 60 * SECOND

/** What whoever runs the server sees and does of all organizations: `/v1/operator/…`, by `OPERATOR_TOKEN` alone. */
export interface Operator {
  routes: (server: Server) => void
}

export function createOperator(
  shared: Shared,
  { jobs, forgetCallers }: { jobs: Pick<Jobs, 'backlog'>; forgetCallers: () => void },
): Operator {
  const { config, database } = shared
  const readFresh = remembered(FRESH, (now) => readInstallation({ config, database, jobs }, now))
  const askDoctor = remembered(FRESH_FINDINGS, async () =>
    // Read when somebody asks: a start needs nothing of it.
    (await import('./findings.ts')).findAll(config),
  )

  return {
    routes(server) {
      server.get(
        '/v1/operator/installation',
        {
          config: { access: 'installation' },
          schema: {
            tags: ['Operator'],
            operationId: 'readInstallation',
            summary: 'Read how the installation stands',
            description:
              'What waits of all organizations, who works on it, mails, disk. Looked at once in 10 s.',
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
              'What `npx postern doctor` says of settings, folder, mail, address and providers; what reads whole tables is asked by the command alone. Asked once in 60 s.',
            response: {
              200: Type.Object({
                data: Type.Array(
                  Type.Object({
                    level: Type.String({ enum: ['ok', 'warning', 'problem'] }),
                    what: Type.String(),
                    text: Type.String(),
                  }),
                ),
                nextCursor: Type.Null(),
              }),
            },
          },
        },
        async ({ now }) => ({ data: await askDoctor(now), nextCursor: null }),
      )
      organizationRoutes(server, { config, database, forgetCallers })
    },
  }
}

/** What `ask` answers, for everybody who asks within a time; a failure is asked anew. */
function remembered<T>(fresh: Millis, ask: (now: Millis) => Promise<T>): (now: Millis) => Promise<T> {
  let last: { at: Millis; answer: Promise<T> } | undefined
  return (now) => {
    if (last !== undefined && now >= last.at && now - last.at < fresh) return last.answer
    const answer = ask(now)
    last = { at: now, answer }
    answer.catch(() => {
      last = undefined
    })
    return answer
  }
}
