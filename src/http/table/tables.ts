import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Clock, MINUTE, type Millis, repeat, SECOND, turn } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id, Kind } from '../../core/id.ts'
import { groupDigits } from '../../core/text/group-digits.ts'
import { callerOf } from '../principal.ts'
import { type PageRequest, toPage } from '../schema/list.ts'
import { type TSchema, Type } from '../schema/type.ts'
import { toLine, wantsCsv } from './csv.ts'

/** Rows of one table; a client that needs more asks for earlier ones by `until`. */
const MOST_ROWS = 50_000
/** Rows that are read in one go, in a few milliseconds. */
const ROWS_OF_PAGE = 500
/** Tables that an organization, or the operator, is sent at once by one process. */
const TABLES_AT_ONCE = 2
/** A reader that takes nothing for so long is cut off. */
const PATIENCE: Millis = 30 * SECOND
/** So long a table is sent at most: a right that has ended shows nothing more after it. */
const LONGEST: Millis = 5 * MINUTE

/** A list as a table. */
interface Table<K extends Kind, Row extends { id: string }, Wire extends object> {
  /** What the file is called, without its ending. */
  name: string
  /** The members of a row that are its columns, in their order. */
  columns: readonly string[]
  /** The rows of a page, newest first; one more than it holds where there are more. */
  read: (page: PageRequest<K>) => Promise<Row[]>
  toWire: (row: Row) => Wire
}

/**
 * Answers with a list: for a client that asks for a table, with all rows, read page by page as the client takes them; else with
 * the page that is asked for, which `page` makes where a list has a way of its own.
 * @throws ApiError RATE_LIMITED while the organization is sent as many tables as it may
 */
export type SendList = <K extends Kind, Row extends { id: string }, Wire extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  first: PageRequest<K>,
  list: Table<K, Row, Wire> & { page?: () => Promise<PageOf<Wire>> },
) => Promise<PageOf<Wire>>

interface PageOf<Wire> {
  data: Wire[]
  nextCursor: string | null
}

/** The schema of a list that is also a table, for clients that ask for `text/csv`. */
export const listOrTable = <T extends TSchema>(list: T) => ({
  description: `JSON in pages, or with \`Accept: text/csv\` one table of all rows from \`cursor\`, newest first, ${groupDigits(MOST_ROWS)} at most.`,
  content: { 'application/json': { schema: list }, 'text/csv': { schema: Type.String() } },
})

/** Makes the one sender of lists of a process. */
export function createTables({ clock }: { clock: Clock }): SendList {
  const underWay = new Map<string, number>()

  function take(organizationId: string): () => void {
    const others = underWay.get(organizationId) ?? 0
    if (others >= TABLES_AT_ONCE) throw new ApiError('RATE_LIMITED', { retryAfterSeconds: 5 })
    underWay.set(organizationId, others + 1)
    return () => {
      const rest = (underWay.get(organizationId) ?? 1) - 1
      if (rest > 0) underWay.set(organizationId, rest)
      else underWay.delete(organizationId)
    }
  }

  function sendTable<K extends Kind, Row extends { id: string }, Wire extends object>(
    request: FastifyRequest,
    reply: FastifyReply,
    first: PageRequest<K>,
    table: Table<K, Row, Wire>,
  ): FastifyReply {
    const giveBack = take(readerOf(request))
    let wasTaken = true
    const body = Readable.from(onTaken(linesOf(first, table)), { objectMode: false })
    async function* onTaken(lines: AsyncIterable<string>) {
      for await (const text of lines) {
        wasTaken = true
        yield text
      }
    }
    const cancelPoll = repeat(clock, PATIENCE, () => {
      if (!wasTaken) reply.raw.destroy()
      wasTaken = false
    })
    const cancelEnd = clock.after(LONGEST, () => reply.raw.destroy())
    body.once('close', () => {
      cancelPoll()
      cancelEnd()
      giveBack()
    })
    return reply
      .headers({
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': `attachment; filename="${table.name}.csv"`,
        vary: 'accept',
      })
      .send(body)
  }

  return async (request, reply, first, { page, ...table }) => {
    // Fastify takes an answer that is under way for the page that the document names.
    if (wantsCsv(request)) return sendTable(request, reply, first, table) as never
    void reply.header('vary', 'accept')
    return page === undefined ? toPage(await table.read(first), first, table.toWire) : page()
  }
}

/** Whose places a table takes. */
function readerOf(request: FastifyRequest): string {
  return request.principal?.kind === 'installation' ? 'installation' : callerOf(request).organizationId
}

/** The text of a table, a page at a time. */
async function* linesOf<K extends Kind, Row extends { id: string }, Wire extends object>(
  { before, cursor }: PageRequest<K>,
  { columns, read, toWire }: Table<K, Row, Wire>,
): AsyncGenerator<string, void, undefined> {
  yield toLine([...columns])
  let page: PageRequest<K> = { take: ROWS_OF_PAGE, before, cursor }
  for (let sent = 0; sent < MOST_ROWS; sent += page.take) {
    const rows = await read(page)
    yield rows
      .map((row) => {
        const wire = toWire(row) as Record<string, unknown>
        return toLine(columns.map((column) => wire[column]))
      })
      .join('')
    const last = rows.at(-1)?.id as Id<K> | undefined
    if (rows.length < page.take || last === undefined) return
    page = { ...page, before: last, cursor: last }
    // Others have their turn in between.
    await turn()
  }
}
