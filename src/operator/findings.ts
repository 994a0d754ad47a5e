import { checkBlobs } from '../cli/doctor/blobs.ts'
import { checkConnections } from '../cli/doctor/connections.ts'
import type { Check, Finding } from '../cli/doctor/finding.ts'
import { checkAddress, checkMail, checkOrigins, checkProxy } from '../cli/doctor/network.ts'
import { checkDataDir, checkNode } from '../cli/doctor/store.ts'
import type { Config } from '../config/config.ts'

/** What the doctor looks at without reading whole tables: that would hold up a server that is in use. */
const CHECKS: [string, Check][] = [
  ['Node', checkNode],
  ['Data folder', checkDataDir],
  ['Files', checkBlobs],
  ['Mail', checkMail],
  ['Base URL', checkAddress],
  ['Proxy', checkProxy],
  ['Origins', checkOrigins],
  ['Connections', checkConnections],
]

/** What the doctor says of the server that runs. */
export async function findAll(config: Config): Promise<Finding[]> {
  const misspelt = config.misspelt.map(
    ({ name, nearest }): Finding => ({
      level: 'warning',
      what: 'Settings',
      text: `${name} is read by nobody; is it meant to be ${nearest}?`,
    }),
  )
  const found = await Promise.all(
    CHECKS.map(([what, check]) =>
      check(config).catch((error: Error): Finding[] => [{ level: 'problem', what, text: error.message }]),
    ),
  )
  return [...misspelt, ...found.flat()]
}
