import { type Millis, pause, SECOND, stopwatch } from '#src/core/clock.ts'
import { freePort } from '../support/free-port.ts'
import { type Mailbox, startMailbox } from '../support/mailbox.ts'
import { until } from '../support/waits.ts'
import { FEWEST_EVENTS, type ScenarioOptions } from './scenario.ts'
import { startStand } from './stand.ts'
import { judge, type Verdict } from './verdict.ts'

const INVITATIONS = 20
/** The wait after a third attempt, which a busy machine may have come to in vain, and some more. */
const PATIENCE: Millis = 150 * SECOND

/** The mail server is away while people are invited, and the server is killed in that time. */
export async function loseMailServer({ rate, seed, mostRefusals, say }: ScenarioOptions): Promise<Verdict> {
  const port = await freePort()
  const env = { SMTP_URL: `smtp://127.0.0.1:${port}` }
  const stand = await startStand({ engine: 'sqlite', rate: rate / 5, seed, mostRefusals, env })
  const { store, server, takings, load } = stand
  let mailbox: Mailbox | undefined
  try {
    const emails = Array.from({ length: INVITATIONS }, (_, index) => `guest-${index}@acme.test`)
    const failures: string[] = []
    for (const email of emails) {
      const { status, body } = await stand.call('/v1/invitations', { email, role: 'member' })
      if (status !== 201) failures.push(`${email} could not be invited: ${JSON.stringify(body)}`)
    }
    await until(
      () => mailsWhere(`attempts = 0 or last_error is null`),
      (count) => count === 0,
      { what: 'each mail to have failed once' },
    )
    await server.kill()
    await takings.nextLife()
    mailbox = await startMailbox(port)
    await server.start()
    const back = stopwatch()
    say('every mail was tried in vain, the server was killed, the mail server is back')
    while ((await mailsWhere(`status <> 'sent'`)) > 0 && back() < PATIENCE) await pause(50)
    const sent = back()
    await stand.acknowledgesMoreThan(FEWEST_EVENTS)
    await load.stop()
    await stand.drained()
    const code = await server.end()
    const got = emails.map((email) => mailbox?.mails.filter(({ recipients }) => recipients.includes(email)))
    const verdict = await judge(stand, { interruptions: 1 })
    for (const [index, mails] of got.entries())
      if (mails?.length !== 1) failures.push(`${emails[index]} got ${mails?.length ?? 0} mails`)
    if (code !== 0) failures.push(`the server ended with ${code}: ${server.lastWords()}`)
    return {
      failures: [...failures, ...verdict.failures],
      figures: {
        invitations: INVITATIONS,
        'all mails sent after': `${(sent / SECOND).toFixed(1)} s`,
        ...verdict.figures,
      },
    }
  } finally {
    await stand.remove()
    await mailbox?.stop()
  }

  async function mailsWhere(condition: string): Promise<number> {
    const [row] = await store.query<{ count: number }>(
      `select cast(count(*) as integer) as count from mail where invitation_id is not null and (${condition})`,
    )
    return row?.count ?? 0
  }
}
