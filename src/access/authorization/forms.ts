import type { FastifyInstance } from 'fastify'

export const FORM = 'application/x-www-form-urlencoded'

/** Lets the routes of a scope accept forms, as text within the limits of JSON. */
export function takeForms(scope: Pick<FastifyInstance, 'addContentTypeParser'>): void {
  scope.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, text, done) => done(null, text))
}
