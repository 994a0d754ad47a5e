import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { supervise } from '#src/cluster/supervise.ts'
import { MINUTE } from '#src/core/clock.ts'

/** Two workers that answer nothing but heartbeats, which they are asked for so often that one that stands still is killed within five seconds. */
cluster.setupPrimary({ exec: fileURLToPath(new URL('./beating-worker.ts', import.meta.url)) })
const log = (data: object, msg?: string) => process.stdout.write(`${JSON.stringify({ ...data, msg })}\n`)
process.exitCode = await supervise({
  count: 2,
  env: {},
  log: { error: log, info: log },
  onReady: () => process.stdout.write('is ready\n'),
  stopping: new Promise((resolve) => process.once('SIGTERM', () => resolve())),
  patience: MINUTE,
  beat: 400,
})
