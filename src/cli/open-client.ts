import { renewedToken } from '../../sdk/src/login.ts'
import { Postern } from '../../sdk/src/postern.ts'
import { CLI_CLIENT } from '../access/authorization/built-in-clients.ts'
import { readConfig, readVariable } from '../config/config.ts'
import { serverOf } from './login.ts'
import { loginStore, NO_PORT } from './logins.ts'
import { type Command, type Options, type Terminal, UsageError } from './terminal/terminal.ts'

/** The option with the server's address. */
export const URL_OPTION: Command['options'] = {
  url: {
    type: 'string',
    about: 'URL of Postern. Default: `POSTERN_URL`, or the server of these settings.',
  },
}

/**
 * A client that authenticates by `POSTERN_API_KEY` or this user's login.
 * @throws UsageError
 */
export function openClient(terminal: Terminal, options: Options): Postern {
  const { env } = terminal
  const apiKey = readVariable('POSTERN_API_KEY', env)
  if (apiKey === undefined) return byLogin(terminal, options)
  const baseUrl = options.url ?? readVariable('POSTERN_URL', env) ?? readConfig(env).web.baseUrl
  const url = URL.parse(String(baseUrl))
  if (url === null) throw new UsageError('--url must be an address such as https://id.example.com.')
  if (url.port === '0') throw new UsageError(NO_PORT)
  return new Postern({ baseUrl: String(baseUrl), apiKey })
}

/** @throws UsageError where this user has not logged in there */
function byLogin(terminal: Terminal, options: Options): Postern {
  const baseUrl = serverOf(terminal, options)
  const store = loginStore(terminal.env, baseUrl)
  if (store.read() === undefined)
    throw new UsageError(
      'POSTERN_API_KEY must hold an API key of the organization, or "postern login" comes first.',
    )
  return new Postern({ baseUrl, token: renewedToken({ baseUrl, clientId: CLI_CLIENT, store }) })
}

/** @throws UsageError */
export function readCount({ count }: Options): number | undefined {
  if (count === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(String(count))) throw new UsageError('--count must be a whole number from 1 on.')
  return Number(count)
}
