import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TokenStore, Tokens } from '../../sdk/src/login.ts'
import { readVariable } from '../config/config.ts'
import { type Millis, pause, SECOND, systemClock } from '../core/clock.ts'
import { withFileName } from '../core/disk.ts'
import { makeFolder } from '../core/folder.ts'
import { isLocalhost } from '../core/text/secure-url.ts'
import { type Terminal, UsageError } from './terminal/terminal.ts'

/** Tokens of `postern login` by the address of the server. */
type Logins = Record<string, Tokens>

type Env = Terminal['env']

/** The setting that names the file. */
const SETTING = 'POSTERN_LOGIN_FILE'

/** A lock of the file that is older belongs to a dead process. */
const LOCK_PATIENCE = 60 * SECOND
const LOCK_POLL = 50

/** `POSTERN_LOGIN_FILE`, or `postern/logins.json` in the user's configuration folder (XDG). */
function fileOf(env: Env): string {
  const own = readVariable(SETTING, env)
  if (own !== undefined) return own
  const home = readVariable('XDG_CONFIG_HOME', env) ?? join(readVariable('HOME', env) ?? homedir(), '.config')
  return join(home, 'postern', 'logins.json')
}

/** The stored login of one server, for `renewedToken`. Several processes may use it at once. */
export function loginStore(env: Env, baseUrl: string): TokenStore {
  const file = fileOf(env)
  return {
    read: () => read(file)[baseUrl],
    async change(work) {
      return alone(file, async () => {
        const logins = read(file)
        const tokens = await work(logins[baseUrl])
        write(file, { ...logins, [baseUrl]: tokens })
        return tokens
      })
    },
  }
}

/** Removes the login of one server. @returns the removed tokens; undefined where there were none */
export function forgetLogin(env: Env, baseUrl: string): Promise<Tokens | undefined> {
  const file = fileOf(env)
  return alone(file, async () => {
    const { [baseUrl]: gone, ...others } = read(file)
    if (gone !== undefined) write(file, others)
    return gone
  })
}

/** The error for an address with port 0, as settings with `PORT=0` have it. */
export const NO_PORT =
  'Port 0 is the address of no server: name it by --url or POSTERN_URL, with the port that its start has said.'

/**
 * The key of a server in the file of logins.
 * @throws UsageError where it is no address, or where tokens would be sent in the clear
 */
export function readServer(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError('--url must be an address such as https://id.example.com.')
  if (url.protocol === 'http:' && !isLocalhost(url.hostname))
    throw new UsageError('--url must begin with https: tokens are not sent in the clear.')
  if (url.port === '0') throw new UsageError(NO_PORT)
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** @throws Error where other users can read the file, or it is not a file of logins */
function read(file: string): Logins {
  let text: string
  try {
    const { mode } = statSync(file)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new Error(
        `Other users can read ${file}: run "chmod 600" on it, and log in again if they may have.`,
      )
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  try {
    return JSON.parse(text) as Logins
  } catch {
    throw new Error(`${file} holds no JSON: delete it, and log in again.`)
  }
}

const naming = (file: string, write: () => void) => withFileName(file, SETTING, write)

function write(file: string, logins: Logins): void {
  const draft = `${file}.${process.pid}`
  rmSync(draft, { force: true })
  try {
    const text = `${JSON.stringify(logins, null, 2)}\n`
    naming(file, () => writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true }))
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Runs `work` under a lock among the user's processes, so that no refresh token is used twice. */
async function alone<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`
  makeFolder(dirname(file), SETTING)
  while (!take(lock)) {
    if (ageOf(lock) > LOCK_PATIENCE) rmSync(lock, { force: true })
    else await pause(LOCK_POLL)
  }
  try {
    return await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

/** @returns 0 for a file that no longer exists */
function ageOf(file: string): Millis {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? 0 : systemClock.now() - stat.mtimeMs
}

function take(lock: string): boolean {
  try {
    naming(lock, () => closeSync(openSync(lock, 'wx', 0o600)))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
