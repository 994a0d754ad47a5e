import { type OpenStream, toMethod } from './method.ts'
import { createSend, type PosternOptions, type Send } from './request.ts'
import { ROUTES } from './routes.gen.ts'
import { EventStream } from './stream.ts'
import type { Methods } from './types.gen.ts'

export type * from './codes.gen.ts'
export { type AnyCode, type ErrorDetails, isCode, type LocalCode, PosternError } from './errors.ts'
export { type Page, Pages } from './page.ts'
export type { Bytes, CallOptions, PosternOptions } from './request.ts'
export { EventStream, type StreamEvent, type StreamOptions } from './stream.ts'
export type * from './types.gen.ts'

const openStream: OpenStream = (...stream) => new EventStream(...stream)

/** Gives each route its method. */
const WithMethods = class {
  constructor(send: Send) {
    for (const [name, entry] of Object.entries(ROUTES)) {
      const methods =
        typeof entry === 'string'
          ? toMethod(send, entry, openStream)
          : Object.fromEntries(
              Object.entries(entry).map(([method, route]) => [method, toMethod(send, route, openStream)]),
            )
      Object.assign(this, { [name]: methods })
    }
  }
} as new (
  send: Send,
) => Methods

/**
 * A client of one Postern. Its methods are grouped by subject: `postern.webhooks.list()`. Their arguments are the parts of
 * the path, then the body or the query, then the options of the call (`CallOptions`).
 */
export class Postern extends WithMethods {
  constructor(options: PosternOptions) {
    super(createSend(options))
  }
}
