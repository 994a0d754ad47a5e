import type { FastifyRequest } from 'fastify'
import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { hashToken, newToken } from '../../core/secret.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import { bindingOf, cookiesFor } from '../../http/cookies.ts'
import { SecretSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { setupFinishedMail, setupOpenedMail } from '../../mail/mail-templates.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import type { AccessDeps } from '../deps.ts'
import { findSetup, isOpen, lockSetup, type Setup } from './lock-setup.ts'
import { mailCreator } from './mail-creator.ts'
import type { SetupLink } from './setup-link-wire.ts'
import { SetupSchema, showSetup } from './setup-wire.ts'

/** The routes that open, show and finish a setup, in the browser that opened the link. */
export function openSetupRoutes(
  server: Server,
  { config, database, outbox }: Pick<AccessDeps, 'config' | 'database' | 'outbox'>,
): void {
  const { baseUrl } = config.web
  const cookies = cookiesFor(baseUrl)

  server.post(
    '/v1/setup/open',
    {
      config: { access: 'public', rates: ['secretPerIp'] },
      schema: {
        tags: ['Setup links'],
        operationId: 'openSetup',
        summary: 'Open a setup link',
        description:
          'With the token of the link, which is valid once: the browser gets a cookie, and only this browser can continue the setup. `ENTITY_NOT_FOUND` for a token that is unknown, revoked or expired; with `reason: opened_elsewhere` where another browser has opened the link. `FORBIDDEN` (`another_setup`) where this browser has opened another link that has not ended, because an open page of that link would change this organization.',
        body: strict({ token: SecretSchema }),
        response: { 200: SetupSchema },
      },
    },
    async (request, reply) => {
      const { body, now } = request
      const known = bindingOf(request, cookies.setup)
      const held = await findOpened(request, cookies.setup)
      const { link, binding, shown } = await database.tx(async (tx) => {
        const found = await findByToken(tx, body.token)
        if (found === undefined) throw deadLink()
        if (found.status === 'pending' && held !== undefined)
          throw new ApiError('FORBIDDEN', { reason: 'another_setup' })
        // Before the link, as everywhere.
        const organization = await lockOrganization(tx, found.organization_id)
        if (organization === undefined || organization.disabled_at !== null) throw deadLink()
        // In this transaction, because another browser could not open the link after a lost answer.
        const answer = async (setup: Setup, binding: string) => ({
          ...{ link: setup.link, binding, shown: await showSetup(tx, setup, baseUrl) },
        })
        const fresh = newToken()
        const link = await tx
          .updateTable('setup_link')
          .set({ status: 'opened', cookie_hash: hashToken(fresh), opened_at: now })
          .where('id', '=', found.id)
          .where('status', '=', 'pending')
          .where(isOpen(now))
          .returningAll()
          .executeTakeFirst()
        if (link === undefined) {
          const opened = await lockSetup(tx, found, now).catch((error: unknown) => {
            throw error instanceof ApiError ? deadLink() : error
          })
          if (known === undefined || opened.cookie_hash !== hashToken(known))
            throw deadLink('opened_elsewhere')
          return answer({ link: opened, organization }, known)
        }
        noteChanges(tx, 'setupLink', [link])
        const trail = trailOf(request)
        await audit(tx, trail, {
          action: 'setup_link.opened',
          ...{ organizationId: organization.id, actorId: link.id, targetId: link.id },
          details: { name: link.name, purposes: link.purposes },
        })
        const opened = { name: link.name, organization: organization.name, ip: trail.ip }
        await mailCreator(tx, outbox, link, setupOpenedMail(opened), now)
        return answer({ link, organization }, fresh)
      })
      const maxAge = Math.ceil((link.expires_at - now) / 1_000)
      void reply.setCookie(cookies.setup, binding, { ...cookies.options, maxAge })
      return shown
    },
  )

  server.get(
    '/v1/setup',
    {
      config: { access: 'public', rates: ['authorizePerIp'] },
      schema: {
        tags: ['Setup links'],
        operationId: 'readSetup',
        summary: 'Read the setup that this browser has opened',
        description:
          'The values to enter elsewhere, and the progress of each purpose; null for a purpose that the link does not have. No secret is shown again.',
        response: { 200: SetupSchema },
      },
    },
    async (request) => showSetup(database.db, await findSetup(database.db, request, cookies.setup), baseUrl),
  )

  server.post(
    '/v1/setup/finish',
    {
      config: { access: 'public', rates: ['authorizePerIp'] },
      schema: {
        tags: ['Setup links'],
        operationId: 'finishSetup',
        summary: 'Finish the setup',
        description: 'Ends the link. Everything that was set up stays.',
        response: { 200: SetupSchema },
      },
    },
    async (request, reply) => {
      const { link, organization } = await findSetup(database.db, request, cookies.setup)
      const finished = await database.tx(async (tx): Promise<Setup> => {
        const { id, name } = await lockSetup(tx, link, request.now)
        const after = await tx
          .updateTable('setup_link')
          .set({ status: 'finished', ended_at: request.now })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow()
        noteChanges(tx, 'setupLink', [after])
        await audit(tx, trailOf(request), {
          action: 'setup_link.finished',
          ...{ organizationId: organization.id, actorId: id, targetId: id },
          details: { name, purposes: after.purposes },
        })
        const template = setupFinishedMail({ name, organization: organization.name })
        await mailCreator(tx, outbox, after, template, request.now)
        return { link: after, organization }
      })
      void reply.clearCookie(cookies.setup, cookies.options)
      return showSetup(database.db, finished, baseUrl)
    },
  )

  /** The setup that a browser has already opened. */
  async function findOpened(request: FastifyRequest, cookie: string): Promise<Setup | undefined> {
    return findSetup(database.db, request, cookie).catch((error: unknown) => {
      if (error instanceof ApiError) return undefined
      throw error
    })
  }
}

const deadLink = (reason?: 'opened_elsewhere') =>
  new ApiError('ENTITY_NOT_FOUND', { field: 'token', ...(reason !== undefined && { reason }) })

function findByToken(tx: Tx, token: string): Promise<SetupLink | undefined> {
  return tx.selectFrom('setup_link').selectAll().where('token_hash', '=', hashToken(token)).executeTakeFirst()
}
