import { readFileSync } from 'node:fs'
import { type Diagnosis, diagnose } from '../../sdk/src/doctor.ts'
import { readVariable } from '../config/config.ts'
import { fromIso } from '../core/clock.ts'
import { type Command, type Options, type Terminal, UsageError } from './terminal/terminal.ts'

/** Standard input keeps a secret out of files, the history and the list of processes. */
const STDIN = 0

/** `postern verify`: explains why a signature is invalid. It sends nothing. */
export const verify: Command = {
  about: 'Checks the signature of a received webhook call, and names its errors.',
  usage: 'postern verify --body FILE --headers FILE [--computed SIGNATURE] [--at MOMENT]',
  options: {
    body: { type: 'string', about: 'File with the exact bytes of the received body.' },
    headers: {
      type: 'string',
      about: 'File with its headers: one in each line (`name: value`), or a JSON object.',
    },
    computed: { type: 'string', about: 'Signature that your own code computed; its error is named.' },
    at: {
      type: 'string',
      about: 'Time of its receipt, e.g. 2026-11-20T09:00:00Z. Default: its age is not checked.',
    },
  },
  async run(terminal, options) {
    const body = readFile(options, 'body')
    const headers = parseHeaders(readFile(options, 'headers').toString())
    const secrets = await readSecrets(terminal)
    const { computed } = options
    const moment = readMoment(options)
    const diagnosis = await diagnose({
      body,
      headers,
      secrets,
      // Without `--at` the age of the call is not checked, so that old calls can be verified.
      ...(moment === undefined ? { toleranceSeconds: Number.POSITIVE_INFINITY } : { now: moment }),
      ...(typeof computed === 'string' ? { computed } : {}),
    })
    describe(terminal, diagnosis, typeof computed === 'string')
    terminal.answer(diagnosis)
    return isRight(diagnosis, typeof computed === 'string') ? 0 : 1
  },
}

function isRight({ isGenuine, findings }: Diagnosis, isComputed: boolean): boolean {
  return isComputed
    ? findings.length === 0
    : isGenuine && findings.every(({ cause }) => cause === 'previous_secret')
}

function describe(terminal: Terminal, { isGenuine, findings }: Diagnosis, isComputed: boolean): void {
  if (isComputed && findings.length === 0) terminal.print('What your code computed is right.')
  if (isGenuine) terminal.print('The signature holds: the call is genuine.')
  for (const { cause, text } of findings) terminal.print(`${cause}: ${text}`)
}

/** @throws UsageError */
function readFile(options: Options, option: string): Buffer {
  const name = options[option]
  if (typeof name !== 'string') throw new UsageError(`--${option} must name a file.`)
  try {
    return readFileSync(name)
  } catch (error) {
    throw new UsageError(`--${option}: ${name} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/** Reads headers as logs, curl and browsers print them. */
function parseHeaders(text: string): Record<string, string> {
  if (text.trimStart().startsWith('{')) {
    try {
      return JSON.parse(text) as Record<string, string>
    } catch {
      throw new UsageError('--headers begins as JSON, and is none.')
    }
  }
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^[<>]?\s*([\w-]+):\s*(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value?.trim() ?? '']]
  })
  return Object.fromEntries(lines)
}

/** Secrets, the current one first, separated by blanks or lines. @throws UsageError */
async function readSecrets({ env, ask }: Terminal): Promise<string[]> {
  const set = readVariable('WEBHOOK_SECRET', env)
  const given =
    set ?? (await ask?.('The secret (whsec_…): ')) ?? (env === undefined ? readFileSync(STDIN, 'utf8') : '')
  const secrets = given.split(/[\s,]+/).filter((one) => one !== '')
  if (secrets.length === 0)
    throw new UsageError('The secret is read from WEBHOOK_SECRET, or from standard input.')
  return secrets
}

/** @throws UsageError */
function readMoment({ at }: Options): number | undefined {
  if (at === undefined) return undefined
  const moment = fromIso(String(at))
  if (moment === undefined) throw new UsageError('--at must be a moment such as 2026-11-20T09:00:00Z.')
  return moment
}
