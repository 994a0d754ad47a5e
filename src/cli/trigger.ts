import { readFileSync } from 'node:fs'
import { openClient, readCount, URL_OPTION } from './open-client.ts'
import { type Command, type Options, UsageError } from './terminal/terminal.ts'

/** `postern trigger TYPE`: publishes an event, by default with the example of its type. */
export const trigger: Command = {
  about: 'Publishes an event of a type, with the example of the type as its data.',
  usage: 'postern trigger TYPE [--data JSON|@FILE] [--count N] [--url URL]',
  takesWord: true,
  options: {
    data: {
      type: 'string',
      about: 'Members that replace members of the example: JSON, or @ and the name of a file with it.',
    },
    count: { type: 'string', about: 'Number of events. Default: 1.' },
    ...URL_OPTION,
  },
  async run(terminal, options, type) {
    if (type === undefined) throw new UsageError('The event type is missing, such as agent.run.completed.')
    const own = readData(options)
    const count = readCount(options) ?? 1
    const client = openClient(terminal, options)
    const { example } = await client.eventTypes.read(type)
    for (let made = 0; made < count; made += 1) {
      const event = await client.events.publish({ type, data: { ...(example as object), ...own } })
      terminal.print(`${event.createdAt}  ${event.type}  ${event.id}  to ${event.deliveries} webhooks`)
      terminal.answer(event)
    }
    return 0
  },
}

/** @throws UsageError */
function readData({ data }: Options): Record<string, unknown> {
  if (data === undefined) return {}
  const text = String(data)
  try {
    const value: unknown = JSON.parse(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== undefined) throw new UsageError(`--data: ${text.slice(1)} cannot be read (${code}).`)
  }
  throw new UsageError('--data must be an object of JSON, or @ and the name of a file with one.')
}
