import { openClient, URL_OPTION } from './open-client.ts'
import { type Command, UsageError } from './terminal/terminal.ts'

/** `postern resend ID`: sends a delivery again. */
export const resend: Command = {
  about: 'Makes an ended delivery again, or attempts a waiting one now.',
  usage: 'postern resend ID [--url URL]',
  takesWord: true,
  options: URL_OPTION,
  async run(terminal, options, id) {
    if (id === undefined) throw new UsageError('The id of a delivery is missing (dlv_…).')
    const made = await openClient(terminal, options).deliveries.retry(id)
    terminal.print(`${made.createdAt}  ${made.status}  ${made.eventType}  ${made.id}`)
    terminal.answer(made)
    return 0
  },
}
