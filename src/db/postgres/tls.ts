import { readFileSync } from 'node:fs'

/** Modes that the driver treats as `verify-full`, with a warning that this will change. */
const CHECKED = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/

/** Parameters that name files. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey']

/**
 * Rewrites an address of PostgreSQL for the driver, so that TLS always verifies the certificate, and checks the files that it names.
 * @throws Error in plain words
 */
export function withCheckedTls(databaseUrl: string): string {
  const parameters = URL.parse(databaseUrl)?.searchParams
  for (const name of FILES) {
    const file = parameters?.get(name)
    if (file) checkFile(name, file)
  }
  // `uselibpqcompat` requests exactly the checks of libpq's modes.
  return parameters?.get('uselibpqcompat') === 'true'
    ? databaseUrl
    : databaseUrl.replace(CHECKED, '$1verify-full')
}

function checkFile(name: string, file: string): void {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`${name} of DATABASE_URL names ${file}, which cannot be read (${code}).`)
  }
  const what = name === 'sslkey' ? 'key' : 'certificate'
  if (!text.includes(`${what === 'key' ? 'PRIVATE KEY' : 'BEGIN CERTIFICATE'}-----`))
    throw new Error(`${name} of DATABASE_URL names ${file}, which holds no ${what}.`)
}
