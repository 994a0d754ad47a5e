import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptedLanguage, type Language, readLanguage } from '../core/language.ts'
import type { Cookies } from '../http/cookies.ts'

/**
 * The language of a page. In this order: that of its link or of the choice at its foot (`?lang=`), the one of an earlier such link in
 * this browser, the first supported one of `Accept-Language`, that of the organization, that of the installation. `?lang=` is remembered until
 * the browser is closed.
 * @param others the organization's, where the page is about one, and the installation's
 */
export function pageLanguage(
  request: FastifyRequest,
  reply: FastifyReply,
  cookies: Pick<Cookies, 'language' | 'options'>,
  others: { ofOrganization?: Language | null | undefined; ofInstallation: Language },
): Language {
  const asked = readLanguage((request.query as { lang?: unknown }).lang)
  if (asked !== undefined) void reply.setCookie(cookies.language, asked, cookies.options)
  const known = asked ?? readLanguage(request.cookies[cookies.language])
  const { ofOrganization, ofInstallation } = others
  return known ?? acceptedLanguage(request.headers['accept-language']) ?? ofOrganization ?? ofInstallation
}

/** The `Vary` header of an answer in a chosen language. */
export const CHOSEN_BY = 'accept-language, cookie'
