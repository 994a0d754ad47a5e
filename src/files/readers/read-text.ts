import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MODULE_EXTENSION } from '../../core/module-extension.ts'
import { createPool } from '../../processes/pool.ts'
import type { Program } from '../../processes/program.ts'
import { serverFailure } from './read-failure.ts'
import type { Reading, ReadOptions, Source } from './reading.ts'
import { runReader } from './run-reader.ts'

/** Makes text of files, in processes that may be killed at any moment. */
export interface Readers {
  /**
   * Reads a file. It waits for its organization's turn first, which `signal` ends as well. Whatever is in the file, it
   * resolves, with the text or with what is wrong.
   */
  readText(source: Source, options: ReadOptions): Promise<Reading>
  /** Starts a child process for a file that is about to come. */
  prestart(): void
  /** Ends all readings; requests that wait get a failure of the server. */
  close(): Promise<void>
}

interface ReadersOptions {
  /** Most seconds for one file of any kind. */
  seconds?: number
  /** What reads them: the parsers unless given. Tests bring programs that misbehave. */
  program?: Program
}

/** Nothing that reads strangers' files is ever loaded here: only the child knows the parsers. */
export function createReaders({ seconds = 60, program = reader() }: ReadersOptions = {}): Readers {
  const pool = createPool(program)
  return {
    async readText(source, options) {
      try {
        return await pool.use(options.organizationId, options.signal, (child) =>
          runReader(child, source, options, seconds),
        )
      } catch (error) {
        // No place came free: the reading was cancelled, or the server stops.
        return serverFailure('aborted', String(error))
      }
    },
    prestart: pool.prestart,
    close: pool.close,
  }
}

/** May read the parsers, and nothing else on this machine. */
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
