import type { Config } from '../config/config.ts'
import type { Millis } from '../core/clock.ts'
import type { Language } from '../core/language.ts'
import { cookiesFor } from '../http/cookies.ts'
import { Type } from '../http/schema/type.ts'
import { ofType } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { PAGE_MESSAGES } from '../messages/messages.ts'
import { logoRoute } from '../shared/logo.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { assetRoutes } from './assets.ts'
import { changeEmail } from './change-email.ts'
import { checkout } from './checkout.ts'
import { confirmEmail } from './confirm-email.ts'
import { consent } from './consent.ts'
import { device } from './device.ts'
import { firstStart } from './first-start.ts'
import { home } from './home.ts'
import { type Facts, layout, type Page } from './layout.ts'
import { magicLink } from './magic-link.ts'
import { CHOSEN_BY, pageLanguage } from './page-language.ts'
import { resetPassword } from './reset-password.ts'
import { security } from './security.ts'
import { sendPage } from './send-page.ts'
import { setUp } from './set-up.ts'
import { signIn } from './sign-in.ts'
import { signOut } from './sign-out.ts'

/** The page of each path. */
const PAGES: Record<string, (facts: Facts) => Page> = {
  '/': home,
  '/accept-invitation': acceptInvitation,
  '/first-start': firstStart,
  '/confirm-email': confirmEmail,
  '/change-email': changeEmail,
  '/reset-password': resetPassword,
  '/magic-link': magicLink,
  '/v1/auth/magic-link/verify': magicLink,
  '/sign-in': signIn,
  '/sign-out': signOut,
  '/security': security,
  '/checkout': checkout,
  '/consent': consent,
  '/device': device,
  '/set-up': setUp,
}

/** The one page at a path of the API. */
const LINK_SCHEMA = {
  tags: ['Sign-in'],
  operationId: 'openMagicLink',
  summary: 'The page that a sign-in link opens',
  description: 'It changes nothing: mail scanners open links too.',
  response: { 200: ofType('text/html', Type.String()) },
}

interface PageDeps {
  config: Pick<Config, 'web' | 'access'>
  /** Finds the state of a checkout. */
  findOrder: (
    id: string,
    now: Millis,
  ) => Promise<(NonNullable<Facts['order']> & { language: Language | null }) | undefined>
}

/**
 * The pages that links of mails and of a first start open (decisions: access, hosted pages). Only the state of a
 * checkout and the language depend on the query. The script reads the token of a link, and sends it only when a person presses the button, because
 * mail scanners open links too.
 */
export function pageRoutes(server: Server, { config, findOrder }: PageDeps): void {
  const cookies = cookiesFor(config.web.baseUrl)
  const root = rootOf(config.web.baseUrl)
  const facts = {
    root,
    product: config.web.product,
    consolePath: config.web.console ? `${root}/console` : undefined,
    termsUrl: config.web.termsUrl,
    providers: config.access.social.map(({ name, label }) => ({ id: name, name: label })),
  }
  assetRoutes(server)
  logoRoute(server, config.web.product)
  for (const [path, describe] of Object.entries(PAGES)) {
    const schema = path === '/v1/auth/magic-link/verify' ? LINK_SCHEMA : { hide: true }
    server.get(path, { config: { access: 'public' }, schema }, async (request, reply) => {
      const { id } = request.query as { id?: unknown }
      const order =
        path === '/checkout' && typeof id === 'string' ? await findOrder(id, request.now) : undefined
      const ofInstallation = config.web.language
      const language = pageLanguage(request, reply, cookies, {
        ofOrganization: order?.language,
        ofInstallation,
      })
      const chosen = { language, says: PAGE_MESSAGES[language] }
      const all = { ...facts, ...chosen, order, hasSession: request.cookies[cookies.session] !== undefined }
      void reply.header('vary', CHOSEN_BY)
      return sendPage(reply, layout(all, describe(all)), language)
    })
  }
}

/** The path of `BASE_URL`: empty, or `/postern` behind a proxy that serves it there. */
export function rootOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '')
}
