import type { FastifyReply } from 'fastify'
import { contentPolicy } from '../shared/content-policy.ts'

const POLICY = contentPolicy()

/** Answers with a page, under the policy of all pages. */
export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(page)
}
