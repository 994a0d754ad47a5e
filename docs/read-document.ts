import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { startApp } from '#src/app.ts'
import { readConfig } from '#src/config/config.ts'
import { systemClock } from '#src/core/clock.ts'
import type { ApiDocument } from '../sdk/generate/document.ts'

/** `/openapi.json` of a Postern that is started for it, with no settings of its own. */
export async function readDocument(): Promise<ApiDocument> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-document-'))
  const app = await startApp({
    config: readConfig({ DATA_DIR: folder, PORT: '0' }),
    clock: systemClock,
    log: pino({ level: 'silent' }),
  })
  try {
    const answer = await fetch(`${app.address}/openapi.json`)
    return (await answer.json()) as ApiDocument
  } finally {
    await app.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
