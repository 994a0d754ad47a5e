import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A real small model, behind an OpenAI-compatible endpoint of its own. */
export interface EmbeddingModel {
  name: string
  /** What a Postern is started with to use it. */
  env: Record<string, string>
  stop(): Promise<void>
}

const NAME = 'all-MiniLM-L6-v2'

/**
 * Starts it by `python3`, or by the Python that `PYTHON` names.
 * @returns a sentence with the reason where Python or a package of it is not installed
 */
export async function startEmbeddingModel(): Promise<EmbeddingModel | string> {
  const python = process.env.PYTHON ?? 'python3'
  const child = spawn(python, ['-B', join(import.meta.dirname, 'embeddings.py')])
  let complaint = ''
  child.stderr.on('data', (bytes: Buffer) => {
    complaint = `${complaint}${bytes.toString()}`.slice(-1_000)
  })
  const gone = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message))
    child.once('close', (code) => resolve(complaint.trim().split('\n').at(-1) || `it ended with ${code}`))
  })
  const said = new Promise<{ port: number }>((resolve) => {
    createInterface(child.stdout).once('line', (line) => resolve(JSON.parse(line) as { port: number }))
  })
  const first = await Promise.race([said, gone])
  if (typeof first === 'string') return `${python}: ${first}`
  return {
    name: NAME,
    env: { EMBEDDINGS_URL: `http://127.0.0.1:${first.port}/v1`, EMBEDDINGS_MODEL: NAME },
    async stop() {
      child.stdin.end()
      await gone
    },
  }
}
