import type { FastifyReply } from 'fastify'
import type { Language } from '../core/language.ts'
import { contentPolicy } from '../shared/content-policy.ts'

const POLICY = contentPolicy()

/** Answers with a page, under the policy of all pages. */
export function sendPage(reply: FastifyReply, page: string, language: Language = 'en'): FastifyReply {
  return reply
    .header('content-security-policy', POLICY)
    .header('content-language', language)
    .type('text/html; charset=utf-8')
    .send(page)
}
