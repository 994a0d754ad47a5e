import { audit, localTrail } from '../access/audit.ts'
import { invite as inviteAddress } from '../access/invite.ts'
import { readConfig } from '../config.ts'
import { DAY, systemClock, toIso } from '../core/clock.ts'
import { normalizeEmail } from '../core/email.ts'
import { type Id, newId } from '../core/id.ts'
import { PLAN_NAMES, type Plan } from '../core/limits.ts'
import type { Tx } from '../db/database.ts'
import { ROLES } from '../db/tables.ts'
import { createOutbox } from '../mail/outbox.ts'
import { openStore } from '../store.ts'
import { createPublish, NO_HANDOVER } from '../webhooks/publish.ts'
import type { Command } from './command.ts'

/** `postern invite`: how the first administrator gets in (decisions 2). */
export const invite: Command = {
  about: 'Invites a person, making the organization if there is none of that name; prints the link.',
  usage:
    'postern invite --organization NAME --email ADDRESS [--role administrator|member] [--plan PLAN] [--json]',
  options: {
    organization: { type: 'string' },
    email: { type: 'string' },
    role: { type: 'string', default: 'member' },
    plan: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  async run(terminal, options) {
    const config = readConfig(terminal.env)
    const organization = String(options.organization ?? '').trim()
    const email = normalizeEmail(String(options.email ?? ''))
    const role = ROLES.find((known) => known === options.role)
    const plan =
      options.plan === undefined ? config.defaultPlan : PLAN_NAMES.find((known) => known === options.plan)
    const problems = [
      organization === '' || organization.length > 100
        ? '--organization must be a name of 1 to 100 characters'
        : undefined,
      email === undefined ? '--email must be an e-mail address' : undefined,
      role === undefined ? `--role must be one of ${ROLES.join(', ')}` : undefined,
      plan === undefined ? `--plan must be one of ${PLAN_NAMES.join(', ')}` : undefined,
    ].filter((problem) => problem !== undefined)
    if (problems.length > 0 || email === undefined || role === undefined || plan === undefined) {
      for (const problem of problems) terminal.complain(problem)
      terminal.complain(`Usage: ${invite.usage}`)
      return 2
    }
    const clock = systemClock
    const { database, vault } = await openStore({ config, clock, log: quiet })
    try {
      const outbox = createOutbox({ vault, configured: config.smtpUrl !== undefined })
      // The running server finds the deliveries of this event in the table.
      const publish = createPublish(NO_HANDOVER)
      const trail = localTrail(clock.now())
      const { invitation, token, acceptUrl } = await database.tx(async (tx) => {
        const organizationId = await ensureOrganization(tx, organization, plan, trail)
        return inviteAddress(tx, { appUrl: config.appUrl, outbox, publish }, trail, {
          organizationId,
          email,
          role,
          inviterId: null,
          lifetime: 7 * DAY,
          sendEmail: config.smtpUrl !== undefined,
        })
      })
      if (options.json === true) {
        terminal.print(
          JSON.stringify({
            organizationId: invitation.organization_id,
            invitationId: invitation.id,
            acceptUrl,
            token,
          }),
        )
        return 0
      }
      terminal.print(`Invited ${email} to ${organization} as ${role}, until ${toIso(invitation.expires_at)}.`)
      terminal.print(`\n  ${acceptUrl}\n`)
      terminal.print(
        config.smtpUrl === undefined
          ? 'No SMTP_URL is set, so nothing was mailed: hand this link to the person yourself.'
          : 'The running server mails this link as well. It is for this person alone.',
      )
      return 0
    } finally {
      await database.close()
    }
  },
}

const quiet = { info() {}, error() {} }

async function ensureOrganization(
  tx: Tx,
  name: string,
  plan: Plan,
  trail: ReturnType<typeof localTrail>,
): Promise<Id<'organization'>> {
  const known = await tx.selectFrom('organization').select('id').where('name', '=', name).executeTakeFirst()
  if (known !== undefined) return known.id
  const id = newId('organization', trail.now)
  await tx.insertInto('organization').values({ id, name, plan, created_at: trail.now }).execute()
  await audit(tx, trail, {
    action: 'organization.created',
    organizationId: id,
    targetId: id,
    details: { name, plan },
  })
  return id
}
