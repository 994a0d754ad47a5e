import { linesOf } from '../../parts/form.tsx'

/** Accounts of one request, and their bytes: the server accepts a thousand, and 2 MiB with the rest of the body. */
const [MOST_ACCOUNTS, MOST_BYTES] = [1_000, 1_900_000]

/** An account of another system, and the number of its line. */
export interface ImportLine {
  line: number
  account: Record<string, unknown>
}

export interface ImportLines {
  accounts: ImportLine[]
  /** The numbers of the lines that are no JSON object. */
  unreadable: number[]
}

/** Reads lines of JSON, each an account. Blank lines are skipped and counted. */
export function readImport(text: string): ImportLines {
  const read: ImportLines = { accounts: [], unreadable: [] }
  for (const [at, line] of text.split('\n').entries()) {
    if (linesOf(line).length === 0) continue
    const account = accountOf(line)
    if (account === undefined) read.unreadable.push(at + 1)
    else read.accounts.push({ line: at + 1, account })
  }
  return read
}

function accountOf(line: string): ImportLine['account'] | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as ImportLine['account'])
      : undefined
  } catch {
    return undefined
  }
}

/** Divides accounts into requests that the server accepts. An account that is larger than a request has one of its own. */
export function inRequests(accounts: readonly ImportLine[]): ImportLine[][] {
  const requests: ImportLine[][] = []
  const encoder = new TextEncoder()
  let room = 0
  for (const one of accounts) {
    const size = encoder.encode(JSON.stringify(one.account)).length + 1
    const last = requests.at(-1)
    if (last === undefined || last.length === MOST_ACCOUNTS || size > room) {
      requests.push([one])
      room = MOST_BYTES - size
    } else {
      last.push(one)
      room -= size
    }
  }
  return requests
}
