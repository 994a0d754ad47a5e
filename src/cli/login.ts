import { type Application, endLogin, LoginError, startLogin, type Tokens } from '../../sdk/src/login.ts'
import { CLI_CLIENT } from '../access/authorization/built-in-clients.ts'
import { readConfig, readVariable } from '../config/config.ts'
import { loginStore, readServer } from './logins.ts'
import { type Command, type Options, type Terminal, UsageError } from './terminal/terminal.ts'

/** The default scopes: enough for the commands that read from a server. */
const LEAST = 'deliveries:read events:read webhooks:read'

/** `postern login`: obtains a grant for this user's command line by the device flow. */
export const login: Command = {
  about:
    'Logs this user in to a server, by a code that you enter in a browser; `postern tail` and the SDK use it.',
  usage: 'postern login [--url URL] [--scope SCOPES]',
  options: {
    url: {
      type: 'string',
      about: 'URL of Postern. Default: `POSTERN_URL`, or the server of these settings.',
    },
    scope: { type: 'string', about: `Its permissions, separated by spaces. Default: "${LEAST}".` },
  },
  async run(terminal, options) {
    const baseUrl = serverOf(terminal, options)
    const scope = readScope(options)
    const application: Application = { baseUrl, clientId: CLI_CLIENT }
    const store = loginStore(terminal.env, baseUrl)
    // An unreadable file is reported before a person enters a code.
    await store.read()
    const tokens = await byCode(terminal, application, scope)
    if (tokens === undefined) return 1
    let former: Tokens | undefined
    try {
      await store.change(async (now) => {
        former = now
        return tokens
      })
    } catch (error) {
      // A grant that could not be stored is revoked, because no command can use it.
      await endLogin(application, tokens).catch(() => {})
      throw error
    }
    // The replaced grant is revoked. If that fails, it expires unused.
    if (former !== undefined) await endLogin(application, former).catch(() => {})
    terminal.print(
      `Logged in at ${baseUrl} with the scopes ${shown(tokens.scope)}. "postern logout" ends it.`,
    )
    terminal.answer({ url: baseUrl, scope: tokens.scope })
    return 0
  },
}

/** The server's address from the option, the variable or the settings. @throws UsageError */
export function serverOf({ env }: Terminal, { url }: Options): string {
  return readServer(String(url ?? readVariable('POSTERN_URL', env) ?? readConfig(env).web.baseUrl))
}

/** @throws UsageError */
function readScope({ scope = LEAST }: Options): string {
  const names = String(scope)
    .split(/[\s,]+/)
    .filter(Boolean)
  if (names.length === 0 || !names.every((name) => /^[a-z_]{1,40}:[a-z]{1,20}$/.test(name)))
    throw new UsageError('--scope must hold scopes of docs/scopes.md, such as "deliveries:read".')
  return names.join(' ')
}

/** @returns undefined where the person refused, or the code expired */
async function byCode(
  terminal: Terminal,
  application: Application,
  scope: string,
): Promise<Tokens | undefined> {
  try {
    const pending = await startLogin(application, { scope })
    terminal.complain(`Open ${shown(pending.verificationUri)}`)
    terminal.complain(`and enter the code ${shown(pending.userCode)}`)
    return await pending.finish()
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    terminal.complain(WORDS[error.reason] ?? `The server refused: ${shown(error.message)}.`)
    return undefined
  }
}

const WORDS: Record<string, string> = {
  access_denied: 'You refused in the browser: nothing was granted.',
  expired_token: 'The code was not entered in time. Run the command again.',
}

/** A server's text without control characters. */
const shown = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 300)
