import { ApiError } from '../core/errors.ts'
import { parseId } from '../core/id.ts'
import { callerOf } from '../http/principal.ts'
import { Type } from '../http/schema/type.ts'
import { IdSchema, ofType, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import type { Shared } from '../shared/shared.ts'
import type { Feed } from './feed.ts'
import type { Journal } from './journal.ts'
import { TOPICS, type Topic } from './live-kinds.ts'
import type { Readers } from './readers.ts'
import type { Recorder } from './recorder.ts'
import { mustSee, type StreamFilter, selectVisible } from './selection.ts'

interface StreamDeps extends Pick<Shared, 'config' | 'clock' | 'database'> {
  journal: Journal
  recorder: Pick<Recorder, 'watch'>
  readers: Readers
  feed: Feed
}

const TOPIC_NAMES = TOPICS.join('|')

/** `GET /v1/stream`: an organization's changes as they happen. */
export function streamRoute(server: Server, deps: StreamDeps): void {
  const { config, clock, database, journal, recorder, readers, feed } = deps
  const { book } = config.plans

  server.get(
    '/v1/stream',
    {
      config: { access: 'caller' },
      schema: {
        tags: ['Stream'],
        operationId: 'streamOrganization',
        summary: 'Watch an organization',
        description:
          'Server-sent events: `open` first, then the current state of a `delivery`, `replay`, `webhook`, `capture`, `invitation`, `file`, `document`, `domain`, `identityProvider`, `setupLink`, `apiKey` or `run` after each change. Of several changes at once the last is shown. A client that reconnects with `Last-Event-ID` within five minutes gets the missed events, from any process; `gap` means that events are missing: read the lists again. `end` has the reason for the end of the stream: `token_expired`, `revoked` or `stopping`.',
        querystring: strict({
          topics: Type.Optional(
            Type.String({
              pattern: `^(${TOPIC_NAMES})(,(${TOPIC_NAMES}))*$`,
              maxLength: 200,
              description: `Topics, separated by commas: ${TOPICS.join(', ')}. Default: all that the caller may see. Captures and invitations are for administrators; API keys, domains, identity providers, setup links and requests of directories for callers with the permission to read them; runs for their owner and administrators.`,
              examples: ['deliveries,replays'],
            }),
          ),
          webhookId: Type.Optional(IdSchema('webhook')),
        }),
        response: { 200: ofType('text/event-stream', Type.String()) },
      },
    },
    async (request, reply) => {
      let caller = callerOf(request)
      const { organizationId } = caller
      const { topics, webhookId } = request.query
      const wish: StreamFilter = {
        topics: topics?.split(',') as Topic[] | undefined,
        webhookId: webhookId === undefined ? undefined : parseId('webhook', webhookId, 'webhookId'),
      }
      mustSee(book, caller, wish)
      const after = readPlace(request.headers['last-event-id'])
      readers.mustHaveRoom(request)
      // This process records changes from here on; other processes do once they are notified.
      recorder.watch(organizationId)
      const { last, floor } = await journal.watch(organizationId, request.now)
      database.notifier.notify('watched', organizationId)
      readers.mustHaveRoom(request)
      let selection = selectVisible(book, caller, wish)
      const stream = readers.open(request, reply, {
        placeOf: () => reader.place,
        onCaller(now) {
          caller = now
          selection = selectVisible(book, caller, wish)
          return selection.kinds.size > 0
        },
      })
      const isKnown = after !== undefined && after >= floor && after <= last
      const reader = {
        stream,
        place: isKnown ? after : last,
        sees: (change: { kind: string; about: string }) => selection.sees(change),
        get filter() {
          return selection.key
        },
      }
      const shown = [...selection.kinds]
      stream.send({
        id: reader.place,
        event: 'open',
        data: { organizationId, kinds: shown, at: clock.now() },
      })
      if (after !== undefined && !isKnown)
        stream.send({ id: reader.place, event: 'gap', data: { reason: 'too_old' } })
      feed.follow(organizationId, reader)
      return reply
    },
  )
}

/** @throws ApiError VALIDATION_FAILED */
function readPlace(given: string | string[] | undefined): number | undefined {
  if (given === undefined || given === '') return undefined
  if (/^\d{1,15}$/.test(String(given))) return Number(given)
  throw new ApiError('VALIDATION_FAILED', { field: 'Last-Event-ID', value: String(given).slice(0, 256) })
}
