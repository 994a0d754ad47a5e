import { readFileSync } from 'node:fs'

/** Modes under which the driver checks certificate and name, as `verify-full` does, after a warning that they will not stay so. */
const CHECKED = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/

/** Parameters that name files. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey']

/**
 * An address of PostgreSQL as the driver takes it: where it asks for TLS, the certificate is checked, and files that cannot be
 * used are refused at once.
 * @throws Error in plain words
 */
export function withCheckedTls(databaseUrl: string): string {
  const parameters = URL.parse(databaseUrl)?.searchParams
  for (const name of FILES) {
    const file = parameters?.get(name)
    if (file) checkFile(name, file)
  }
  // An address that names the modes of libpq gets exactly what they check.
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
