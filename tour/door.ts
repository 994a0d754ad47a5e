import { SECOND, sleep, stopwatch, systemClock } from '#src/core/clock.ts'
import { type Answer, Client } from '../test/support/browser.ts'
import { Mismatch, mustEqual, within } from './check.ts'
import { MORE } from './layout.ts'
import type { Peers } from './peers.ts'
import type { Print } from './print.ts'

/** Somebody at the door. */
export interface Visitor {
  name: string
  client: Client
  /** A JWT, an API key or a platform key; without it the session cookie speaks for them, if they have one. */
  bearer?: { kind: 'JWT' | 'API key' | 'platform key'; token: string }
}

// biome-ignore lint/suspicious/noExplicitAny: the tour knows the shapes that it reads.
type Body = any

export interface Wish {
  body?: object
  /** What is sent instead, as it is. */
  bytes?: Uint8Array
  headers?: Record<string, string>
  /** The status that must be answered. */
  status: number
  /** Sends the cookie alone, also for somebody who has a JWT. */
  by?: 'session'
  /** The essential part of the answer's body; all of it unless given. */
  show?: (body: Body) => object
  /** Asks again until it is so; the last answer is printed. */
  until?: (body: Body) => boolean
}

/** The public ways in, command line and HTTP: what goes in and what comes out is printed. */
export interface Door {
  visitor(name: string): Visitor
  /** Calls `METHOD /path`. @throws Mismatch for any status but the wish's */
  call(visitor: Visitor, line: string, wish: Wish): Promise<Answer>
  /** Runs `postern …`, which prints JSON. @throws Mismatch unless it ends with exit code 0 */
  command(...args: string[]): Promise<Body>
}

export function openDoor(peers: Peers, print: Print): Door {
  return {
    visitor: (name) => ({ name, client: new Client(peers.baseUrl) }),

    async call(visitor, line, { body, bytes, headers = {}, status, by, show, until = () => true }) {
      const [method = '', path = ''] = line.split(' ')
      const bearer = by === 'session' ? undefined : visitor.bearer
      const call = {
        method,
        headers,
        ...(body === undefined && bytes === undefined ? {} : { body: bytes ?? body }),
        ...(bearer === undefined ? {} : { token: bearer.token }),
      }
      print.request(line, credentialsOf(visitor, bearer), body ?? (bytes && `${bytes.length} bytes`))
      for (const [name, value] of Object.entries(headers)) print.shown(name, value)
      for (;;) {
        const elapsed = stopwatch()
        const answer = await within(`an answer to ${line}`, visitor.client.call(path, call))
        if (answer.status === status && !until(answer.body)) {
          await sleep(systemClock, SECOND / 20)
          continue
        }
        const shown = answer.status === status ? essenceOf(answer.body, show) : answer.body
        print.answer(answer.status, elapsed(), shown, answer.headers.getSetCookie()[0])
        mustEqual(`${line} is answered with ${status}`, answer.status, status)
        return answer
      }
    },

    async command(...args) {
      const { code, out, err } = await peers.run(...args)
      const line = `postern ${args.map((arg) => (/^[\w@.-]+$/.test(arg) ? arg : `"${arg}"`)).join(' ')}`
      if (code !== 0) throw new Mismatch(line, 'exit code 0', `exit code ${code}\n${err}${out}`)
      const output: Body = JSON.parse(out)
      print.command(line, output)
      return output
    },
  }
}

function credentialsOf({ name, client }: Visitor, bearer: Visitor['bearer']): string {
  if (bearer !== undefined) return `${name}, ${bearer.kind} ${bearer.token}`
  return client.cookies.has('session') ? `${name}, session cookie` : name
}

/** What is shown of a body, with a mark where something is left out. */
function essenceOf(body: object, show: Wish['show']): object {
  if (show === undefined) return body
  const shown = show(body)
  return JSON.stringify(shown) === JSON.stringify(body) ? shown : { ...shown, [MORE]: MORE }
}
