import type { Config } from '../config/config.ts'
import { MODULE_EXTENSION } from '../core/module-extension.ts'
import { createThread } from '../core/thread.ts'
import { CHECKS, examine, findMisspelt } from '../doctor/checks.ts'
import type { Finding } from '../doctor/finding.ts'

const ORDER = ['Settings', ...CHECKS.map(({ what }) => what)]

/** The doctor's findings about the settings of the running server, and about the services that they name. */
export async function examineSettings(config: Config): Promise<Finding[]> {
  return [...findMisspelt(config), ...(await examineAll('settings', config))]
}

/** The findings about the database: in a thread, with its own connection, because the checks read every page and entry. */
export async function examineDatabase(config: Config): Promise<Finding[]> {
  const thread = createThread<Config, Finding[]>(
    new URL(`./doctor-thread${MODULE_EXTENSION}`, import.meta.url),
    {
      heapMb: 256,
    },
  )
  try {
    return await thread.ask(config)
  } finally {
    await thread.close()
  }
}

/** All checks of one kind. */
export async function examineAll(of: (typeof CHECKS)[number]['of'], config: Config): Promise<Finding[]> {
  const found = CHECKS.filter((one) => one.of === of).map((one) => examine(one, config))
  return (await Promise.all(found)).flat()
}

/** Sorts findings in the order of the doctor's command. */
export function inOrder(findings: Finding[]): Finding[] {
  return findings.toSorted((a, b) => ORDER.indexOf(a.what) - ORDER.indexOf(b.what))
}
