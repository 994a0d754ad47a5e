import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MODULE_EXTENSION } from '../../core/module-extension.ts'
import { createPool } from '../../processes/pool.ts'
import type { Program } from '../../processes/program.ts'
import { serverFailure } from './read-failure.ts'
import type { Reading, ReadOptions, Source } from './reading.ts'
import { runReader } from './run-reader.ts'

/** Extracts the text of files, in child processes that may be killed at any moment. */
export interface Readers {
  /**
   * Reads a file, after a wait for a place, which `signal` ends as well. It never rejects: the result is the text or a failure.
   */
  readText(source: Source, options: ReadOptions): Promise<Reading>
  /** Starts a child process for a file that is about to arrive. */
  prestart(): void
  /** Ends all readings; requests that wait get a failure of the server. */
  close(): Promise<void>
}

interface ReadersOptions {
  /** The time limit of a file in seconds. */
  seconds?: number
  /** The child's program; the parsers by default. Tests pass programs that misbehave. */
  program?: Program
}

/** No parser of untrusted files is loaded in this process, only in the child. */
export function createReaders({ seconds = 60, program = reader() }: ReadersOptions = {}): Readers {
  const pool = createPool(program)
  return {
    async readText(source, options) {
      try {
        return await pool.use(options.organizationId, options.signal, (child) =>
          runReader(child, source, options, seconds),
        )
      } catch (error) {
        // The reading was cancelled before a place was free, or the server stops.
        return serverFailure('aborted', String(error))
      }
    },
    prestart: pool.prestart,
    close: pool.close,
  }
}

/** The program of the child. It may read the parsers' files, and no other. */
function reader(): Program {
  const parsers = join(dirname(fileURLToPath(import.meta.resolve('saxes/package.json'))), '..')
  return {
    folder: join(import.meta.dirname, 'child'),
    file: `child${MODULE_EXTENSION}`,
    readable: [join(parsers, '*')],
    heapMb: 256,
    residentMb: 768,
    addressMb: 4_096,
    processorSeconds: 60,
  }
}
