import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Clock, MINUTE, type Millis, repeat, SECOND, turn } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id, Kind } from '../../core/id.ts'
import { groupDigits } from '../../core/text/group-digits.ts'
import { wantsCsv } from '../accept.ts'
import { callerOf } from '../principal.ts'
import { type PageRequest, toPage } from '../schema/list.ts'
import { type TSchema, Type } from '../schema/type.ts'
import { toLine } from './csv.ts'

/** Most rows of one file; clients get earlier ones by `until`. */
const MOST_ROWS = 50_000
/** Rows that one statement reads, in a few milliseconds. */
const ROWS_OF_PAGE = 500
/** Files that one process sends to an organization, or to the operator, at once. */
const TABLES_AT_ONCE = 2
/** A client that reads nothing for this long is disconnected. */
const PATIENCE: Millis = 30 * SECOND
/** Longest transfer: after a right has ended, the client reads at most this long. */
const LONGEST: Millis = 5 * MINUTE

/** A list in the form of CSV. */
interface CsvTable<K extends Kind, Row extends { id: string }, Wire extends object> {
  /** The file name without extension. */
  name: string
  /** The members of an item that become columns, in order. */
  columns: readonly string[]
  /** Reads the rows of a page, newest first; one more than the page where there are more. */
  read: (page: PageRequest<K>) => Promise<Row[]>
  toWire: (row: Row) => Wire
}

/**
 * Answers with a list: as CSV with all rows, read page by page as the client takes them, or as a JSON page.
 * @param page makes the JSON page where a list needs its own query
 * @throws ApiError RATE_LIMITED where the organization already receives as many files as it may
 */
export type SendList = <K extends Kind, Row extends { id: string }, Wire extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  first: PageRequest<K>,
  list: CsvTable<K, Row, Wire> & { page?: () => Promise<PageOf<Wire>> },
) => Promise<PageOf<Wire>>

interface PageOf<Wire> {
  data: Wire[]
  nextCursor: string | null
}

/** The answer schema of a list that clients can also get as `text/csv`. */
export const jsonOrCsv = <T extends TSchema>(list: T) => ({
  description: `JSON in pages, or with \`Accept: text/csv\` one table of all rows from \`cursor\`, newest first, ${groupDigits(MOST_ROWS)} at most.`,
  content: { 'application/json': { schema: list }, 'text/csv': { schema: Type.String() } },
})

/** Creates the process's one sender of lists. */
export function createListExport({ clock }: { clock: Clock }): SendList {
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
    table: CsvTable<K, Row, Wire>,
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
    // Fastify's types do not allow a stream where the document declares a page.
    if (wantsCsv(request)) return sendTable(request, reply, first, table) as never
    void reply.header('vary', 'accept')
    return page === undefined ? toPage(await table.read(first), first, table.toWire) : page()
  }
}

/** The key in the fair limiter of the client. */
function readerOf(request: FastifyRequest): string {
  return request.principal?.kind === 'installation' ? 'installation' : callerOf(request).organizationId
}

/** The text of the file, a page at a time. */
async function* linesOf<K extends Kind, Row extends { id: string }, Wire extends object>(
  { before, cursor }: PageRequest<K>,
  { columns, read, toWire }: CsvTable<K, Row, Wire>,
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
    // Other requests get a turn between pages.
    await turn()
  }
}
