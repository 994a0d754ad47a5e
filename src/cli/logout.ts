import { PosternError } from '../../sdk/src/errors.ts'
import { endLogin, LoginError } from '../../sdk/src/login.ts'
import { CLI_CLIENT } from '../access/authorization/built-in-clients.ts'
import { serverOf } from './login.ts'
import { forgetLogin } from './logins.ts'
import type { Command } from './terminal/terminal.ts'

/** `postern logout`: revokes the grant of `postern login` at the server, and removes its tokens. */
export const logout: Command = {
  about: 'Ends the login of `postern login` at the server and on this machine.',
  usage: 'postern logout [--url URL]',
  options: {
    url: {
      type: 'string',
      about: 'URL of Postern. Default: `POSTERN_URL`, or the server of these settings.',
    },
  },
  async run(terminal, options) {
    const baseUrl = serverOf(terminal, options)
    const kept = await forgetLogin(terminal.env, baseUrl)
    if (kept === undefined) {
      terminal.print(`There is no login at ${baseUrl}.`)
      terminal.answer({ url: baseUrl, ended: false })
      return 0
    }
    try {
      await endLogin({ baseUrl, clientId: CLI_CLIENT }, kept)
    } catch (error) {
      if (!(error instanceof LoginError || error instanceof PosternError)) throw error
      terminal.complain(
        `Forgotten here, but ${baseUrl} could not be told: end it there, under what you have connected.`,
      )
      terminal.answer({ url: baseUrl, ended: false })
      return 1
    }
    terminal.print(`Logged out at ${baseUrl}.`)
    terminal.answer({ url: baseUrl, ended: true })
    return 0
  },
}
